// SPDX-License-Identifier: BSD-2-Clause
/* record.h in C++: the same program. */
#include "record_header.c"
