// SPDX-License-Identifier: BSD-2-Clause
/* env - machine, build and time of a run, and what speaks against its figures. */
#include "env.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "build_config.h"
#include "topo.h"
#include "version.h"

/* As the first call found it, before our own threads made load. */
struct env {
	char run_id[64];
	struct utsname uts;
	char *cpu_model;
	char governor[64];
	struct env_state state;
};

/* The first line of a small file, without its end; false if there is none. */
static bool first_line(const char *path, char *buf, size_t size)
{
	FILE *f = fopen(path, "re");
	bool got;

	if (!f)
		return false;
	got = fgets(buf, (int)size, f) != NULL;
	fclose(f);
	buf[got ? strcspn(buf, "\n") : 0] = 0;
	return got;
}

/* x86 and s390 name the model there; elsewhere the architecture has to do. */
static char *read_cpu_model(const struct utsname *uts)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char *line = NULL, *model = NULL;
	size_t cap = 0;

	while (f && !model && getline(&line, &cap, f) > 0) {
		char *colon = strchr(line, ':');

		if (strncmp(line, "model name", strlen("model name")) || !colon)
			continue;
		colon += 1 + strspn(colon + 1, " \t");
		colon[strcspn(colon, "\n")] = 0;
		model = xstrdup(colon);
	}
	free(line);
	if (f)
		fclose(f);
	return model ? model : xstrdup(uts->machine);
}

/* The CPUs this process may run on, and the first governor among them that varies the clock. */
static void read_cpus(struct env *env)
{
	unsigned nr_cpus;
	size_t size;
	cpu_set_t *set = topo_affinity(&size, &nr_cpus);

	env->state.cpus = 1;
	if (!set)
		return;
	env->state.cpus = (unsigned)CPU_COUNT_S(size, set);
	for (unsigned cpu = 0; cpu < nr_cpus && !env->state.governor; cpu++) {
		char path[96], *governor = env->governor;

		if (!CPU_ISSET_S(cpu, size, set))
			continue;
		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_governor", cpu);
		if (first_line(path, governor, sizeof(env->governor)) &&
		    strcmp(governor, "performance"))
			env->state.governor = governor;
	}
	CPU_FREE(set);
}

static void read_env(struct env *env)
{
	time_t now = time(NULL);
	char stamp[32];
	struct tm tm;

	strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", gmtime_r(&now, &tm));
	snprintf(env->run_id, sizeof(env->run_id), "%s-%ld", stamp, (long)getpid());
	uname(&env->uts);
	env->cpu_model = read_cpu_model(&env->uts);
	read_cpus(env);
	if (getloadavg(&env->state.load, 1) != 1)
		env->state.load = -1;
	env->state.sanitizer = SANITIZER;
#ifdef __OPTIMIZE__
	env->state.optimised = true;
#endif
}

static const struct env *get_env(void)
{
	static struct env env;

	if (!env.cpu_model)
		read_env(&env);
	return &env;
}

void env_fill(struct csv_row *r)
{
	const struct env *env = get_env();

	csv_set_u64(r, COL_schema, CSV_SCHEMA);
	csv_set(r, COL_run_id, env->run_id);
	csv_set(r, COL_host, env->uts.nodename);
	csv_set(r, COL_cpu_model, env->cpu_model);
	csv_set(r, COL_kernel, env->uts.release);
	csv_set(r, COL_compiler, COMPILER);
	csv_set(r, COL_flags, FLAGS);
	csv_set(r, COL_version, GIT_VERSION);
}

void env_stamp_start(struct csv_row *r)
{
	struct timespec now;
	char day[32], text[64];
	struct tm tm;

	clock_gettime(CLOCK_REALTIME, &now);
	strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", gmtime_r(&now.tv_sec, &tm));
	snprintf(text, sizeof(text), "%s.%03ldZ", day, now.tv_nsec / 1000000);
	csv_set(r, COL_started_utc, text);
}

/* Takes `text`, NULL for nothing yet, and `more`. */
static char *add_warning(char *text, char *more)
{
	char *both;

	if (!text)
		return more;
	both = xasprintf("%s;%s", text, more);
	free(text);
	free(more);
	return both;
}

char *env_judge(const struct env_state *s)
{
	char *text = NULL;
	unsigned tenths = s->load < 0 ? 0 : (unsigned)(s->load * 10 + 0.5);

	if (s->governor)
		text = add_warning(text, xasprintf("cpufreq governor %s", s->governor));
	if (s->load > 0.5 * s->cpus)
		text = add_warning(text, xasprintf("load average %u.%u on %u CPUs at start",
						   tenths / 10, tenths % 10, s->cpus));
	if (strcmp(s->sanitizer, "none"))
		text = add_warning(text, xasprintf("sanitizer build (%s)", s->sanitizer));
	if (!s->optimised)
		text = add_warning(text, xstrdup("built without optimisation"));
	return text;
}

char *env_warnings(void)
{
	return env_judge(&get_env()->state);
}
