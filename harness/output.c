// SPDX-License-Identifier: BSD-2-Clause
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const int fatal[] = { SIGINT, SIGTERM, SIGHUP };

/* The file to replace: through a symbolic link, and never a device. */
static char *resolve(const char *path, struct err *e)
{
	struct stat st;
	char *real;

	if (stat(path, &st))
		return lstat(path, &st) ? xstrdup(path)
					: (err_set(e, "%s: a link to nowhere", path), NULL);
	if (!S_ISREG(st.st_mode)) {
		err_set(e, "%s: cannot write: expected a regular file or a new name", path);
		return NULL;
	}
	real = realpath(path, NULL);
	if (!real)
		err_set(e, "%s: %s", path, strerror(errno));
	return real;
}

/* Minutes of work should not end in "permission denied". */
static int check_directory(const char *target, const char *path, struct err *e)
{
	char *copy = xstrdup(target);
	int ret = 0;

	if (access(dirname(copy), W_OK | X_OK))
		ret = err_set(e, "%s: cannot write into its directory: %s", path,
			      strerror(errno));
	free(copy);
	return ret;
}

/* Rows can go to a device or a pipe; there is nothing of it to keep. */
static bool is_device(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

int output_check(const char *path, bool devices, struct err *e)
{
	char *target;
	int ret;

	if (devices && is_device(path))
		return 0;
	target = resolve(path, e);
	ret = target ? check_directory(target, path, e) : -1;
	free(target);
	return ret;
}

static char *temporary_name(const char *target)
{
	char *copy = xstrdup(target);
	/* Not the target's name with something behind it: that may be too long. */
	char *name = xasprintf("%s/.tearline-XXXXXX", dirname(copy));

	free(copy);
	return name;
}

static void sync_directory(const char *target)
{
	char *copy = xstrdup(target);
	int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	/* The data is safe; a file system that cannot sync a directory is no error. */
	if (fd >= 0) {
		(void)!fsync(fd);
		close(fd);
	}
	free(copy);
}

static void hold_signals(struct output *o)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(fatal); i++)
		sigaddset(&set, fatal[i]);
	pthread_sigmask(SIG_BLOCK, &set, &o->signals);
	/* A file size limit is to be an error from write(), not the end. */
	sigaction(SIGXFSZ, &ignore, &o->size_limit);
}

static void release_signals(const struct output *o)
{
	sigaction(SIGXFSZ, &o->size_limit, NULL);
	pthread_sigmask(SIG_SETMASK, &o->signals, NULL);
}

bool output_interrupted(void)
{
	sigset_t waiting;

	sigpending(&waiting);
	for (size_t i = 0; i < ARRAY_SIZE(fatal); i++)
		if (sigismember(&waiting, fatal[i]))
			return true;
	return false;
}

bool output_failed(struct output *o)
{
	if (ferror(o->f) && !o->error)
		o->error = errno;
	return o->error;
}

/* Under the name it will lose again. */
static int open_temporary(struct output *o)
{
	int fd;

	o->mask = umask(0);
	fd = mkstemp(o->temporary);
	umask(o->mask);
	o->f = fd < 0 ? NULL : fdopen(fd, "w");
	return o->f ? 0 : -1;
}

static int open_file(struct output *o, struct err *e)
{
	o->target = resolve(o->path, e);
	if (!o->target || check_directory(o->target, o->path, e))
		goto out_free;
	o->temporary = temporary_name(o->target);
	hold_signals(o);
	if (!open_temporary(o))
		return 0;
	err_set(e, "%s: cannot write: %s", o->path, strerror(errno));
	release_signals(o);
out_free:
	free(o->temporary);
	free(o->target);
	return -1;
}

int output_begin(struct output *o, const char *path, bool devices, struct err *e)
{
	*o = (struct output){ .path = path };
	if (!devices || (strcmp(path, "-") && !is_device(path)))
		return open_file(o, e);
	o->f = strcmp(path, "-") ? fopen(path, "we") : stdout;
	if (!o->f)
		return err_set(e, "%s: cannot write: %s", path, strerror(errno));
	hold_signals(o);
	return 0;
}

/* All of it on disk, under its name; 0, or -1 with errno. */
static int put_in_place(struct output *o)
{
	errno = o->error;
	if (o->error || flush_all(o->f))
		return -1;
	if (!o->temporary)
		return 0;
	if (fchmod(fileno(o->f), 0666 & ~o->mask) || fsync(fileno(o->f)) ||
	    rename(o->temporary, o->target))
		return -1;
	sync_directory(o->target);
	return 0;
}

int output_end(struct output *o, bool whole, struct err *e)
{
	int ret = -1;

	if (whole) {
		ret = put_in_place(o);
		if (ret)
			err_set(e, "%s: cannot write: %s",
				o->f == stdout ? "standard output" : o->path, strerror(errno));
	}
	if (o->f != stdout)
		fclose(o->f);
	if (ret && o->temporary)
		unlink(o->temporary);
	free(o->temporary);
	free(o->target);
	release_signals(o);
	return ret;
}
