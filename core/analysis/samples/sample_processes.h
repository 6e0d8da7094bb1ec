/* SPDX-License-Identifier: BSD-2-Clause */
/* Sampled processes by name: --process, --by=process, --by=program. */
#ifndef GOTRACE_ANALYSIS_SAMPLE_PROCESSES_H
#define GOTRACE_ANALYSIS_SAMPLE_PROCESSES_H

#include <stdio.h>

#include "analysis/samples/sample_load.h"
#include "analysis/trace_view.h"
#include "trace/samples.h"

/* Returns the program that a process executes: the last part of its path, or its name where there
 * is no path. The name is in brackets, such as "[kworker/0:1]", as in ps(1) for threads of the
 * kernel. It is in buf, cut when it is longer. */
#define PROGRAM_BYTES 256
const char *sample_program(const struct sample_process *p, char buf[PROGRAM_BYTES]);
/* Returns the program of samples that are all of one; "" without samples. */
const char *sample_only_program(const struct loaded_samples *s, char buf[PROGRAM_BYTES]);
/* Returns whether the view has the process. It has no --process, or one that matches its pid, name,
 * path or program. */
bool sample_process_wanted(const struct trace_view *v, const struct sample_process *p);
/* Writes one line for people: "/usr/bin/srv, pid 12", or the number of processes of each program,
 * for at most four programs. Writes nothing without processes. 0 or -ENOMEM */
int sample_programs_say(const struct sample_tables *t, FILE *out);
/* Returns the number of processes with samples that the view shows. A process that executes another
 * program, or whose fork does, counts as one. */
uint64_t sample_processes_seen(const struct loaded_samples *s);
/* 0, or -ENOENT when a --process matches no process of the trace (logged, with those that there
 * are). */
int sample_processes_check(const struct trace_view *v, const struct sample_tables *t);

#endif
