/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * paths - where the files are that come with tearline: gnuplot scripts, a trace
 *
 * Of the program that was built, they are where the source is. Of one that was installed, they
 * are where they were put, seen from the program: so a whole tree of it can be moved. Where that
 * finds nothing, they are where `meson setup` was told to install them.
 */
#ifndef TEARLINE_PATHS_H
#define TEARLINE_PATHS_H

#include <stdbool.h>

enum paths_of { PATHS_TRACES };

/* The directory; the caller frees it. */
char *paths_find(enum paths_of what);
/* The same as it will be once installed. */
char *paths_installed(enum paths_of what);

#endif
