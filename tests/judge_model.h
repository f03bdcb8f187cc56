/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * judge_model - one line, a few operations on it, every interleaving of their accesses
 *
 * A model small enough to go through completely: a line of two or three slots, up to three
 * threads with four operations in all, and one more thread that looks for the key K. Each
 * access of a word is a step, and so is each stamp (judge.h). Words are one byte: which
 * entry they were written as part of.
 *
 * Where an operation writes is part of the program, not the outcome of a policy: so every
 * victim and every copy a policy could choose is covered, whatever its reasons are. What a
 * store *found* is the outcome of its own scan. `kv` paths are those whose victims obey the
 * rule of that kind; they are a part of the free ones.
 *
 * Steps that no other thread can tell the time of are taken at once, in any order. Coarse
 * programs merge histories that agree in which operation ended before which one began, and
 * which ended before the re-probe did: the rules tell no more, and there are far fewer.
 *
 * Accesses are in program order and sequentially consistent. That covers x86: a stamp is a
 * full barrier, and between two stamps an operation reads before it writes.
 */
#ifndef TEARLINE_TESTS_JUDGE_MODEL_H
#define TEARLINE_TESTS_JUDGE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "judge.h"

#define MODEL_SLOTS 3
#define MODEL_THREADS 3
#define MODEL_OPS 4
#define MODEL_STEPS 32 /* of a thread */

/* Keys. Entries are bytes: 0 empty, else key, number << 2, and whether it was refreshed. */
enum { NO_KEY, KEY_K, KEY_J, KEY_L };
#define ENTRY(key, nr) ((uint8_t)((key) | (nr) << 2))
#define ENTRY_FRESH 0x40
#define entry_key(e) ((e)&3)
#define entry_of_op(key, i) ENTRY(key, 8 + (i))

enum scheme {
	SCHEME_XOR, /* two words; the signature also names the data */
	SCHEME_ALIAS, /* likewise, but so few bits of the key that J's entry passes for K's */
	SCHEME_UNSYNC, /* two words; the signature is the key alone */
	SCHEME_ATOMIC, /* both words in one access */
	SCHEME_LINE, /* each operation in one step */
	NR_SCHEMES
};

extern const char *const model_scheme_name[];

static inline bool scheme_has_words(enum scheme s)
{
	return s < SCHEME_ATOMIC;
}

/* Of kv, whose probes never write, there is nothing that an alias could do. */
static inline bool scheme_fits(enum scheme s, bool kv)
{
	return s != SCHEME_ALIAS || !kv;
}

enum model_op_type { OP_STORE, OP_REFRESH, OP_CLEAR };
/* Rewrite blindly what was read, as it is or made fresh; or only over what was read. */
enum model_refresh { REWRITE_SAME, REWRITE_FRESH, REWRITE_CHECKED };

struct model_op {
	uint8_t thread, type, key, refresh;
	int8_t victim, bump_to; /* as in struct witness_op */
};

/* What the thread does that looks for K. */
enum looker {
	LOOK_GAP, /* its probe is an instant at which K is not resident, if there is one */
	LOOK_PROBE, /* its probe reads slot after slot, and must miss */
	LOOK_READ, /* it only reads all slots, once */
};

struct program {
	enum scheme scheme;
	enum looker looker;
	unsigned nr_slots, nr_ops, nr_threads;
	bool data_first; /* readers; else the signature */
	bool put_sig_first; /* writers; else the data */
	bool kv; /* victims obey the rule of the kind */
	bool coarse; /* stamps: see below */
	uint8_t start[2 * MODEL_SLOTS]; /* signature, data, ... */
	struct model_op op[MODEL_OPS + 2]; /* what follows nr_ops is the looker's */
};

/* Slots are bits of a mask. */
struct step {
	uint8_t kind, op, slot;
	uint8_t reads, writes;
	uint8_t reads_from_here, writes_from_here; /* of its thread, to the end */
};

/* A program taken apart. The last thread is the one that looks. */
struct compiled {
	const struct program *p;
	struct step step[MODEL_THREADS + 1][MODEL_STEPS + 1];
	unsigned nr_steps[MODEL_THREADS + 1];
	/* Steps of an operation's thread: its first and its last write. */
	uint8_t first_write[MODEL_OPS], last_write[MODEL_OPS];
};

union model_state {
	struct {
		uint8_t mem[2 * MODEL_SLOTS];
		uint8_t pc[MODEL_THREADS + 1];
		uint8_t tmp[MODEL_THREADS][MODEL_SLOTS];
		uint8_t look_tmp, hit; /* the words of the first authentic hit */
		/* slots found; << 4 kv: empty slots, a refresh: those authentic for its key */
		uint8_t out[MODEL_OPS];
		uint8_t stamp[(MODEL_OPS + 2) * 2 / 2]; /* nibbles, 0: not taken */
		uint8_t hit_slot : 2; /* + 1 */
		uint8_t absent : 1; /* K was, at some instant of the probe */
		uint8_t used : 1; /* always: no state is all zero */
		uint8_t seen : 4; /* operations whose entries the read found */
	};
	uint64_t word[4];
};
_Static_assert(sizeof(union model_state) == 32, "a state is 4 words");

void model_compile(struct compiled *c, const struct program *p);
void model_begin(const struct compiled *c, union model_state *s);
/* One step of a thread, then all that nobody else can tell the time of; false: impossible. */
bool model_step(const struct compiled *c, union model_state *s, unsigned thread);
bool model_resident(const struct compiled *c, const union model_state *s);
bool model_done(const struct compiled *c, const union model_state *s, unsigned thread);
/* Is its next step the start of an operation? */
bool model_at_start(const struct compiled *c, const union model_state *s, unsigned thread);

/* What the witness would hand over. Outcomes of what is under way are made up. */
unsigned model_witness(const struct compiled *c, const union model_state *s,
		       struct witness_op *op);
struct missed model_missed(const struct compiled *c, const union model_state *s);

/* The program, and one way through it: a thread per step. */
void model_print(const struct compiled *c, const uint8_t *path, unsigned nr);

#endif
