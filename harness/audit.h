/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * audit - does a table ever return what nobody stored, or forget what it must know?
 *
 * The audited loops stamp what they store (stamp.h), check every slot that verified, tell
 * a witness what they did to which line (witness.h), ask a judge what a miss, a hit and a
 * store amount to (judge.h), and walk the table at rest. On workloads that only update,
 * exact mode also decides every miss: all threads stop, and the key is looked up again.
 *
 * Soundness: a word is called torn only if no store of the probed key wrote it and no
 * key of this run with the same line and signature did; a miss is called false only if
 * the key was resident all along, which the judge proves, or, in exact mode, if the key,
 * which nothing may evict, is found as soon as everybody stands still and no store meanwhile
 * had found it gone. An answer is called wrong if it is not what the entries say from which the
 * table says it is. What the table tells the witness (which slot it wrote, what it
 * copied) and what its find() shows are taken for true; find() and probe() must agree where
 * nobody writes, or contradict each other.
 *
 * A table of one's own calls, in its probe and store, where `audit` is true:
 *   audit_enter()                before the first access to a line
 *   audit_stamp(), audit_holds() a store: stamp the words; which slots hold its key
 *   audit_again()                a store that starts over, because it met another one
 *   audit_stored()               after the last access of a store
 *   audit_probed(), then audit_hit() for each slot that verified, or audit_missed()
 *   audit_cleared()              in a live clear, after each line
 *
 * Between the two stamps of a probe or store it touches one line, which the witness was told,
 * and a probe writes nothing but refreshes: one that removes an entry, or moves
 * it to another line, is not seen, and what it removed is called lost.
 */
#ifndef TEARLINE_AUDIT_H
#define TEARLINE_AUDIT_H

#include "stamp.h"
#include "table.h"
#include "witness.h"

_Static_assert(MAX_SLOTS <= WITNESS_SLOTS, "slots are bits of a witness's mask");

struct exact;

/* Every distinct key the run may store, by kind; sorted, so lines are contiguous. */
struct key_set {
	uint64_t *key;
	size_t nr;
};

struct audit {
	uint64_t seed;
	struct key_set keys[NR_KINDS];
	unsigned sig_bits; /* of the table's signature, 64: whole keys */
	struct witness *witness[NR_KINDS]; /* NULL: only what is returned or left is checked */
	unsigned threads;
	bool own_serials; /* a store brings its serial as its move: see traffic.h */
	struct exact *exact; /* NULL but on a workload that only updates */
};

/* Faults at rest, of one table. */
struct rest_faults {
	uint64_t unusable_slots;
	uint64_t duplicate_keys; /* kv */
	uint64_t lost_stores; /* last of their line, and not in it */
	uint64_t slots, distinct; /* authentic slots; distinct keys among them */
};

static __always_inline bool kind_is_wide(enum kind kind)
{
	return kind == KIND_KV;
}

/* The seed of a run's authenticators. Workloads that forge keys know it too. */
static inline uint64_t audit_seed(uint64_t seed)
{
	return mix64(seed ^ 0x7465617261756474ull);
}

static __always_inline unsigned audit_words(enum kind kind)
{
	return kind == KIND_PAWN ? MAX_ENTRY_WORDS : 1;
}

/*
 * What stands for a key in the stamps of an epoch: whatever a clear at which all threads met
 * has left behind is not taken for an entry of now. (Keys that were built from their stamps
 * know of one epoch only.)
 */
static __always_inline uint64_t audit_auth(const struct audit *a, uint32_t epoch, uint64_t key)
{
	return stamp_auth(a->own_serials ? a->seed : a->seed + epoch, key);
}

/* Returns the serial, for audited.op. */
static __always_inline uint32_t audit_stamp(struct worker *w, const enum kind kind,
					    const struct trace_op *op, uint64_t key,
					    uint64_t *word)
{
	/* No two threads use the same serial, as long as it lasts. */
	uint32_t serial =
		w->audit->own_serials ? op->move : w->serial++ * w->audit->threads + w->id;

	stamp_entry(word, audit_words(kind), kind_is_wide(kind),
		    audit_auth(w->audit, w->epoch, key), serial);
	return serial;
}

/* Are these the words of one store of the key? */
static __always_inline bool audit_holds(const struct worker *w, const enum kind kind,
					uint64_t key, const uint64_t *word)
{
	return stamp_authentic(word, audit_words(kind), kind_is_wide(kind),
			       audit_auth(w->audit, w->epoch, key));
}

/* The words verified for the key: are they its own (true), or torn, another key's, or left
 * from before a clear? */
bool audit_check(struct worker *w, const struct table *t, uint64_t key, const uint64_t *word,
		 struct counts *n);

/* An operation between its two stamps; the table fills in what came of it. */
struct audited {
	struct witness_op op;
	struct witness_mark mark;
};

/* Before the first access. `line`: whatever an operation of this key can touch. */
void audit_enter(struct worker *w, const struct table *t, enum witness_type type, uint64_t line,
		 uint64_t key, struct audited *a);
/* After the last; of a->op, held, victim, bump_to and serial are set. */
void audit_stored(struct worker *w, struct table *t, struct audited *a, struct counts *n);
/*
 * An attempt to store came to nothing but perhaps a copy in slot bumped_to (-1: not even that); the
 * next is an operation of its own, of the same key, and of the same serial or stamped anew.
 */
void audit_again(struct worker *w, struct table *t, struct audited *a, int bumped_to,
		 struct counts *n);
/* As audit_stored(), with refreshed set, and held: those of the refreshed slots that hold the
 * key's own words. */
void audit_probed(struct audited *a, struct counts *n);
/* After a line's live clear. */
void audit_cleared(struct audited *a);
/* The slot verified for the key, and the answer is made of these words, among others. */
void audit_hit(struct worker *w, const struct table *t, const struct audited *a, unsigned slot,
	       const uint64_t *word, struct counts *n);
/* None did. */
void audit_missed(struct worker *w, struct table *t, const struct audited *a, struct counts *n);

/* Does a single probe of the table find the key? Counted nowhere. */
bool audit_asks(struct worker *w, struct table *t, uint64_t key);

/* Exact mode's point of rest, and its list of keys that are out of the count. */
bool exact_admits(struct worker *w, uint64_t key);
/* A store found the key gone, and has brought it back. */
void exact_restored(struct worker *w, uint64_t key);
/*
 * Exact mode decides, and keeps the judge's score. proved: the judge called the miss false,
 * having looked again by this mark; else NULL.
 */
void exact_missed(struct worker *w, struct table *t, uint64_t key,
		  const struct witness_mark *proved, struct counts *n);

static __always_inline bool audit_admits(struct worker *w, const enum kind kind, uint64_t key)
{
	return kind != KIND_KV || !w->audit->exact || exact_admits(w, key);
}

/* Build the sorted set of keys; keys may repeat. Takes the array over. */
void key_set_make(struct key_set *s, uint64_t *key, size_t nr);

/*
 * After the join: walk a table and judge every slot; look for the last store of each line.
 * w: any of the run's nr workers, with what they have counted.
 */
void audit_rest(const struct audit *a, struct table *t, struct worker *const *w, unsigned nr,
		struct rest_faults *out);

/*
 * Exact mode: every key of `keys` is preloaded, stores only update. A thread enters before
 * any other can be at work, and leaves as soon as it has done its own: whoever waits
 * elsewhere, at a meeting say, must not be waited for.
 */
struct exact *exact_create(const struct key_set *keys);
void exact_enter(struct exact *x);
void exact_leave(struct exact *x);
void exact_free(struct exact *x);
/* Sums after the join. */
uint64_t exact_false_misses(const struct exact *x);
uint64_t exact_lost_stores(const struct exact *x);
/* Of the false misses, those that the judge had proved; and what it called false where the
 * key was gone, though nobody had touched the line since: it never may. */
uint64_t exact_proved(const struct exact *x);
uint64_t exact_overclaimed(const struct exact *x);

/* Chance that one torn entry of this kind passes the check. */
double audit_undetected(enum kind kind);

#endif
