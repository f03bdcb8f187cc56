// SPDX-License-Identifier: BSD-2-Clause
/* record.h as a strict C99 engine sees it: every function, compiled and run once. */
#include "record.h"

int main(void)
{
	struct tlrec r;

	if (tlrec_open(&r, 0, 16))
		return 1;
	tlrec_clear(&r, tlrec_now());
	tlrec_new_generation(&r, tlrec_now(), 1, 2);
	tlrec_tt_probe(&r, tlrec_now(), 1, 2, TLREC_NO_DEPTH, -1, 1, 0, TLREC_MISS, 0);
	tlrec_tt_store(&r, tlrec_now(), 1, 5, 10, 2, TLREC_EXACT, 0, TLREC_THREAT);
	tlrec_pawn_probe(&r, tlrec_now(), 3, TLREC_FOUND);
	tlrec_pawn_store(&r, tlrec_now(), 3, 7);
	tlrec_eval_probe(&r, tlrec_now(), 4, 0, 0, TLREC_USABLE, 0);
	tlrec_eval_store(&r, tlrec_now(), 4, 70000);
	if (r.nr != 8 || r.dropped || r.record[7].value != 32767)
		return 1;
	if (!tlrec_write(&r, "/dev/full", "C99"))
		return 1;
	tlrec_close(&r);
	return 0;
}
