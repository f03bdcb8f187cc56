// SPDX-License-Identifier: BSD-2-Clause
/* sound - what looks like some of the lies and is none: the audit must be silent */
#include <sched.h>

#include "liar.h"

LIE(honest, .planted = "nothing");

static void put_honest_halves(struct place *p, unsigned s, uint64_t sig, const uint64_t *word)
{
	atomic_word *at = slot_of(p, s);

	WRITE_ONCE64(&at[0], sig);
	for (unsigned i = 0; i < p->words; i++) {
		WRITE_ONCE64(&at[1 + i], (READ_ONCE64(&at[1 + i]) & ~0xffffffffull) |
						 (word[i] & 0xffffffff));
		WRITE_ONCE64(&at[1 + i], word[i]);
	}
}

LIE(honest_halves, .planted = "nothing: words are written in halves, under the lock",
    .put = put_honest_halves);

LIE(honest_xor, .planted = "nothing: xor words, under the lock", .xor = true);

static void put_honest_slow(struct place *p, unsigned s, uint64_t sig, const uint64_t *word)
{
	if (one_in(p, 256))
		sched_yield();
	honest_put(p, s, sig, word);
}

LIE(honest_slow, .planted = "nothing: whoever writes is interrupted now and then",
    .put = put_honest_slow);
