// SPDX-License-Identifier: BSD-2-Clause
/* The registry of tables, their options, creation and destruction. */
#include "table.h"

#include <stdlib.h>
#include <string.h>

#include "build_config.h"
#include "nearest.h"
#include "plugin.h"

static struct table_class *classes;

static const struct table_absence absent_from_build[] = { TABLES_ABSENT{ NULL, NULL } };
static struct table_class *absent_here;

const char *const fault_names[NR_FAULTS] = {
	[FAULT_TORN] = "torn_reads",	      [FAULT_WRONG_KEY] = "wrong_key_hits",
	[FAULT_FALSE_MISS] = "false_misses",  [FAULT_STALE] = "stale_hits",
	[FAULT_LOST] = "lost_stores",	      [FAULT_UNUSABLE] = "unusable_slots",
	[FAULT_WRONG_ANSWER] = "wrong_answers", [FAULT_GHOST] = "ghost_hits",
	[FAULT_DEAD_PAIR] = "dead_pair_misses", [FAULT_CONTRADICTION] = "contradictions",
	[FAULT_DUPLICATE] = "duplicate_keys",
};

static void list_class(struct table_class *c)
{
	struct table_class **at = c->absent && c->absent() ? &absent_here : &classes;

	while (*at && strcmp((*at)->name, c->name) < 0)
		at = &(*at)->next;
	c->next = *at;
	*at = c;
}

void table_register(struct table_class *c, unsigned abi, uint64_t layout)
{
	if (!plugin_registers(c, abi, layout))
		list_class(c);
}

void table_built_by(const char *what)
{
	plugin_built_by(what);
}

const struct table_class *table_first(void)
{
	return classes;
}

bool table_absent(size_t i, struct table_absence *out)
{
	const struct table_class *c = absent_here;

	for (const struct table_absence *a = absent_from_build; a->name; a++, i--) {
		if (i)
			continue;
		*out = *a;
		return true;
	}
	for (; c && i; c = c->next)
		i--;
	if (c)
		*out = (struct table_absence){ c->name, c->absent() };
	return c;
}

static const char *why_absent(const char *name, size_t len)
{
	struct table_absence a;

	for (size_t i = 0; table_absent(i, &a); i++)
		if (strlen(a.name) == len && !strncmp(a.name, name, len))
			return a.why;
	return NULL;
}

void counts_add(struct counts *sum, const struct counts *c)
{
	uint64_t *to = (uint64_t *)sum;
	const uint64_t *from = (const uint64_t *)c;

	_Static_assert(sizeof(*sum) % sizeof(uint64_t) == 0, "counts are 64-bit words only");
	for (size_t i = 0; i < sizeof(*sum) / sizeof(uint64_t); i++)
		to[i] += from[i];
}

static const struct table_class *find_class(const char *name, size_t len)
{
	table_for_each(c) if (strlen(c->name) == len && !strncmp(c->name, name, len)) return c;
	return NULL;
}

static int no_such_table(const char *name, size_t len, struct err *e)
{
	const char *why = why_absent(name, len);
	char list[512] = "";
	struct nearest n;

	if (why)
		return err_set(e, "--table %.*s: %s", (int)len, name, why);
	nearest_begin(&n, name, len);
	table_for_each(c)
	{
		nearest_try(&n, c->name, strlen(c->name));
		if (c->broken)
			continue;
		strncat(list, *list ? ", " : "", sizeof(list) - strlen(list) - 1);
		strncat(list, c->name, sizeof(list) - strlen(list) - 1);
	}
	if (*nearest_hint(&n))
		return err_set(e, "--table %.*s: no such table%s (see tearline tables)",
			       (int)len, name, nearest_hint(&n));
	return err_set(e,
		       "--table %.*s: no such table; there are %s (controls: see tearline "
		       "tables)",
		       (int)len, name, list);
}

static bool is_choice(const char *choices, const char *s, size_t len)
{
	while (choices) {
		size_t n = strcspn(choices, "|");

		if (n == len && !strncmp(choices, s, n))
			return true;
		choices = choices[n] ? choices + n + 1 : NULL;
	}
	return false;
}

int table_class_fault(const struct table_class *c, struct err *e)
{
	const uint32_t all = PROMISE_NO_TEAR | PROMISE_NO_FALSE_MISS | PROMISE_HONEST_KEYS |
			     PROMISE_SHORT_CHECK;

	if (!(c->promises & (all | PROMISE_NOTHING)) ||
	    (c->promises & all && c->promises & PROMISE_NOTHING))
		return err_set(
			e, "table %s: its promises are %#x: expected PROMISE_NOTHING or others",
			c->name, c->promises);
	if (c->options[MAX_TABLE_OPTIONS].name)
		return err_set(e, "table %s: has more than %d options", c->name,
			       MAX_TABLE_OPTIONS);
	for (const struct table_option *o = c->options; o->name; o++)
		if (o->values && !is_choice(o->values, o->dflt, strlen(o->dflt)))
			return err_set(
				e, "table %s: the default '%s' of its option %s is none of %s",
				c->name, o->dflt, o->name, o->values);
	return 0;
}

static int option_index(const struct table_class *c, const char *name, size_t len)
{
	for (int i = 0; i < MAX_TABLE_OPTIONS && c->options[i].name; i++)
		if (strlen(c->options[i].name) == len &&
		    !strncmp(c->options[i].name, name, len))
			return i;
	return -1;
}

static int no_such_option(const struct table_class *c, const char *name, size_t len,
			  struct err *e)
{
	struct nearest n;

	nearest_begin(&n, name, len);
	for (int i = 0; i < MAX_TABLE_OPTIONS && c->options[i].name; i++)
		nearest_try(&n, c->options[i].name, strlen(c->options[i].name));
	return err_set(e, "--table %s: no option '%.*s'%s (see tearline tables %s)", c->name,
		       (int)len, name, nearest_hint(&n), c->name);
}

/* One "name=value" of a spec, at s, len bytes long. */
static int set_option(struct table_spec *spec, const char *s, size_t len, struct err *e)
{
	const struct table_class *c = spec->class;
	const char *eq = memchr(s, '=', len);
	size_t name_len = eq ? (size_t)(eq - s) : len;
	int i = option_index(c, s, name_len);
	struct nearest n;
	size_t value_len;

	if (i < 0)
		return no_such_option(c, s, name_len, e);
	if (!eq)
		return err_set(e, "--table %s: option %s: expected %s=%s", c->name,
			       c->options[i].name, c->options[i].name,
			       c->options[i].values ? c->options[i].values : "...");
	value_len = len - name_len - 1;
	if (c->options[i].values && !is_choice(c->options[i].values, eq + 1, value_len)) {
		nearest_begin(&n, eq + 1, value_len);
		nearest_try_choices(&n, c->options[i].values);
		return err_set(e, "--table %s: option %s: expected %s, got '%.*s'%s", c->name,
			       c->options[i].name, c->options[i].values, (int)value_len, eq + 1,
			       nearest_hint(&n));
	}
	free((char *)spec->option[i]);
	spec->option[i] = xasprintf("%.*s", (int)value_len, eq + 1);
	return 0;
}

static bool is_listed(const struct table_class *list, const struct table_class *c)
{
	while (list && list != c)
		list = list->next;
	return list;
}

/* The class of the object at this path, listed like those that are built in, or NULL. */
static const struct table_class *plugin_class(const char *path, struct err *e)
{
	struct table_class *c = plugin_load(path, e);

	if (!c || is_listed(classes, c) || is_listed(absent_here, c))
		return c;
	if (find_class(c->name, strlen(c->name)) || why_absent(c->name, strlen(c->name))) {
		err_set(e, "--table %s: registers a table named '%s', which exists: rename it",
			path, c->name);
		return NULL;
	}
	list_class(c);
	return c;
}

/* The class that a spec begins with; *len: of what names it. Or NULL. */
static const struct table_class *class_of_spec(const char *text, size_t *len, struct err *e)
{
	const struct table_class *c;
	char *path;

	*len = plugin_path_len(text);
	if (*len) {
		path = xasprintf("%.*s", (int)*len, text);
		c = plugin_class(path, e);
		free(path);
		return c;
	}
	*len = strcspn(text, ":");
	c = find_class(text, *len);
	if (!c)
		no_such_table(text, *len, e);
	return c;
}

const char *table_spec_absent(const char *text)
{
	const struct table_class *c;
	struct err e;
	size_t len;

	if (!plugin_path_len(text))
		return why_absent(text, strcspn(text, ":"));
	c = class_of_spec(text, &len, &e);
	return c && c->absent ? c->absent() : NULL;
}

int table_spec_parse(const char *text, struct table_spec *s, struct err *e)
{
	size_t len;

	memset(s, 0, sizeof(*s));
	s->class = class_of_spec(text, &len, e);
	if (!s->class)
		return -1;
	if (is_listed(absent_here, s->class))
		return err_set(e, "--table %.*s: %s", (int)len, text, s->class->absent());
	for (int i = 0; i < MAX_TABLE_OPTIONS && s->class->options[i].name; i++)
		s->option[i] = xstrdup(s->class->options[i].dflt);
	for (text += len; *text; text += len) {
		text++;
		len = strcspn(text, ",");
		if (set_option(s, text, len, e)) {
			table_spec_free(s);
			return -1;
		}
	}
	return 0;
}

void table_spec_free(struct table_spec *s)
{
	for (int i = 0; i < MAX_TABLE_OPTIONS; i++) {
		free((char *)s->option[i]);
		s->option[i] = NULL;
	}
}

/* "a=1" and then "a=1;b=2". Takes the text. */
static char *add_option(char *text, const char *name, const char *value)
{
	char *more = xasprintf("%s%s%s=%s", text, *text ? ";" : "", name, value);

	free(text);
	return more;
}

char *table_spec_options(const struct table_spec *s)
{
	const char *origin = plugin_origin(s->class);
	char *text = xstrdup("");

	for (int i = 0; i < MAX_TABLE_OPTIONS && s->class->options[i].name; i++)
		text = add_option(text, s->class->options[i].name, s->option[i]);
	return origin ? add_option(text, "plugin", origin) : text;
}

const char *table_spec_option(const struct table_spec *s, const char *name)
{
	int i = option_index(s->class, name, strlen(name));

	return i < 0 ? NULL : s->option[i];
}

static enum refresh refresh_of(const struct table_spec *s)
{
	static const char *const names[] = { "always", "stale", "cas", "never" };
	const char *value = table_spec_option(s, "refresh");

	for (unsigned i = 0; value && i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], value))
			return (enum refresh)i;
	return REFRESH_NEVER;
}

unsigned table_spec_sig_bits(const struct table_spec *s)
{
	const char *value = table_spec_option(s, "sig");
	uint64_t bits;

	return value && !parse_u64(value, 1, 64, &bits) ? (unsigned)bits : s->class->sig_bits;
}

static bool option_is(const struct table_spec *s, const char *name, const char *value)
{
	const char *set = table_spec_option(s, name);

	return set && !strcmp(set, value);
}

/* What the options that many tables have in common amount to. */
static void settle_options(struct table *t, const struct table_spec *s)
{
	unsigned bits = table_spec_sig_bits(s);

	t->sig_mask = bits < 64 ? (1ull << bits) - 1 : UINT64_MAX;
	/* As long as they fit, a key's line and its signature have no bit in common. */
	t->fraction_mask = bits <= 32 ? ~t->sig_mask : UINT64_MAX;
	t->mulhi = option_is(s, "index", "mulhi");
	t->mate_ply = option_is(s, "mate", "ply");
}

const char *table_spec_lacks(const struct table_spec *s)
{
	return s->class->lacks ? s->class->lacks(s->option) : NULL;
}

/* What a table must have made of itself: the first that is not there, or NULL. */
static const char *what_loops_lack(const struct table_loops *l)
{
	if (!l)
		return "loops";
	if (!l->ops)
		return "single operations in its loops (see tables/single.h)";
	if (!l->find || !l->walk || !l->clear_live || !l->online || !l->offline)
		return "find, walk, clear_live, online or offline in its loops";
	for (unsigned k = 0; k <= NR_KINDS; k++)
		for (unsigned c = 0; c < NR_CALLERS; c++)
			if (!l->run[k][c] || !l->audit[k])
				return "loops for each kind, caller and audit";
	return NULL;
}

int table_create(const struct table_spec *s, struct table_params *p, struct table **out,
		 struct err *e)
{
	const struct table_class *class = s->class;
	const char *why = table_spec_lacks(s), *lacks;
	struct table *t;

	if (why)
		return err_set(e, "--table %s: option %s", class->name, why);
	if (!(class->kinds & 1u << p->kind))
		return err_set(e,
			       "--table %s: holds no entries of kind %s (see tearline tables)",
			       class->name, kind_names[p->kind]);
	if (!p->size.bytes && !p->size.entries)
		class = find_class("null", strlen("null"));
	t = aligned_alloc(128, sizeof(*t));
	if (!t)
		return err_set(e, "out of memory");
	memset(t, 0, sizeof(*t));
	t->class = class;
	t->kind = p->kind;
	t->mate = p->mate;
	/* Only tt has generations: other kinds are overwritten whatever their age. */
	t->refresh = p->kind == KIND_TT ? refresh_of(s) : REFRESH_NEVER;
	settle_options(t, s);
	memcpy(p->option, s->option, sizeof(p->option));
	*e->text = '\0';
	if (class->create(t, p, e)) {
		free(t);
		return *e->text
			       ? -1
			       : err_set(e, "--table %s: its create fails and does not say why",
					 class->name);
	}
	lacks = what_loops_lack(t->loops);
	if (lacks) {
		table_destroy(t);
		return err_set(e, "--table %s: its create sets no %s", class->name, lacks);
	}
	*out = t;
	return 0;
}

void table_destroy(struct table *t)
{
	if (!t)
		return;
	if (t->class->destroy)
		t->class->destroy(t);
	mem_unmap(&t->side);
	mem_unmap(&t->mem);
	free(t);
}
