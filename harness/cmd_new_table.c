// SPDX-License-Identifier: BSD-2-Clause
/*
 * cmd_new_table - `tearline new-table`: a table to begin with, in the three places where one is
 *
 * Its code is that of the example outside the tree under another name: a whole table, right as it
 * stands, which tests hold to all that tables are held to. All three files are written aside
 * first and then put in place, so that none is left half written or without the others.
 */
#include "command.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "table.h"

#define EXAMPLE "tests/plugin/example.c"
#define LIST "tables/meson.build"
#define PAGES "tables/README.md"
/* What the new word and the new section are put before. */
#define LIST_END "\n}\n"
#define LIST_BEGIN "\ntables = {"
#define PAGES_NEXT "\n## Containers"
#define MAX_NAME 32

static const char *tree;

static const struct option_def options[] = {
	{ "tree", OPT_STR, &tree, "DIR", ".", "the source of tearline that it goes into", 0,
	  0 },
	{ .name = NULL },
};

struct edit {
	char *path, *aside;
	char *text; /* what it is to hold */
	bool written;
};

/* The whole file below the tree, or NULL. */
static char *read_text(const char *below, struct err *e)
{
	char *path = xasprintf("%s/%s", tree, below), *text = NULL;
	FILE *f = fopen(path, "re");
	size_t size = 0;

	if (!f || getdelim(&text, &size, 0, f) < 0) {
		err_set(e, "new-table: --tree %s: expected the source of tearline: %s: %s",
			tree, path, f && !ferror(f) ? "is empty" : strerror(errno));
		free(text);
		text = NULL;
	}
	if (f)
		fclose(f);
	free(path);
	return text;
}

/* The text with this put in at a place in it. Takes the text. */
static char *put_in(char *text, const char *at, const char *what)
{
	char *out = xasprintf("%.*s%s%s", (int)(at - text), text, what, at);

	free(text);
	return out;
}

/* Takes the text. */
static char *replace(char *text, const char *word, const char *with)
{
	for (char *at = text; (at = strstr(at, word));) {
		size_t done = (size_t)(at - text);

		*at = 0;
		at = xasprintf("%s%s%s", text, with, at + strlen(word));
		free(text);
		text = at;
		at += done + strlen(with);
	}
	return text;
}

/* "my-table" in C. */
static char *identifier(const char *name)
{
	char *id = xstrdup(name);

	for (char *p = id; *p; p++)
		if (*p == '-')
			*p = '_';
	return id;
}

static bool is_name(const char *s)
{
	size_t len = strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_-");

	return len && len <= MAX_NAME && !s[len] && *s >= 'a' && *s <= 'z';
}

/* Is it a table's here, whether built or not? */
static bool is_table(const char *name)
{
	struct table_absence a;

	table_for_each(c) if (!strcmp(c->name, name)) return true;
	for (size_t i = 0; table_absent(i, &a); i++)
		if (!strcmp(a.name, name))
			return true;
	return false;
}

static bool is_there(const char *dir, const char *name)
{
	char *path = xasprintf("%s/%s/%s.c", tree, dir, name);
	bool there = !access(path, F_OK);

	free(path);
	return there;
}

/* Its functions are called after it: "line" would have a line_create() beside ours. */
static bool is_taken_in_c(const char *id)
{
	static const char *const suffix[] = { "create", "destroy", "loops", "class" };

	for (size_t i = 0; i < ARRAY_SIZE(suffix); i++) {
		char *symbol = xasprintf("%s_%s", id, suffix[i]);
		bool taken = dlsym(RTLD_DEFAULT, symbol);

		free(symbol);
		if (taken)
			return true;
	}
	return false;
}

static int check_name(const char *name, struct err *e)
{
	char *id;
	bool taken;

	if (!is_name(name))
		return err_set(
			e,
			"new-table: expected a name of a letter and then letters, digits, "
			"'-' and '_', at most %u, all small, got '%s'",
			MAX_NAME, name);
	id = identifier(name);
	taken = is_taken_in_c(id);
	free(id);
	if (taken || is_table(name) || is_there("tables", name) ||
	    is_there("tables/controls", name))
		return err_set(e, "new-table: '%s' is taken: choose another name", name);
	return 0;
}

/* The table itself. */
static char *make_code(const char *name, struct err *e)
{
	char *code = read_text(EXAMPLE, e), *id, *quoted, *struct_name;

	if (!code)
		return NULL;
	id = identifier(name);
	quoted = xasprintf("\"%s\"", name);
	struct_name = xasprintf("struct %s_state", id);
	code = replace(code, "a table outside the tree: one", "one");
	code = replace(code, "#include <tearline/line.h>", "#include \"line.h\"");
	code = replace(code, "#include <tearline/template.h>", "#include \"template.h\"");
	code = replace(code, "#include <tearline/line_table.h>", "#include \"line_table.h\"");
	code = replace(code, "struct example", struct_name);
	code = replace(code, "\"example\"", quoted);
	code = replace(code, "example", id);
	free(struct_name);
	free(quoted);
	free(id);
	return code;
}

/* The word that builds it. */
static char *make_list(const char *name, struct err *e)
{
	char *text = read_text(LIST, e), *word, *begin, *end;

	if (!text)
		return NULL;
	begin = strstr(text, LIST_BEGIN);
	end = begin ? strstr(begin, LIST_END) : NULL;
	if (!end) {
		err_set(e, "new-table: %s/%s: expected a list that begins with 'tables = {'",
			tree, LIST);
		free(text);
		return NULL;
	}
	word = xasprintf("  '%s': [],\n", name);
	text = put_in(text, end + 1, word);
	free(word);
	return text;
}

/* The section that a test asks for. */
static char *make_pages(const char *name, struct err *e)
{
	char *text = read_text(PAGES, e), *section, *next;

	if (!text)
		return NULL;
	next = strstr(text, PAGES_NEXT);
	if (!next) {
		err_set(e, "new-table: %s/%s: expected a heading '%s'", tree, PAGES,
			&PAGES_NEXT[1]);
		free(text);
		return NULL;
	}
	section = xasprintf(
		"\n### `%s`\n\n"
		"A small lock for each line, in an array beside the lines, which probes "
		"and stores hold alike. No torn read, no false\nmiss, no lost store. The "
		"lock is a second cache line for every operation, readers of one line are "
		"in each other's way, and\na holder that is stopped stops them. `wait=` is "
		"what a thread does that finds a line locked.\n",
		name);
	text = put_in(text, next, section);
	free(section);
	return text;
}

static int write_aside(struct edit *d, struct err *e)
{
	FILE *f = fopen(d->aside, "wxe");

	if (!f)
		return err_set(e, "new-table: %s: cannot open: %s", d->aside, strerror(errno));
	d->written = true;
	if (fputs(d->text, f) < 0 || fflush(f)) {
		err_set(e, "new-table: %s: cannot write: %s", d->aside, strerror(errno));
		fclose(f);
		return -1;
	}
	return fclose(f) ? err_set(e, "new-table: %s: cannot write: %s", d->aside,
				   strerror(errno))
			 : 0;
}

static int put_in_place(struct edit *d, struct err *e)
{
	if (rename(d->aside, d->path))
		return err_set(e, "new-table: %s: cannot be replaced: %s", d->path,
			       strerror(errno));
	d->written = false;
	return 0;
}

/* The list comes last: without its word, the rest is of no consequence. */
static int write_all_of(struct edit *edit, size_t nr, struct err *e)
{
	int ret = 0;

	for (size_t i = 0; i < nr && !ret; i++)
		ret = write_aside(&edit[i], e);
	for (size_t i = 0; i < nr && !ret; i++)
		ret = put_in_place(&edit[i], e);
	for (size_t i = 0; i < nr; i++)
		if (edit[i].written)
			unlink(edit[i].aside);
	return ret;
}

static int write_table(const char *name, struct err *e)
{
	struct edit edit[] = {
		{ .path = xasprintf("%s/tables/%s.c", tree, name), .text = make_code(name, e) },
		{ .path = xasprintf("%s/" PAGES, tree), .text = NULL },
		{ .path = xasprintf("%s/" LIST, tree), .text = NULL },
	};
	int ret = -1;

	if (edit[0].text)
		edit[1].text = make_pages(name, e);
	if (edit[1].text)
		edit[2].text = make_list(name, e);
	for (size_t i = 0; i < ARRAY_SIZE(edit); i++)
		edit[i].aside = xasprintf("%s.new", edit[i].path);
	if (edit[2].text)
		ret = write_all_of(edit, ARRAY_SIZE(edit), e);
	for (size_t i = 0; i < ARRAY_SIZE(edit); i++) {
		if (!ret)
			printf("%s\n", edit[i].path);
		free(edit[i].aside);
		free(edit[i].path);
		free(edit[i].text);
	}
	return ret;
}

static int new_table(char **arg, int nr, struct err *e)
{
	if (nr != 1)
		return err_set(e, "new-table: expected one name");
	return check_name(arg[0], e) || write_table(arg[0], e) ? -1 : 0;
}

const struct command cmd_new_table = {
	.name = "new-table",
	.summary = "begin a table of your own in the source of tearline",
	.usage = "NAME [--tree DIR]",
	.takes_arguments = true,
	.details = "It writes tables/NAME.c, which is a whole table to change, its name in "
		   "tables/meson.build, and a paragraph in tables/README.md. Then it is built, "
		   "listed, swept and tested like all others.",
	.example = "tearline new-table mine\nninja -C build && build/tearline tables mine",
	.work = new_table,
	.options = options,
};
