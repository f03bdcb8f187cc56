/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plugin - tables in shared objects: --table ./mine.so:opt=val
 *
 * The object's constructor registers its table as those of tearline's own do. What registers
 * while an object is being loaded is kept apart, and not looked at before it is known to have
 * been built against the same table.h. An object stays loaded to the end: its class lives in
 * it. All from the main thread.
 */
#ifndef TEARLINE_PLUGIN_H
#define TEARLINE_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util.h"

struct table_class;

/*
 * How much of a table's spec is the path of an object; 0: it names a table. It is a path if a
 * '/' or ".so" at the end comes before the first ':'. The path then ends with the first ".so"
 * that a ':' or nothing follows, so that it may have a ':' in it.
 */
size_t plugin_path_len(const char *spec);

/* The class of the object at a path, the same one however often it is asked for; or NULL. */
struct table_class *plugin_load(const char *path, struct err *e);

/* A table registers: does it belong to an object that is being loaded? */
bool plugin_registers(struct table_class *c, unsigned abi, uint64_t layout);

/* An object says, before it registers, what built it. */
void plugin_built_by(const char *what);

/* "mine.so#0123456789abcdef gcc 12.2.0 -O0": file, xxh64 of its content, and what built it; NULL:
 * the class is built in. */
const char *plugin_origin(const struct table_class *c);

#endif
