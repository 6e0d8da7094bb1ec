/* SPDX-License-Identifier: BSD-2-Clause */
/* A trace of samples that no test reads. */
#ifndef GOTRACE_SAMPLES_WRITER_FIXTURE_H
#define GOTRACE_SAMPLES_WRITER_FIXTURE_H

#include "trace/trace.h"

/* Returns a writer of samples into a file in memory. */
struct trace_writer *samples_writer_fixture(void);

#endif
