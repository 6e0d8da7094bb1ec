/* SPDX-License-Identifier: BSD-2-Clause */
/* Sampled processes by name: --process, --by=process, --by=program. */
#ifndef GOTRACE_ANALYSIS_SAMPLE_PROCESSES_H
#define GOTRACE_ANALYSIS_SAMPLE_PROCESSES_H

#include <stdio.h>

#include "analysis/samples/sample_load.h"
#include "analysis/trace_view.h"
#include "trace/samples.h"

/* What it executes: the last part of its path, or its name where there is no path ("[kworker/0:1]"
 * in brackets as ps(1) has threads of the kernel). In buf, cut when it is longer. */
#define PROGRAM_BYTES 256
const char *sample_program(const struct sample_process *p, char buf[PROGRAM_BYTES]);
/* Whether the view has it: no --process, or one that matches its pid, name, path or program. */
bool sample_process_wanted(const struct trace_view *v, const struct sample_process *p);
/* For people, in one line: "/usr/bin/srv, pid 12", or how many processes of each program there are,
 * at most four programs. Nothing where there is no process. 0 or -ENOMEM */
int sample_programs_say(const struct sample_tables *t, FILE *out);
/* How many there are samples of that the view shows. One that executes another program, or is of a
 * fork that does, is one. */
uint64_t sample_processes_seen(const struct loaded_samples *s);
/* 0, or -ENOENT when a --process matches no process of the trace (logged, with those that there
 * are). */
int sample_processes_check(const struct trace_view *v, const struct sample_tables *t);

#endif
