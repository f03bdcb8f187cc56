// SPDX-License-Identifier: BSD-2-Clause
/*
 * ck_hs - Concurrency Kit's hash set of pointers, sharded and bounded
 *
 * A probe walks cache lines of eight pointers and looks at each entry it meets for its key.
 * What is common to it and ck_rhs is in ck_set_table.h: entries, their reclamation, eviction.
 *
 * A removed pointer leaves a tombstone, which the next put may use, but no slot is empty
 * again; a miss is over at an empty slot or at the depth that any key of its bucket has ever
 * had (CK_HS_MODE_DELETE), which only grows. So a set is rebuilt when a quarter of its slots
 * may be tombstones: without, a miss takes 146 ns instead of 16 in a map of 8192 slots after
 * a million evictions. (ck_hs_gc() would do it in place, but moves entries, and as long as
 * it does, readers scan again and again.)
 *
 * Entries are updated in place and never moved: readers never have to scan again.
 *
 * Promises: PROMISE_NO_TEAR, PROMISE_NO_FALSE_MISS.
 */
#include <ck_hs.h>

#define TABLE ckhs /* ck_hs_ is taken */
#define CK_SET(name) ck_hs_##name
#define CK_SET_STRUCT struct ck_hs
#define CK_SET_MODE (CK_HS_MODE_SPMC | CK_HS_MODE_OBJECT | CK_HS_MODE_DELETE)
#define CK_SET_TOMBSTONES 1
#define CK_SET_MIN_CAPACITY 64
#include "ck_set_table.h"

static struct table_class ckhs_class = {
	.name = "ck_hs",
	.summary =
		"Concurrency Kit's hash set in shards: pointers to entries, epochs for readers",
	.reference = "Al Bahra, ck_hs, ck_epoch",
	.probe_progress = "wait-free",
	.memory = "36 bytes: an entry of 16, an eighth more of them, two slots of 9; pawn 90",
	CK_SET_CLASS,
};
TABLE_REGISTER(ckhs);
