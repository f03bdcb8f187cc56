// SPDX-License-Identifier: BSD-2-Clause
#include "quota.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util.h"

/* Of one group; 0 if it has no quota. */
static uint64_t throttled_of(const char *dir)
{
	char *path = xasprintf("%s/cpu.stat", dir), line[256];
	uint64_t nr = 0;
	FILE *f = fopen(path, "re");

	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = 0;
		if (!strncmp(line, "nr_throttled ", strlen("nr_throttled ")))
			parse_u64(line + strlen("nr_throttled "), 0, UINT64_MAX, &nr);
	}
	if (f)
		fclose(f);
	free(path);
	return nr;
}

static bool lists_cpu(const char *controllers)
{
	for (size_t len;; controllers += len + 1) {
		len = strcspn(controllers, ",");
		if (len == 3 && !strncmp(controllers, "cpu", 3))
			return true;
		if (!controllers[len])
			return false;
	}
}

/* A group and those around it: "/a/b", "/a" and "". */
static uint64_t throttled_up(const char *mount, const char *hierarchy, const char *group)
{
	size_t shortest = strlen(mount) + strlen(hierarchy);
	char *dir = xasprintf("%s%s%s", mount, hierarchy, group);
	uint64_t nr = 0;

	for (size_t len = strlen(dir); len >= shortest; len--) {
		bool end = len == shortest || dir[len] == '/' || !dir[len];

		dir[len] = 0;
		if (end && (len == shortest || dir[len - 1] != '/'))
			nr += throttled_of(dir);
	}
	free(dir);
	return nr;
}

/* Lines are "0::/group" (version 2), "4:cpu,cpuacct:/group" (version 1, one a hierarchy). */
uint64_t quota_throttled(const char *self, const char *mount)
{
	FILE *f = fopen(self, "re");
	char *line = NULL;
	size_t cap = 0;
	uint64_t nr = 0;

	while (f && getline(&line, &cap, f) > 0) {
		char *controllers = strchr(line, ':'), *group;

		group = controllers ? strchr(++controllers, ':') : NULL;
		if (!group)
			continue;
		*group++ = 0;
		group[strcspn(group, "\n")] = 0;
		if (!*controllers)
			nr += throttled_up(mount, "", group);
		else if (lists_cpu(controllers))
			nr += throttled_up(mount, "/cpu", group);
	}
	free(line);
	if (f)
		fclose(f);
	return nr;
}
