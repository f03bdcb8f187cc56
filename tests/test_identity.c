// SPDX-License-Identifier: BSD-2-Clause
/*
 * Every line-based table against the plain model: a whole recorded trace, operation by
 * operation, for every kind it holds, several sizes and every refresh option; then the
 * contents of every slot. argv: a table's spec, a trace.
 */
#include "contract.h"
#include "fixture.h"
#include "trace.h"
#include "traffic.h"

static unsigned failures;

static void replay_sizes(const char *spec, enum kind k, const struct traffic *t)
{
	static const uint64_t entries[] = { 1, 64, 5000, 65536 };
	struct err e;

	for (size_t i = 0; i < ARRAY_SIZE(entries); i++)
		if (contract_identity(spec, k, entries[i], &t->stream[0], t->mate, &e)) {
			fprintf(stderr, "%s, kind %s, %ju entries: %s\n", spec, kind_names[k],
				(uintmax_t)entries[i], e.text);
			failures++;
		}
}

/*
 * "xor" and "refresh=never": "xor:refresh=never". Of several options those that the table
 * has; NULL if it has none of them.
 */
static char *with_options(const char *spec, const char *options)
{
	char *text = xstrdup(spec);
	bool any = !*options;

	for (size_t len; *options; options += len + (options[len] == ',')) {
		const char *sep = strchr(text, ':') ? "," : ":";
		struct table_spec parsed;
		struct err e;
		char *more;

		len = strcspn(options, ",");
		more = xasprintf("%s%s%.*s", text, sep, (int)len, options);
		if (table_spec_parse(more, &parsed, &e)) {
			free(more);
			continue;
		}
		table_spec_free(&parsed);
		free(text);
		text = more;
		any = true;
	}
	if (any)
		return text;
	free(text);
	return NULL;
}

/* Every refresh option, which is about tt only; and what else makes a layout class. */
static const struct {
	const char *options;
	bool tt_only;
} classes[] = {
	{ "", false },
	{ "refresh=stale", true },
	{ "refresh=cas", true },
	{ "refresh=never", true },
	{ "sig=16,index=mulhi", false },
	{ "sig=32,mate=ply", true },
	{ "sig=48,index=mulhi,mate=ply", false },
};

static void replay_kinds(const char *spec, const struct table_class *class, bool tt_only,
			 const struct trace *trace, const struct traffic *kv)
{
	struct dealing d = { .threads = 1, .clears = CLEARS_DROP };
	struct traffic *t;
	struct err e;

	for (enum kind k = 0; k < NR_KINDS; k++) {
		if (!(class->kinds & 1u << k) || (k != KIND_TT && tt_only))
			continue;
		if (k == KIND_KV) {
			replay_sizes(spec, k, kv);
			continue;
		}
		d.kinds = 1u << k;
		if (traffic_from_trace(trace, &d, &t, &e))
			continue; /* this engine has no such table */
		replay_sizes(spec, k, t);
		traffic_free(t);
	}
}

int main(int argc, char **argv)
{
	struct table_size small = { .entries = 4096 };
	struct table_spec parsed;
	struct traffic *kv;
	struct trace *trace;
	struct err e;
	int status = 0;

	if (argc != 3)
		return 1;
	fixture_needs(argv[1]);
	if (table_spec_parse(argv[1], &parsed, &e) || trace_read(argv[2], &trace, &e) ||
	    traffic_from_workload("uniform:store=50", &small, 1, 7, &kv, &e))
		fixture_die(&e);
	if (!parsed.class->lines) {
		printf("skipped: %s is not made of lines\n", argv[1]);
		status = 77;
		goto out;
	}
	for (size_t i = 0; i < ARRAY_SIZE(classes); i++) {
		char *spec = with_options(argv[1], classes[i].options);

		if (!spec)
			continue;
		replay_kinds(spec, parsed.class, classes[i].tt_only, trace, kv);
		free(spec);
	}
	if (!failures)
		printf("%s: identical to the model\n", argv[1]);
out:
	traffic_free(kv);
	trace_free(trace);
	table_spec_free(&parsed);
	return status ? status : failures != 0;
}
