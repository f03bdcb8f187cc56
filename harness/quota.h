/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * quota - was this process stopped because its CPU time of a period was used up?
 *
 * A control group with a quota (docker --cpus, cpu.max) stops all threads until the next
 * period begins. From within it looks as if other programs took the time.
 */
#ifndef TEARLINE_QUOTA_H
#define TEARLINE_QUOTA_H

#include <stdint.h>

#define QUOTA_SELF "/proc/self/cgroup"
#define QUOTA_MOUNT "/sys/fs/cgroup"

/*
 * Periods so far in which the groups of this process were stopped: its own and those around
 * it, whose files (as QUOTA_SELF names them) are below `mount`. 0 where nobody counts.
 */
uint64_t quota_throttled(const char *self, const char *mount);

#endif
