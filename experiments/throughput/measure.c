// SPDX-License-Identifier: BSD-2-Clause
/*
 * How fast a trace is read, and its events become calls, a tree and statistics,
 * on one core. The file should be in the page cache.
 *
 *     measure read|report FILE
 *
 * read: decodes the events only. One CSV row on stdout: see run.sh.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "model/model.h"

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* m: NULL when the events are only to be read. */
static int feed(struct model *m, struct trace_reader *r, uint64_t *events)
{
	struct trace_span span;
	int got, err = 0;

	while (!err && (got = trace_reader_span(r, &span)) > 0) {
		*events += span.n;
		if (m)
			err = model_feed_span(m, &span);
	}
	if (!err && !got && m)
		err = model_finish(m);
	return err ? err : got;
}

int main(int argc, char **argv)
{
	bool report = argc == 3 && !strcmp(argv[1], "report");

	if (!report && (argc != 3 || strcmp(argv[1], "read"))) {
		fprintf(stderr, "usage: measure read|report FILE\n");
		return 2;
	}
	uint64_t start = now_ns(), events = 0, calls = 0, root_ns = 0;
	struct trace_reader *r = trace_reader_open(argv[2]);
	struct model *m = r && report ? model_new(trace_reader_info(r), NULL) : NULL;
	struct rusage use;
	size_t nodes = 0;

	if (!r || (report && !m) || feed(m, r, &events)) {
		fprintf(stderr, "measure: %s could not be measured\n", argv[2]);
		return 1;
	}
	uint64_t wall_ns = now_ns() - start;

	if (m) {
		calls = model_totals(m)->calls;
		root_ns = model_totals(m)->root_ns;
		model_paths(m, &nodes);
	}
	getrusage(RUSAGE_SELF, &use);
	/* events,wall_ns,cpu_ns,peak_kib,nodes,calls,root_ns */
	printf("%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%ld,%zu,%" PRIu64 ",%" PRIu64 "\n", events,
	       wall_ns,
	       (uint64_t)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1000000000u +
		       (uint64_t)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1000u,
	       use.ru_maxrss, nodes ? nodes - 1 : 0, calls, root_ns);
	model_free(m);
	trace_reader_close(r);
	return 0;
}
