/* SPDX-License-Identifier: BSD-2-Clause */
/* A recording of samples made up for tests. main.main calls main.one and main.two. These call
 * main.leaf, which is inlined in main.two. There is also a thread in C, and a label. */
#ifndef GOTRACE_SAMPLES_FIXTURE_H
#define GOTRACE_SAMPLES_FIXTURE_H

#include "trace/samples.h"

#define FIXTURE_SAMPLES   10u
#define FIXTURE_WEIGHT_NS 10000000u
/* Samples were taken from before the first one until after the last one. */
#define FIXTURE_STRETCH_FROM_NS "900000000"
#define FIXTURE_STRETCH_TO_NS   "2500000000"

/* Writes the recording into w, with symbols or without. 0 or -errno. */
int samples_fixture_write(struct trace_writer *w, bool symbols);
/* Writes them into a whole file at path. 0 or -errno. */
int samples_fixture_file(const char *path, bool symbols);
/* Writes samples of an event that is no clock, whose weights count events. count is that of -c;
 * NULL when it was not given. */
int samples_fixture_event(const char *path, const char *event, const char *count);

#endif
