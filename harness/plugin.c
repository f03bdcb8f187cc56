// SPDX-License-Identifier: BSD-2-Clause
#include "plugin.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "table.h"

struct plugin {
	void *handle;
	struct table_class *class;
	char *origin;
	struct plugin *next;
};

static struct plugin *plugins;

/* What registers while an object is being loaded. */
static struct {
	bool open;
	unsigned nr;
	struct table_class *class;
	unsigned abi;
	uint64_t layout;
	const char *built_by;
} offered;

void plugin_built_by(const char *what)
{
	if (offered.open)
		offered.built_by = what;
}

bool plugin_registers(struct table_class *c, unsigned abi, uint64_t layout)
{
	if (!offered.open)
		return false;
	offered.nr++;
	offered.class = c;
	offered.abi = abi;
	offered.layout = layout;
	return true;
}

size_t plugin_path_len(const char *spec)
{
	size_t name = strcspn(spec, ":");

	if (!memchr(spec, '/', name) && (name < 3 || strncmp(spec + name - 3, ".so", 3)))
		return 0;
	for (const char *p = spec; (p = strstr(p, ".so")); p += 3)
		if (!p[3] || p[3] == ':')
			return (size_t)(p + 3 - spec);
	return name;
}

static const struct plugin *find_by_handle(const void *handle)
{
	for (const struct plugin *p = plugins; p; p = p->next)
		if (p->handle == handle)
			return p;
	return NULL;
}

const char *plugin_origin(const struct table_class *c)
{
	for (const struct plugin *p = plugins; p; p = p->next)
		if (p->class == c)
			return p->origin;
	return NULL;
}

/* Does the file hold all that the loader will map or look for? */
static bool segments_fit(const unsigned char *file, uint64_t bytes, const ElfW(Ehdr) * elf)
{
	const unsigned char *at = file + elf->e_phoff;
	bool dynamic = false;
	ElfW(Phdr) ph;

	for (unsigned i = 0; i < elf->e_phnum; i++, at += sizeof(ph)) {
		memcpy(&ph, at, sizeof(ph));
		dynamic |= ph.p_type == PT_DYNAMIC;
		if (ph.p_type != PT_NULL &&
		    (ph.p_offset > bytes || ph.p_filesz > bytes - ph.p_offset))
			return false;
	}
	return dynamic;
}

/*
 * What is wrong with a file of so many bytes; or NULL. The loader would say it in words of its
 * own, or die of what is not there.
 */
static const char *object_fault(const unsigned char *file, uint64_t bytes)
{
	const unsigned char class = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
	ElfW(Ehdr) elf;

	if (bytes < sizeof(elf) || memcmp(file, ELFMAG, SELFMAG))
		return "expected a shared object, which it is not";
	memcpy(&elf, file, sizeof(elf));
	if (elf.e_ident[EI_CLASS] != class)
		return "is for machines of another word size";
	if (elf.e_type != ET_DYN)
		return "expected a shared object, which it is not";
	/* the headers of sections are the end of it, where it has any */
	if (elf.e_phentsize != sizeof(ElfW(Phdr)) || elf.e_phoff > bytes ||
	    (uint64_t)elf.e_phnum * sizeof(ElfW(Phdr)) > bytes - elf.e_phoff ||
	    !segments_fit(file, bytes, &elf) || elf.e_shoff > bytes ||
	    (uint64_t)elf.e_shnum * elf.e_shentsize > bytes - elf.e_shoff)
		return "is cut short";
	return NULL;
}

/* Nobody's table is larger. */
#define MOST_BYTES (256ull << 20)

/* Fewer than asked for only at its end. Or -1. */
static ssize_t read_all(int fd, unsigned char *to, size_t bytes)
{
	size_t got = 0;

	while (got < bytes) {
		ssize_t nr = read(fd, to + got, bytes - got);

		if (nr < 0 && errno == EINTR)
			continue;
		if (nr < 0)
			return -1;
		if (!nr)
			break;
		got += (size_t)nr;
	}
	return (ssize_t)got;
}

/* Look at the whole file: is it whole, and what is its hash? 0 or -1. */
static int hash_object(const char *path, uint64_t *hash, struct err *e)
{
	const char *with, *fault;
	unsigned char *file;
	uint64_t bytes;
	struct err why;
	ssize_t got;
	int fd = open_regular(path, &bytes, &why);
	int ret = -1;

	if (fd < 0)
		return err_set(e, "--table %s", why.text);
	if (bytes > MOST_BYTES) {
		err_set(e, "--table %s: %ju MiB: expected a shared object, which it is not",
			path, (uintmax_t)(bytes >> 20));
		goto out_close;
	}
	file = xcalloc(1, bytes);
	got = read_all(fd, file, bytes);
	if (got < 0) {
		err_set(e, "--table %s: cannot read: %s", path, strerror(errno));
		goto out_free;
	}
	*hash = XXH64(file, (size_t)got, 0);
	with = compressed_with(file, (size_t)got);
	fault = object_fault(file, (uint64_t)got);
	if (with)
		err_set(e, "--table %s: compressed with %s: expected a shared object", path,
			with);
	else
		ret = fault ? err_set(e, "--table %s: %s", path, fault) : 0;
out_free:
	free(file);
out_close:
	close(fd);
	return ret;
}

/* The loader's words, which begin with the path; ours do, too. */
static int cannot_load(const char *path, struct err *e)
{
	const char *why = dlerror();
	size_t len = strlen(path);

	if (!strncmp(why, path, len) && !strncmp(why + len, ": ", 2))
		why += len + 2;
	return err_set(e, "--table %s: cannot be loaded: %s", path, why);
}

static bool is_name(const char *s)
{
	size_t len = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
			       "_.-");

	return len && !s[len];
}

/* The first member of a class that may not be left out and is, or NULL. */
static const char *what_is_missing(const struct table_class *c)
{
	const struct {
		bool there;
		const char *name;
	} needed[] = {
		{ c->name, "name" },
		{ c->summary, "summary" },
		{ c->reference, "reference" },
		{ c->promises, "promises (PROMISE_NOTHING, if there is nothing)" },
		{ c->probe_progress, "probe_progress" },
		{ c->store_progress, "store_progress" },
		{ c->kinds, "kinds" },
		{ c->create, "create" },
		{ c->clear, "clear" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(needed); i++)
		if (!needed[i].there)
			return needed[i].name;
	for (size_t i = 0; i < MAX_TABLE_OPTIONS && c->options[i].name; i++)
		if (!c->options[i].dflt || !c->options[i].help)
			return "default or help of an option";
	return NULL;
}

/*
 * Is this function tearline's own? One of the object that is not static gives way to ours of
 * that name, and what ran would not be what stands in the file.
 */
static bool is_our_own(const void *function)
{
	Dl_info ours, other;

	return dladdr(&plugins, &ours) && dladdr(function, &other) &&
	       ours.dli_fbase == other.dli_fbase;
}

/* Nothing of the class is read before it is known what it looks like. */
static int check_offered(const char *path, struct err *e)
{
	const struct table_class *c = offered.class;
	const char *missing;
	struct err why;

	if (!offered.nr)
		return err_set(e,
			       "--table %s: registers no table (TABLE_REGISTER of "
			       "tearline/table.h does)",
			       path);
	if (offered.abi != TABLE_ABI)
		return err_set(e,
			       "--table %s: built for table ABI %u, this tearline has %u: "
			       "rebuild it against these headers",
			       path, offered.abi, TABLE_ABI);
	if (offered.layout != TABLE_LAYOUT)
		return err_set(e,
			       "--table %s: built for table ABI %u, but with structs of other "
			       "sizes than this tearline's: rebuild it against these headers",
			       path, offered.abi);
	if (offered.nr > 1)
		return err_set(e, "--table %s: registers %u tables, expected one", path,
			       offered.nr);
	missing = what_is_missing(c);
	if (missing)
		return err_set(e, "--table %s: its struct table_class lacks: %s", path,
			       missing);
	if (table_class_fault(c, &why))
		return err_set(e, "--table %s: %s", path, why.text);
	if (!is_name(c->name))
		return err_set(e,
			       "--table %s: registers a table named '%s': expected letters, "
			       "digits, '_', '.' and '-'",
			       path, c->name);
	if (is_our_own((void *)c->create))
		return err_set(e,
			       "--table %s: its create is not its own but tearline's of that "
			       "name: make it static",
			       path);
	return 0;
}

static const struct plugin *take(void *handle, const char *path, uint64_t hash)
{
	const char *slash = strrchr(path, '/');
	struct plugin *p = xcalloc(1, sizeof(*p));

	p->handle = handle;
	p->class = offered.class;
	p->origin = xasprintf("%s#%016jx %s", slash + 1, (uintmax_t)hash,
			      offered.built_by ? offered.built_by : "by an unknown compiler");
	p->next = plugins;
	plugins = p;
	return p;
}

/* path has a '/' in it. */
static const struct plugin *load(const char *path, struct err *e)
{
	const struct plugin *p;
	uint64_t hash;
	void *handle;

	if (hash_object(path, &hash, e))
		return NULL;
	memset(&offered, 0, sizeof(offered));
	offered.open = true;
	handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	offered.open = false;
	if (!handle) {
		cannot_load(path, e);
		return NULL;
	}
	p = find_by_handle(handle);
	if (!p && !check_offered(path, e))
		return take(handle, path, hash);
	dlclose(handle);
	return p;
}

struct table_class *plugin_load(const char *path, struct err *e)
{
	/* without a '/', the loader would look where libraries are */
	char *file = xasprintf("%s%s", strchr(path, '/') ? "" : "./", path);
	const struct plugin *p = load(file, e);

	free(file);
	return p ? p->class : NULL;
}
