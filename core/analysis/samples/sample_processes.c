// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/samples/sample_processes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/glob.h"
#include "base/log.h"
#include "base/text_format.h"

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

const char *sample_program(const struct sample_process *p, char buf[PROGRAM_BYTES])
{
	if (p->exe)
		snprintf(buf, PROGRAM_BYTES, "%s", last_part(p->exe));
	else
		snprintf(buf, PROGRAM_BYTES, "[%s]", p->comm);
	return buf;
}

const char *sample_only_program(const struct loaded_samples *s, char buf[PROGRAM_BYTES])
{
	*buf = '\0';
	return s->n_groups ? sample_program(&s->tables->processes[s->groups->process], buf) : buf;
}

static bool matches(const char *glob, const struct sample_process *p)
{
	char buf[PROGRAM_BYTES];

	snprintf(buf, sizeof(buf), "%u", p->pid);
	return glob_match(glob, buf) || glob_match(glob, p->comm) ||
	       (p->exe && glob_match(glob, p->exe)) || glob_match(glob, sample_program(p, buf));
}

bool sample_process_wanted(const struct trace_view *v, const struct sample_process *p)
{
	bool wanted = !v || !v->n_processes;

	for (size_t i = 0; v && i < v->n_processes && !wanted; i++)
		wanted = matches(v->processes[i], p);
	return wanted;
}

static void log_missing(const char *glob, const struct sample_tables *t)
{
	char list[512] = "", name[PROGRAM_BYTES];
	size_t n = 0;

	for (size_t i = 0; i < t->n_processes && n < sizeof(list) / 2; i++)
		n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%.60s %u", n ? ", " : "",
				      sample_program(&t->processes[i], name), t->processes[i].pid);
	log_error("--process: no process of this trace matches '%s'; there are: %s%s", glob, list,
		  n < sizeof(list) / 2 ? "" : ", ...");
}

struct program {
	char name[PROGRAM_BYTES];
	const struct sample_process *process; /* the last that executes it */
	size_t n;                             /* processes */
};

static int by_name(const void *x, const void *y)
{
	return strcmp(((const struct program *)x)->name, ((const struct program *)y)->name);
}

static int by_processes(const void *x, const void *y)
{
	const struct program *a = x, *b = y;

	return a->n != b->n ? (a->n < b->n ? 1 : -1) : by_name(x, y);
}

static int by_pid(const void *x, const void *y)
{
	const struct sample_process *a = ((const struct program *)x)->process,
				    *b = ((const struct program *)y)->process;

	return a->pid != b->pid ? compare_u64(a->pid, b->pid) : (a > b) - (a < b);
}

/* What each process executed last, counted by program, most first. Returns how many programs. */
static size_t count_programs(struct program *all, size_t n)
{
	size_t kept = 0, programs = 0;

	qsort(all, n, sizeof(*all), by_pid);
	for (size_t i = 0; i < n; i++)
		if (i + 1 == n || all[i + 1].process->pid != all[i].process->pid)
			all[kept++] = all[i];
	qsort(all, kept, sizeof(*all), by_name);
	for (size_t i = 0; i < kept; i++) {
		if (!programs || strcmp(all[programs - 1].name, all[i].name))
			all[programs++] = all[i];
		all[programs - 1].n++;
	}
	qsort(all, programs, sizeof(*all), by_processes);
	return programs;
}

#define PROGRAMS_SAID 4

int sample_programs_say(const struct sample_tables *t, FILE *out)
{
	const size_t n = t ? t->n_processes : 0;
	struct program *all = calloc(n + 1, sizeof(*all));

	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		all[i].process = &t->processes[i];
		sample_program(&t->processes[i], all[i].name);
	}
	const size_t programs = n ? count_programs(all, n) : 0;

	if (programs == 1 && all[0].n == 1) {
		const struct sample_process *p = all[0].process;

		text_safe(out, p->exe ? p->exe : all[0].name);
		fprintf(out, ", pid %u", p->pid);
	}
	for (size_t i = 0; (programs > 1 || all[0].n > 1) && i < programs; i++) {
		if (i == PROGRAMS_SAID) {
			fprintf(out, ", and %zu more program%s", programs - i,
				plural(programs - i));
			break;
		}
		fputs(i ? ", " : "", out);
		text_safe(out, all[i].name);
		fprintf(out, " (%zu process%s)", all[i].n, all[i].n == 1 ? "" : "es");
	}
	free(all);
	return 0;
}

static int by_number(const void *x, const void *y)
{
	return compare_u64(*(const uint32_t *)x, *(const uint32_t *)y);
}

uint64_t sample_processes_seen(const struct loaded_samples *s)
{
	uint32_t *pids = calloc(s->n_groups + 1, sizeof(*pids));
	uint64_t seen = 0;
	size_t n = 0;

	for (size_t i = 0; i < s->n_groups && pids; i++)
		if (!s->groups[i].left_out)
			pids[n++] = s->tables->processes[s->groups[i].process].pid;
	if (n)
		qsort(pids, n, sizeof(*pids), by_number);
	for (size_t i = 0; i < n; i++)
		seen += !i || pids[i] != pids[i - 1];
	free(pids);
	return seen;
}

int sample_processes_check(const struct trace_view *v, const struct sample_tables *t)
{
	for (size_t i = 0; v && i < v->n_processes; i++) {
		bool any = false;

		for (size_t k = 0; k < t->n_processes && !any; k++)
			any = matches(v->processes[i], &t->processes[k]);
		if (!any) {
			log_missing(v->processes[i], t);
			return -ENOENT;
		}
	}
	return 0;
}
