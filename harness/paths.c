// SPDX-License-Identifier: BSD-2-Clause
#include "paths.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build_config.h"
#include "util.h"

static const struct {
	const char *source; /* below the top of the source */
	const char *installed; /* below what is installed for tearline */
} known[] = {
	[PATHS_TRACES] = { "workloads/traces", "traces" },
};

/* The directory of the running program, or NULL where there is no /proc. */
static char *program_dir(void)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char *slash;

	if (n <= 0)
		return NULL;
	path[n] = 0;
	slash = strrchr(path, '/');
	if (slash)
		*slash = 0;
	return xstrdup(path);
}

static bool is_same(const char *path, const char *other)
{
	struct stat a, b;

	return !stat(path, &a) && !stat(other, &b) && a.st_ino == b.st_ino &&
	       a.st_dev == b.st_dev;
}

/* From here, if that is the same place: what a person would write. Takes the path. */
static char *shorten(char *path, const char *below)
{
	char *text;

	if (!is_same(path, below))
		return path;
	text = xstrdup(below);
	free(path);
	return text;
}

char *paths_installed(enum paths_of what)
{
	return xasprintf("%s/%s", DATA_INSTALLED, known[what].installed);
}

/* "/opt/x/bin" and "bin" make "/opt/x/"; NULL: it does not end so. */
static char *prefix_of(const char *dir)
{
	size_t all = strlen(dir), end = strlen(BIN_BELOW_PREFIX);

	if (all <= end || dir[all - end - 1] != '/' ||
	    strcmp(dir + all - end, BIN_BELOW_PREFIX))
		return NULL;
	return xasprintf("%.*s", (int)(all - end), dir);
}

char *paths_find(enum paths_of what)
{
	char *dir = program_dir(), *prefix = dir ? prefix_of(dir) : NULL, *path = NULL;

	if (dir && is_same(dir, BUILD_ROOT))
		path = shorten(xasprintf("%s/%s", SOURCE_ROOT, known[what].source),
			       known[what].source);
	else if (prefix)
		path = xasprintf("%s%s/%s", prefix, DATA_BELOW_PREFIX, known[what].installed);
	free(prefix);
	free(dir);
	if (path && !access(path, R_OK))
		return path;
	free(path);
	return paths_installed(what);
}
