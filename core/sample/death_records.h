/* SPDX-License-Identifier: BSD-2-Clause */
/* Stacks of processes that die, from the ring into the trace. */
#ifndef GOTRACE_DEATH_RECORDS_H
#define GOTRACE_DEATH_RECORDS_H

#include "sample/processes.h"
#include "sample/sample_bpf.h"
#include "trace/samples.h"

struct deaths {
	uint64_t n;       /* written */
	uint64_t refused; /* records without room in the trace */
};

/* Writes one record, if its process is in p. Returns 0, or -errno of the trace. */
int deaths_take(struct deaths *d, struct trace_writer *w, struct processes *p,
		const struct sample_record *r);
/* Sets the keys on deaths. Returns 0 or -errno. */
int deaths_describe(const struct deaths *d, const struct sample_bpf *bpf, struct trace_info *end);

#endif
