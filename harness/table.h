/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * table - the contract between the driver and every table
 *
 * A table is one file, in tables/ or of a shared object, that fills a struct table_class and
 * registers it.
 * The class holds what is cold: names, options, creation, clearing, walking. What is
 * measured are the replay loops, stamped out per table by tables/replay.h: the driver
 * calls one per chunk of operations, and nothing in it is called through a pointer. Programs
 * that use a table rather than measure it do one operation at a time: struct table_ops.
 *
 * Life of a table: create, [thread_enter by each thread], clear by all threads in
 * parallel, replay, walk and find at rest, destroy.
 */
#ifndef TEARLINE_TABLE_H
#define TEARLINE_TABLE_H

#include <stddef.h>
#include <string.h>

#include "atomic.h"
#include "mem.h"
#include "trace.h"

/* What a table promises about answers to concurrent callers. */
#define PROMISE_NO_TEAR 0x1u /* a hit returns words that one store of the key wrote */
#define PROMISE_NO_FALSE_MISS 0x2u /* a key that is resident is found; no store is lost */
/* NO_TEAR is only as good as the keys: ones built for it make the table accept a word that
 * nobody stored under them. */
#define PROMISE_HONEST_KEYS 0x4u
/* NO_TEAR rests on a check of the signature's bits and no more: of 2^sig_bits torn entries
 * that are met one passes. */
#define PROMISE_SHORT_CHECK 0x8u
/* Said, and not forgotten: none of the others. */
#define PROMISE_NOTHING 0x10u

/* Faults an audit can count, as bits: what a control must show. */
enum fault {
	FAULT_TORN,
	FAULT_WRONG_KEY,
	FAULT_FALSE_MISS,
	FAULT_STALE,
	FAULT_LOST,
	FAULT_UNUSABLE,
	FAULT_DUPLICATE,
	FAULT_WRONG_ANSWER,
	FAULT_GHOST,
	FAULT_DEAD_PAIR,
	FAULT_CONTRADICTION,
	NR_FAULTS
};
/* "torn_reads", as the CSV calls them. */
extern const char *const fault_names[NR_FAULTS];

/* Rewrite a matched tt entry with the current generation? */
enum refresh { REFRESH_ALWAYS, REFRESH_STALE, REFRESH_CAS, REFRESH_NEVER };
#define REFRESH_CHOICES "always|stale|cas|never"

/* What the measured code does with an answer. */
enum caller { CALLER_BATCH, CALLER_BRANCH, CALLER_CHAIN, NR_CALLERS };
#define CALLER_CHOICES "batch|branch|chain"

#define MAX_ENTRY_WORDS 7
#define MAX_SLOTS 4 /* of a line */
#define MAX_LOOKAHEAD 64

/* Counted in locals of the loops, per thread and kind, and summed after the join. */
struct counts {
	uint64_t probes, stores;
	uint64_t hits, matches; /* probes with a match; entries that matched */
	uint64_t usable[8]; /* by bound: TT_EXACT, TT_LOWER, TT_UPPER */
	uint64_t stored[8]; /* likewise; dropped ones included */
	uint64_t drops, bumps, refreshes;
	uint64_t torn, wrong_key, wrong_answers, contradictions; /* audit: see audit.h */
	uint64_t false_misses, possible, stale, lost, ghosts, dead_pairs; /* audit: see judge.h */
	uint64_t on_its_word; /* audit: false misses proved by what a second look found */
	uint64_t contended_probes, contended_stores; /* audit: exposure */
	uint64_t skipped; /* audit: operations on keys that are out of the count */
};
void counts_add(struct counts *sum, const struct counts *c);

struct audit;
struct table;
struct line_shape;

/* One replaying thread, on cache lines of its own. */
struct worker {
	struct counts n[NR_KINDS];
	unsigned id; /* 0, 1, ... */
	unsigned lookahead; /* prefetch the line of the Nth operation ahead; 0 none */
	uint64_t zero; /* 0, which the compiler doesn't know: links a chain of keys */
	uint64_t sink; /* results end here, so that they are computed */
	void *priv[NR_KINDS]; /* a table's own per thread: lock nodes, ... */
	struct audit *audit; /* NULL in throughput runs */
	uint32_t serial; /* audit: stores stamped so far */
	uint64_t jitter; /* audit: state of its random delays */
	uint32_t epoch; /* audit: clears at which all threads met */
	struct lost_store *lost; /* audit: those it counted; nr_lost */
	size_t nr_lost;
	uint32_t restored; /* audit: see exact.c */
	unsigned nr_given; /* audit: entries that the answer of a probe is made of */
	uint64_t given[MAX_SLOTS][MAX_ENTRY_WORDS];
	/* audit: operations begun, and lines of a live clear; a watchdog looks at it */
	atomic_word begun;
} __attribute__((aligned(128)));

/* Of this thread alone: no add that locks the bus. */
static inline void worker_begins(struct worker *w)
{
	WRITE_ONCE64(&w->begun, READ_ONCE64(&w->begun) + 1);
}

typedef void table_replay_fn(struct table *const *by_kind, struct worker *w,
			     const struct trace_op *op, size_t nr);

/* One slot at rest, as walk sees it. */
struct slot_view {
	uint64_t line; /* index of the line */
	unsigned slot;
	uint64_t sig; /* the signature it decodes to: what a probe would compare */
	const uint64_t *word;
	unsigned nr_words;
};
/* Called for every slot that is not empty. */
typedef void table_walk_fn(void *arg, const struct slot_view *v);

/*
 * What one probe is answered, a copy of its own. tt: `value` and `bound` with a usable bound
 * only (bound is TT_EXACT, TT_LOWER, TT_UPPER of tables/policy.h, or 0), the others with any
 * hit. Other kinds: the words that were stored.
 */
struct table_answer {
	bool hit;
	bool threat, avoid_null;
	uint8_t bound;
	uint8_t depth; /* of the deepest entry of the key */
	int16_t value;
	uint32_t move;
	uint64_t word[MAX_ENTRY_WORDS];
};

/* Bits of an entry's first word that are the table's own: they say that a place is taken. A
 * caller's words are stored without them. */
static inline uint64_t table_bits(enum kind kind)
{
	return kind == KIND_KV ? 1ull << 63 : 7ull << 40;
}

/*
 * One operation at a time on a table of one kind: the same code as in the loops, called
 * through a pointer. `op` is as in a trace (a probe's alpha is its value, an unknown ply is
 * TRACE_PLY_UNKNOWN); of a kind other than tt its key alone is asked, and a store writes
 * `word`, which tt does not look at. They count in w->n[t->kind].
 *
 * The thread has entered the table (thread_enter), is online (struct table_loops) and has its
 * worker to itself.
 */
struct table_ops {
	void (*probe)(struct table *t, struct worker *w, const struct trace_op *op,
		      struct table_answer *a);
	void (*store)(struct table *t, struct worker *w, const struct trace_op *op,
		      const uint64_t *word);
	/* Begin to bring what an operation on the key will touch into the cache. */
	void (*prefetch)(const struct table *t, uint64_t key);
};

/*
 * What is stamped out for one variant of a table: the measured loops, by kind or for a
 * mix of kinds, plain or audited, and beside them functions out of line.
 */
#define LOOP_MIXED NR_KINDS
struct table_loops {
	const struct line_shape *shape; /* line tables: see tables/line.h */
	table_replay_fn *run[NR_KINDS + 1][NR_CALLERS];
	table_replay_fn *audit[NR_KINDS + 1];
	/* All slots that verify for the key, as a mask; copied to word[slot], counted nowhere. */
	unsigned (*find)(struct table *t, struct worker *w, uint64_t key,
			 uint64_t word[][MAX_ENTRY_WORDS]);
	/* At rest: every slot that is not empty. */
	void (*walk)(struct table *t, table_walk_fn *fn, void *arg);
	/* Make it empty amid traffic, the generation too; more than one thread may be at it. */
	void (*clear_live)(struct table *t, struct worker *w);
	const struct table_ops *ops; /* by kind */
	/*
	 * Around the single operations of a thread. What others have replaced can be used
	 * again only when every thread that was online has been offline since: a thread goes
	 * through table_pause() every thousand operations or so, and is offline where it
	 * waits for others.
	 */
	void (*online)(struct table *t, struct worker *w);
	void (*offline)(struct table *t, struct worker *w);
};

/* A table's option: "lock=cas". values is a "a|b|c" list, or NULL for free text. */
struct table_option {
	const char *name, *values, *dflt, *help;
};
#define MAX_TABLE_OPTIONS 8

struct table_size {
	uint64_t bytes; /* of entries; 0 if entries is given */
	uint64_t entries;
};

/*
 * Bits of a signature that tell keys of one line apart: those that also choose the line are
 * the same for all of them.
 */
unsigned table_sig_counts(const struct table *t);
/* Lines of the usual shape for this kind and size: a power of two, at least one. */
uint64_t table_lines(enum kind kind, const struct table_size *size);
/* The line of a key, and the keys of a line: from first to last. */
uint64_t line_number(const struct table *t, uint64_t key);
void line_keys(const struct table *t, uint64_t line, uint64_t *first, uint64_t *last);

struct table_params {
	enum kind kind;
	struct table_size size;
	const char *size_text; /* as the user wrote it, for messages */
	enum mem_pages pages;
	unsigned threads; /* that will enter at the same time */
	int mate;
	const char *option[MAX_TABLE_OPTIONS]; /* values, in the order of class->options */
};

/* How a table that is broken on purpose is caught. */
struct control {
	const char *workload; /* as --workload takes it */
	unsigned threads; /* 1: it takes no race, one CPU will do */
	unsigned shows; /* 1 << enum fault: at least these */
	const char *planted; /* the fault, in a few words */
	bool witness; /* its faults are the judge's to find; without, threads meet more often */
};

struct table_class {
	const char *name;
	const char *summary; /* one line, for someone choosing */
	const char *reference; /* paper or code it follows */
	const char *probe_progress, *store_progress; /* wait-free, lock-free, blocking */
	const char *probe_writes; /* to shared memory, beside refreshes: "nothing", "a lock" */
	const char *memory; /* per entry: "16 bytes" */
	uint32_t promises; /* PROMISE_*, at least PROMISE_NOTHING */
	uint32_t kinds; /* 1 << enum kind */
	unsigned sig_bits; /* effective width of the signature, index bits aside */
	bool lines; /* made of lines by the policy: identical results on one thread */
	bool broken; /* on purpose: listed apart, swept only if named */
	const struct control *control; /* or NULL: nothing is promised to be found */
	bool floor; /* measures the harness: stores nothing */
	struct table_option options[MAX_TABLE_OPTIONS + 1]; /* the last has no name */

	/* optional: why it cannot run on this machine, or NULL if it can */
	const char *(*absent)(void);
	/* optional: likewise with these values of its options, which it does not list in vain
	 * on other machines */
	const char *(*lacks)(const char *const *option);
	/* Allocate t->mem and what else is needed; 0 or -1. */
	int (*create)(struct table *t, const struct table_params *p, struct err *e);
	/* optional: what create allocated besides t->mem and t->side */
	void (*destroy)(struct table *t);
	/* optional: per-thread state into w->priv[t->kind]; 0 or -1 */
	int (*thread_enter)(struct table *t, struct worker *w, struct err *e);
	/* optional: undo it, by the same thread, when it will not touch the table again */
	void (*thread_leave)(struct table *t, struct worker *w);
	/* Make part `part` of `parts` empty; all parts at the same time, no traffic. */
	void (*clear)(struct table *t, unsigned part, unsigned parts);
	/*
	 * optional: empty what these operations may have written, where that is less work.
	 * All threads at the same time, each with its own operations; the generation too.
	 */
	void (*clear_ops)(struct table *t, const struct trace_op *op, size_t nr);
	struct table_class *next;
};

/* What every table has. Read-only while threads run, but for the generation. */
struct table {
	const struct table_class *class;
	const struct table_loops *loops;
	atomic_word *word; /* line tables: the lines */
	unsigned shift; /* line tables: a key's line, see tables/line.h */
	enum refresh refresh;
	int mate;
	enum kind kind;
	uint64_t sig_mask; /* the key bits that a signature keeps */
	uint64_t lines;
	uint64_t fraction_mask; /* index=mulhi: the key bits that choose the line */
	bool mulhi; /* line = key * lines / 2^64, and lines need be no power of two */
	bool mate_ply; /* mate scores are kept as distances from the node */
	/* What guards line i is at guard + ((i & guard_mask) << guard_shift). */
	char *guard;
	uint64_t guard_mask;
	unsigned guard_shift;
	void *priv; /* the scheme's own: nodes of queue locks, shards */
	unsigned slots; /* line tables: of a line */
	uint64_t entries; /* that can be held */
	uint64_t never_evicts; /* so many keys fit whichever they are; lines: see traffic.h */
	uint64_t bytes; /* allocated for it, locks and counters included */
	struct mem mem; /* the entries */
	struct mem side; /* locks or counters beside them */
	atomic_word generation __attribute__((aligned(128)));
	char pad[128 - sizeof(atomic_word)];
};

/*
 * What a table outside the tree is compiled against. Raise the number when it changes: the
 * structs here, the functions and the audit that a table calls, what the templates and the
 * policy make of an operation. Where nobody did, the sizes may tell.
 */
#define TABLE_ABI 4
#define TABLE_LAYOUT                                                              \
	((uint64_t)sizeof(struct table) | (uint64_t)sizeof(struct worker) << 16 | \
	 (uint64_t)sizeof(struct table_class) << 32 |                             \
	 (uint64_t)sizeof(struct table_loops) << 48)

/* Called by TABLE_REGISTER: what built the object; and the table, with these arguments in every
 * ABI. */
void table_built_by(const char *what);
void table_register(struct table_class *c, unsigned abi, uint64_t layout);

/* A table that nothing can change while it is used. Not where a generation is asked for: it has
 * none. */
static __always_inline struct table table_copy(const struct table *t)
{
	struct table copy;

	memcpy(&copy, t, offsetof(struct table, generation));
	return copy;
}

/* What is wrong with what a class says of itself, which has all that it needs: 0 or -1. */
int table_class_fault(const struct table_class *c, struct err *e);

/* Sorted by name, whatever the link order. */
const struct table_class *table_first(void);
#define table_for_each(c) for (const struct table_class *c = table_first(); c; c = c->next)

/*
 * "xor:refresh=never" or "./mine.so:refresh=never" taken apart: the class, and a value for
 * each of its options.
 */
struct table_spec {
	const struct table_class *class;
	const char *option[MAX_TABLE_OPTIONS]; /* owned */
};
int table_spec_parse(const char *text, struct table_spec *s, struct err *e);
void table_spec_free(struct table_spec *s);
/* "lock=fas;stripes=256;refresh=always", resolved; of a shared object, "plugin=" and which
 * comes last (see plugin.h). Caller frees. */
char *table_spec_options(const struct table_spec *s);
/* Value of one option, or NULL if the table has none by that name. */
const char *table_spec_option(const struct table_spec *s, const char *name);
/* Bits of its signatures, 64: whole keys. */
unsigned table_spec_sig_bits(const struct table_spec *s);

/*
 * Make a table of p->kind (p->option is filled in from the spec). A size of no bytes
 * and no entries is "no table": every probe misses, every store is dropped.
 */
int table_create(const struct table_spec *s, struct table_params *p, struct table **out,
		 struct err *e);
void table_destroy(struct table *t);

/* One atomic add, once per search; entries of earlier generations are stale. */
static inline void table_new_generation(struct table *t)
{
	fetch_add_relaxed(&t->generation, 1);
}

/* The single operations of its kind. */
static inline const struct table_ops *table_ops(const struct table *t)
{
	return &t->loops->ops[t->kind];
}

/* By a thread that is online. */
static inline void table_pause(struct table *t, struct worker *w)
{
	t->loops->offline(t, w);
	t->loops->online(t, w);
}

/* Tables that this build or this machine is without, with the reason. */
struct table_absence {
	const char *name, *why;
};
/* Number i of them, from 0; false: there are no more. */
bool table_absent(size_t i, struct table_absence *out);
/* Why this machine cannot run it with these options; NULL: it can. */
const char *table_spec_lacks(const struct table_spec *s);
/* Is the table of this spec absent? Then why, else NULL. A shared object is loaded for it. */
const char *table_spec_absent(const char *text);

#define TABLE_REGISTER(id)                                            \
	static void __attribute__((constructor)) id##_register(void)  \
	{                                                             \
		table_built_by(BUILT_BY);                             \
		table_register(&id##_class, TABLE_ABI, TABLE_LAYOUT); \
	}                                                             \
	_Static_assert(sizeof(#id) <= 24, "table name too long")

#endif
