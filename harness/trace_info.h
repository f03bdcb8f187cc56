/* SPDX-License-Identifier: BSD-2-Clause */
/* trace_info - what `tearline trace info` says of a trace. */
#ifndef TEARLINE_TRACE_INFO_H
#define TEARLINE_TRACE_INFO_H

#include <stdio.h>
#include "trace.h"

void trace_info(FILE *f, const struct trace *t, const char *path, uint64_t file_bytes);

#endif
