// SPDX-License-Identifier: BSD-2-Clause
/*
 * judge - see judge.h
 *
 * A miss is proved false over Q, which runs from the probe's start to the re-probe's end,
 * and back to where no write was under way. Three arguments. The first: if nothing was written
 * in Q, what the re-probe found was there all along. The others go backwards from one
 * sight of the key, at a scan or at the re-probe, to the start of Q:
 *
 *   serial  No two writes of Q overlap, so between them the line is at rest. A key that
 *           was away could only come back by a store that found it away, and there is
 *           none (a copy made at rest brings nothing back). So whoever saw it saw what
 *           had been there since Q began; it has gone since only if Q holds something
 *           that may remove it, which a sight at Q's end rules out.
 *   slot    Only stores that had found the key in slot s, and refreshes of it there, wrote
 *           s in Q. The first of them looked at s before anything in Q had changed it: so
 *           the key was there when Q began, and all that was written since is the key's.
 *
 * A store that found the key in s but copied another slot onto s does not count among them,
 * though it is an update that writes s: the words it copied are another key's as a rule. It
 * puts K where that key was, there K may be evicted at once, and its own copy onto s would
 * be taken for a sign that K never left. (The enumeration finds that history.)
 *
 * A store that kept what was there (no victim) wrote nothing: it is no event and removes
 * nothing. It still is a store, as far as overlap is concerned; that costs no soundness.
 */
#include <stddef.h>

#include "judge.h"

#define MAX_SLOTS 8 /* of a line: bits of a mask */

static bool overlaps(const struct witness_op *op, uint64_t start, uint64_t end)
{
	return op->start < end && op->end > start;
}

static bool under_way(const struct witness_op *op)
{
	return op->end == STAMP_OPEN;
}

/* Of operations whose outcome is known. */
static bool may_write(const struct witness_op *op)
{
	return op->type != WITNESS_PROBE || op->refreshed;
}

static bool writes(const struct witness_op *op, int slot)
{
	switch (op->type) {
	case WITNESS_STORE:
		return op->victim == slot || op->bump_to == slot;
	case WITNESS_CLEAR:
		return true;
	default:
		return op->refreshed >> slot & 1;
	}
}

static bool wrote(const struct witness_op *op)
{
	return op->type == WITNESS_STORE ? op->victim >= 0 || op->bump_to >= 0 : may_write(op);
}

static bool stores(const struct witness_op *op, uint64_t key)
{
	return op->type == WITNESS_STORE && op->key == key;
}

static bool updates(const struct witness_op *op, uint64_t key)
{
	return stores(op, key) && op->held;
}

/* Slots in which it wrote the key's own words again. */
static unsigned refreshes(const struct witness_op *op, uint64_t key)
{
	return op->type == WITNESS_PROBE && op->key == key ? op->refreshed & op->held : 0;
}

/* Does it write nothing but the key's words, having seen the key? */
static bool keeps(const struct witness_op *op, uint64_t key)
{
	return updates(op, key) ||
	       (refreshes(op, key) && refreshes(op, key) == op->refreshed);
}

/* What of a line's history bears on one miss. */
struct scope {
	const struct history *h;
	const struct missed *m;
	uint64_t start; /* of Q, which ends where the re-probe does */
	bool complete;
};

/* The operations of Q that may have written, one after the other. */
static const struct witness_op *next_in_scope(const struct scope *q,
					      const struct witness_op *op)
{
	const struct witness_op *end = q->h->op + q->h->nr;

	for (op = op ? op + 1 : q->h->op; op < end; op++)
		if (may_write(op) && overlaps(op, q->start, q->m->again_end))
			return op;
	return NULL;
}

static struct scope scope_of(const struct history *h, const struct missed *m)
{
	struct scope q = { .h = h, .m = m, .start = m->start };
	bool moved;

	for (unsigned i = 0; i < h->nr; i++)
		if (under_way(&h->op[i]) && h->op[i].start < m->again_end)
			return q;
	do {
		moved = false;
		for (unsigned i = 0; i < h->nr; i++) {
			const struct witness_op *op = &h->op[i];

			if (may_write(op) && op->start < q.start && op->end > q.start) {
				q.start = op->start;
				moved = true;
			}
		}
	} while (moved);
	q.complete = q.start >= h->from;
	return q;
}

static bool anything_written(const struct scope *q)
{
	const struct witness_op *op = NULL;

	while ((op = next_in_scope(q, op)))
		if (wrote(op))
			return true;
	return false;
}

/* Saw the key before the re-probe was over, and wrote it again. */
static bool is_event(const struct scope *q, const struct witness_op *op)
{
	uint64_t key = q->m->key;

	return op->end < q->m->again_end && wrote(op) &&
	       (updates(op, key) || refreshes(op, key));
}

/*
 * The words that the re-probe believed may be a mix, even one that is authentic, where a
 * foreign write passed under it: half a dead pair copied onto another one may verify.
 */
static bool found_again(const struct scope *q)
{
	const struct witness_op *op = NULL;
	const struct missed *m = q->m;

	if (m->again_slot < 0)
		return false;
	while ((op = next_in_scope(q, op))) {
		if (!overlaps(op, m->again_start, m->again_end))
			continue;
		if (op->type == WITNESS_CLEAR)
			return false;
		if (op->type == WITNESS_STORE &&
		    (op->bump_to == m->again_slot ||
		     (op->victim == m->again_slot && op->key != m->key)))
			return false;
	}
	return true;
}

static bool overlapped(const struct scope *q, const struct witness_op *op)
{
	const struct witness_op *other = NULL;

	while ((other = next_in_scope(q, other)))
		if (other != op && overlaps(other, op->start, op->end))
			return true;
	return false;
}

static bool proved_serially(const struct scope *q, bool found)
{
	const struct witness_op *op = NULL;
	bool event = false, only_keeps = true;
	uint64_t key = q->m->key;

	while ((op = next_in_scope(q, op))) {
		if (overlapped(q, op) || (stores(op, key) && !updates(op, key)))
			return false;
		event |= is_event(q, op);
		only_keeps &= keeps(op, key);
	}
	return found || (event && only_keeps);
}

/* Of an operation that writes the slot: does it write the key's words over the key's? */
static bool renews(const struct witness_op *op, uint64_t key, int slot)
{
	if (refreshes(op, key) >> slot & 1)
		return true;
	return stores(op, key) && op->bump_to != slot && op->held >> slot & 1;
}

static bool proved_by_slot(const struct scope *q, bool found, int slot)
{
	bool proof = found && q->m->again_slot == slot;
	const struct witness_op *op = NULL;

	while ((op = next_in_scope(q, op))) {
		if (!writes(op, slot))
			continue;
		if (!renews(op, q->m->key, slot))
			return false;
		proof |= is_event(q, op);
	}
	return proof;
}

static bool proved(const struct scope *q)
{
	bool found = found_again(q);

	if (!anything_written(q))
		return found;
	if (proved_serially(q, found))
		return true;
	for (int slot = 0; slot < MAX_SLOTS; slot++)
		if (proved_by_slot(q, found, slot))
			return true;
	return false;
}

enum verdict judge_miss(const struct history *h, const struct missed *m)
{
	struct scope q = scope_of(h, m);

	if (q.complete && proved(&q))
		return MISS_FALSE;
	return m->again_slot >= 0 ? MISS_POSSIBLE : MISS_HONEST;
}

/*
 * A is the newest store that may have written what was returned: of several that share the
 * bits of the serial, and of those under way, whose serial is not known, the one that ended
 * last. Taking A for older than it is would invent a fault. One that is not in the history
 * ended before that begins. Stores that began after the hit cannot have been what it returned.
 */
static uint64_t returned_end(const struct history *h, const struct returned *r)
{
	uint64_t last = h->from ? h->from - 1 : 0;

	for (unsigned i = 0; i < h->nr; i++) {
		const struct witness_op *op = &h->op[i];

		if (!stores(op, r->key) || op->start > r->end)
			continue;
		if (!under_way(op) &&
		    (op->victim < 0 || (op->serial ^ r->serial) & r->serial_mask))
			continue;
		if (op->end > last)
			last = op->end;
	}
	return last;
}

/* May older words have been copied into the slot after this operation began? */
static bool copied_since(const struct history *h, const struct returned *r, uint64_t since)
{
	for (unsigned i = 0; i < h->nr; i++) {
		const struct witness_op *op = &h->op[i];

		if (op->type == WITNESS_STORE && overlaps(op, since, r->end) &&
		    (under_way(op) || op->bump_to == r->slot))
			return true;
	}
	return false;
}

/*
 * A newer store of the key. Clears need no rule here. One that removed B as well as A leaves
 * no A to return; what brings A back over a B that had its words in place is a copy, which
 * is excused, or the fault.
 */
static bool outdates(const struct history *h, const struct returned *r,
		     const struct witness_op *b)
{
	if (!stores(b, r->key) || b->victim < 0)
		return false;
	return !r->slotted || (b->victim == r->slot && !copied_since(h, r, b->start));
}

/*
 * A clear, or another key's store into the slot. A's words stood there, or in another slot from
 * which only a copy could bring them: a copy under way or since is excused. A refresh is not,
 * for nobody may write again what has been overwritten since he read it.
 */
static bool overwrites(const struct history *h, const struct returned *r,
		       const struct witness_op *op)
{
	bool there = op->type == WITNESS_CLEAR ||
		     (r->placed && op->type == WITNESS_STORE && op->key != r->key &&
		      op->victim == r->slot);

	return there && !copied_since(h, r, op->start);
}

/* Is there such an operation, all of it after A had ended and before the probe began? */
static bool any_between(const struct history *h, const struct returned *r,
			bool (*such)(const struct history *h, const struct returned *r,
				     const struct witness_op *op))
{
	uint64_t a_end;

	if (h->from == UINT64_MAX)
		return false;
	a_end = returned_end(h, r);
	for (unsigned i = 0; i < h->nr; i++) {
		const struct witness_op *op = &h->op[i];

		if (op->start > a_end && op->end < r->start && such(h, r, op))
			return true;
	}
	return false;
}

bool judge_stale(const struct history *h, const struct returned *r)
{
	return any_between(h, r, outdates);
}

bool judge_ghost(const struct history *h, const struct returned *r)
{
	return any_between(h, r, overwrites);
}

static const struct witness_op *op_at(const struct history *h, uint64_t start)
{
	for (unsigned i = 0; i < h->nr; i++)
		if (h->op[i].start == start)
			return &h->op[i];
	return NULL;
}

/* Was it at the line during the read, and may have changed what that found? */
static bool disturbs(const struct witness_op *op, uint64_t read_start, uint64_t read_end)
{
	return overlaps(op, read_start, read_end) &&
	       (op->type != WITNESS_PROBE || under_way(op) || op->refreshed);
}

bool judge_must_hold(const struct history *h, uint64_t store_start, uint64_t read_start,
		     uint64_t read_end)
{
	const struct witness_op *s = op_at(h, store_start);

	if (!s || s->type != WITNESS_STORE || s->victim < 0 || s->end > read_start ||
	    s->start < h->from)
		return false;
	for (unsigned i = 0; i < h->nr; i++) {
		const struct witness_op *op = &h->op[i];

		if (op != s && ((op->type != WITNESS_PROBE && overlaps(op, s->start, read_end)) ||
				disturbs(op, read_start, read_end)))
			return false;
	}
	return true;
}

/*
 * A refresh that ended is no excuse, as in judge_must_hold(): rightly done, it removes nothing.
 * A store of the key that kept what was there found the key there.
 */
const struct witness_op *judge_must_find(const struct history *h, uint64_t key,
					 uint64_t read_start, uint64_t read_end)
{
	const struct witness_op *last = NULL;
	uint64_t since = h->from;

	for (unsigned i = 0; i < h->nr; i++) {
		const struct witness_op *op = &h->op[i];

		if (disturbs(op, read_start, read_end))
			return NULL;
		if (op->type != WITNESS_PROBE && !stores(op, key) && op->start < read_end &&
		    op->end >= since)
			since = op->end + 1;
	}
	for (unsigned i = 0; i < h->nr; i++) {
		const struct witness_op *op = &h->op[i];

		if (stores(op, key) && op->victim >= 0 && op->start >= since &&
		    op->end < read_start && (!last || op->end > last->end))
			last = op;
	}
	return last;
}

bool judge_contended(const struct history *h, uint64_t start, uint64_t end)
{
	for (unsigned i = 0; i < h->nr; i++) {
		const struct witness_op *op = &h->op[i];

		if (op->start == start || !overlaps(op, start, end))
			continue;
		if (under_way(op) ? op->type != WITNESS_PROBE : wrote(op))
			return true;
	}
	return false;
}
