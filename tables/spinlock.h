/* SPDX-License-Identifier: BSD-2-Clause */
/* spinlock - a table's locks beside its lines, for whoever encloses other things with them */
#ifndef TEARLINE_SPINLOCK_H
#define TEARLINE_SPINLOCK_H

#include "stripes.h"

/* Lines and locks, of STRIPES_CLASS. The loops are spinlock's; whoever has others sets them. */
int spinlock_create(struct table *t, const struct table_params *p, struct err *e);

#endif
