/* SPDX-License-Identifier: BSD-2-Clause */
/* container_needs - is all defined that container_table.h asks for? Included by it. */
#include "needs.h"

#ifndef TABLE
#error "container_table.h: define TABLE to the prefix of the table's names before it is included"
#endif
#ifndef CONTAINER_WORDS
#error "container_table.h: define CONTAINER_WORDS to the most data words that an entry can have"
#define CONTAINER_WORDS 1
#endif
NEEDS(T(region));
NEEDS(T(begin_read));
NEEDS(T(end_read));
NEEDS(T(begin_write));
NEEDS(T(end_write));
NEEDS(T(get));
NEEDS(T(set));
NEEDS(T(walk_region));
NEEDS(T(clear_region));
#ifdef CONTAINER_IN_PLACE
NEEDS(T(replace));
#endif
