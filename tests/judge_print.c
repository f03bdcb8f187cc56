// SPDX-License-Identifier: BSD-2-Clause
/* judge_print - a program and one way through it, for whoever must understand a failure. */
#include <stdio.h>
#include <string.h>

#include "judge_step.h"

static const char *const step_name[] = {
	[STEP_START] = "start",
	[STEP_END] = "end",
	[STEP_LOAD] = "load first word",
	[STEP_CHECK] = "load second word",
	[STEP_CHECK_PAIR] = "load",
	[STEP_CHOOSE] = "choose",
	[STEP_COPY_DATA] = "copy data",
	[STEP_COPY_SIG] = "copy sig",
	[STEP_COPY_PAIR] = "copy",
	[STEP_PASTE_DATA] = "paste data",
	[STEP_PASTE_SIG] = "paste sig",
	[STEP_PASTE_PAIR] = "paste",
	[STEP_PUT_DATA] = "put data",
	[STEP_PUT_SIG] = "put sig",
	[STEP_PUT_PAIR] = "put",
	[STEP_AGAIN_DATA] = "rewrite data",
	[STEP_AGAIN_SIG] = "rewrite sig",
	[STEP_AGAIN_PAIR] = "rewrite",
	[STEP_CAS_DATA] = "cas data",
	[STEP_CAS_SIG] = "cas sig",
	[STEP_CAS_PAIR] = "cas",
	[STEP_ZERO_DATA] = "zero data",
	[STEP_ZERO_SIG] = "zero sig",
	[STEP_ZERO_PAIR] = "zero",
	[STEP_LINE_STORE] = "whole store",
	[STEP_LINE_REFRESH] = "whole refresh",
	[STEP_LINE_SCAN] = "whole scan",
	[STEP_LINE_AGAIN] = "rewrite all found",
	[STEP_LINE_CLEAR] = "whole clear",
	[STEP_LINE_READ] = "whole read",
	[STEP_GAP] = "K is not there",
};

const char *const model_scheme_name[] = { "xor", "alias", "unsync", "atomic", "line" };

static const char *entry_text(uint8_t e, char *text)
{
	static const char key[] = "-KJL";

	if (!e)
		return "-";
	sprintf(text, "%c%u%s", key[entry_key(e)], e >> 2 & 15, e & ENTRY_FRESH ? "'" : "");
	return text;
}

static void print_line(const struct program *p, const uint8_t *mem)
{
	char a[8], b[8];

	printf("[");
	for (unsigned i = 0; i < p->nr_slots; i++)
		printf("%s%s:%s", i ? " " : "", entry_text(mem[2 * i], a),
		       entry_text(mem[2 * i + 1], b));
	printf("]");
}

static void print_op(const struct model_op *op)
{
	static const char key[] = "-KJL";
	static const char *const how[] = { "as it is", "fresh", "checked" };

	printf("  thread %u: ", op->thread);
	if (op->type == OP_CLEAR)
		printf("clear\n");
	else if (op->type == OP_REFRESH)
		printf("refresh %c, %s\n", key[op->key], how[op->refresh]);
	else if (op->victim < 0)
		printf("store %c, but keep what is there\n", key[op->key]);
	else if (op->bump_to >= 0)
		printf("store %c to %d, copied to %d\n", key[op->key], op->victim, op->bump_to);
	else
		printf("store %c to %d\n", key[op->key], op->victim);
}

static void print_steps(const struct compiled *c, unsigned thread, unsigned from, unsigned to)
{
	for (; from < to; from++) {
		const struct step *st = &c->step[thread][from];

		printf("  %u: %s", thread, step_name[st->kind]);
		if (st->reads || st->writes)
			printf(" %u", st->slot);
	}
}

void model_print(const struct compiled *c, const uint8_t *path, unsigned nr)
{
	const struct program *p = c->p;
	union model_state s;

	printf("%s%s, %s read first, %s written first, slots sig:data ",
	       model_scheme_name[p->scheme], p->kv ? " kv" : "", p->data_first ? "data" : "sig",
	       p->put_sig_first ? "sig" : "data");
	print_line(p, p->start);
	printf("\n");
	for (unsigned i = 0; i < p->nr_ops; i++)
		print_op(&p->op[i]);
	model_begin(c, &s);
	for (unsigned i = 0; i < nr; i++) {
		union model_state was = s;

		model_step(c, &s, path[i]);
		print_steps(c, path[i], was.pc[path[i]], s.pc[path[i]]);
		for (unsigned t = 0; t <= p->nr_threads; t++)
			if (t != path[i])
				print_steps(c, t, was.pc[t], s.pc[t]);
		if (memcmp(was.mem, s.mem, sizeof(s.mem))) {
			printf("\t");
			print_line(p, s.mem);
		}
		printf("\n");
	}
}
