// SPDX-License-Identifier: BSD-2-Clause
/*
 * ck_rhs - Concurrency Kit's Robin Hood hash set of pointers, sharded and bounded
 *
 * A put moves entries that stand nearer to where they belong out of the way, a removal moves
 * those behind it up: no tombstones, and every key is found after few steps. What is common
 * to it and ck_hs is in ck_set_table.h: entries, their reclamation, eviction.
 *
 * Readers can miss an entry that is being moved; they scan again if a counter has changed,
 * of which a map has 1024. A reader takes the counter of the key's hash, a writer that of the
 * bucket where the entry belongs, which is hash mod slots: with fewer slots than counters
 * these are not the same, and keys that were there all along were missed: 53 in 228 million
 * probes with 256 slots, beside a thread that put and removed others, none in 950 million with
 * 1024 to 16384 (tests/test_ck_moves.c). So a map has no fewer.
 *
 * Promises: PROMISE_NO_TEAR, PROMISE_NO_FALSE_MISS.
 */
#include <ck_rhs.h>

#define TABLE ckrhs /* ck_rhs_ is taken */
#define CK_SET(name) ck_rhs_##name
#define CK_SET_STRUCT struct ck_rhs
#define CK_SET_MODE (CK_RHS_MODE_SPMC | CK_RHS_MODE_OBJECT)
#define CK_SET_TOMBSTONES 0
#define CK_SET_MIN_CAPACITY 1024
#include "ck_set_table.h"

static struct table_class ckrhs_class = {
	.name = "ck_rhs",
	.summary = "Concurrency Kit's Robin Hood set in shards: pointers, epochs for readers",
	.reference = "Houchard, ck_rhs; Celis, Robin Hood Hashing, 1986",
	.probe_progress = "lock-free (scans again where entries move)",
	.memory = "50 bytes: an entry of 16, an eighth more of them, two slots of 16; pawn 104",
	CK_SET_CLASS,
};
TABLE_REGISTER(ckrhs);
