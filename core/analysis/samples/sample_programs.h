/* SPDX-License-Identifier: BSD-2-Clause */
/* The programs of a trace of samples. Reports and exports separate them. */
#ifndef GOTRACE_SAMPLE_PROGRAMS_H
#define GOTRACE_SAMPLE_PROGRAMS_H

#include <stddef.h>
#include <stdint.h>

#include "trace/samples.h"

struct loaded_samples;
struct trace_view;

struct sample_program {
	/* The last part of its path. It is the path where another program has the same part, and
	 * [comm] where there is no path. */
	char *name;
	uint32_t process;   /* a process that executes it */
	uint64_t weight_ns; /* sample_programs_weigh adds up the samples that the view shows */
	uint64_t samples;
};

/* Empty if there is one program. */
struct sample_programs {
	struct sample_program *list;
	size_t n;
	uint32_t *of; /* program by process, or TRACE_NONE without samples */
};

/* Returns the order of two programs, 0 if both processes execute one program. */
int sample_program_compare(const struct sample_process *a, const struct sample_process *b);
/* Finds the programs with samples, after the groups of s were read. The struct stays empty if one
 * program is left, also by a view, which may be NULL. 0 or -ENOMEM. */
int sample_programs_find(struct loaded_samples *s, const struct trace_view *v);
/* Adds up the shown samples of each program. */
void sample_programs_weigh(struct loaded_samples *s);
void sample_programs_free(struct sample_programs *p);

/* Returns the name of a process's program, NULL if there is one program. */
const char *sample_program_of(const struct loaded_samples *s, uint32_t process);
/* Returns the numbers of programs sorted by weight, to be freed. NULL without memory. */
uint32_t *sample_programs_order(const struct loaded_samples *s);

#endif
