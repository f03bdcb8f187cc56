/* SPDX-License-Identifier: BSD-2-Clause */
/* line_needs - is all defined that line_table.h asks for? Included by it, each time. */
#include "needs.h"

#ifndef TABLE
#error "line_table.h: define TABLE to the prefix of the table's names before it is included"
#endif
#ifndef LINE_EXCLUSION
#error "line_table.h: define LINE_EXCLUSION to LINE_FREE, LINE_SWAP, LINE_SEQUENCE or LINE_LOCKED"
#define LINE_EXCLUSION LINE_FREE
#endif
_Static_assert(LINE_EXCLUSION == LINE_FREE || LINE_EXCLUSION == LINE_SWAP ||
		       LINE_EXCLUSION == LINE_SEQUENCE || LINE_EXCLUSION == LINE_LOCKED,
	       "LINE_EXCLUSION: expected LINE_FREE, LINE_SWAP, LINE_SEQUENCE or LINE_LOCKED");

/* What encloses the accesses to a line. */
#if LINE_EXCLUSION == LINE_SEQUENCE || LINE_EXCLUSION == LINE_LOCKED || defined(LINE_SECTIONS)
NEEDS(T(begin_write));
NEEDS(T(end_write));
#endif
#if LINE_EXCLUSION == LINE_SEQUENCE || (LINE_EXCLUSION != LINE_LOCKED && defined(LINE_SECTIONS))
NEEDS(T(begin_read));
NEEDS(T(end_read));
#endif

/* An entry. */
#if LINE_EXCLUSION == LINE_SWAP
NEEDS(T(swap));
#endif
#if defined(LINE_ENTRY) && !defined(LINE_PLAIN)
#define LINE_OF_ENTRY(name) T_(LINE_ENTRY, name)
#else
#define LINE_OF_ENTRY(name) T(name)
#endif
#ifndef LINE_PLAIN
NEEDS(LINE_OF_ENTRY(load));
NEEDS(LINE_OF_ENTRY(replace));
#if defined(LINE_ENTRY) || !defined(LINE_LAYOUT)
NEEDS(LINE_OF_ENTRY(sig));
#endif
#if LINE_EXCLUSION != LINE_SWAP
NEEDS(LINE_OF_ENTRY(put));
#endif
#ifdef LINE_LOOK
NEEDS(LINE_OF_ENTRY(look));
#endif
#ifdef LINE_LAYOUT
NEEDS(LINE_OF_ENTRY(wipe));
NEEDS(LINE_OF_ENTRY(at_rest));
#endif
#endif
#undef LINE_OF_ENTRY
