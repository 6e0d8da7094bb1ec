// SPDX-License-Identifier: BSD-2-Clause
/*
 * How often each probe of a trace was hit:
 *
 *     sites FILE
 *
 * A line a site that was hit: function, address of the instruction minus the function's, in hex
 * as `gotrace plan --explain` prints it, and events; one of the runtime's has "runtime" and
 * `plan`'s word for it instead. The difference between addresses and
 * offsets in the file is that of the text: 0x400000 in a Go program that is no PIE.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/event_kinds.h"
#include "trace/trace.h"

#define TEXT_VADDR 0x400000u

static void print_sites(const struct trace_info *t, const uint64_t *hits)
{
	for (size_t i = 0; i < t->n_sites; i++) {
		const struct trace_site *s = &t->sites[i];

		if (hits[i] && s->func == TRACE_NONE)
			printf("runtime\t%s\t%" PRIu64 "\n", event_kind_site(s->kind), hits[i]);
		else if (hits[i])
			printf("%s\t+0x%" PRIx64 "\t%" PRIu64 "\n", t->funcs[s->func].name,
			       s->file_off + TEXT_VADDR - t->funcs[s->func].vaddr, hits[i]);
	}
}

int main(int argc, char **argv)
{
	struct trace_reader *r = argc == 2 ? trace_reader_open(argv[1]) : NULL;
	const struct trace_info *t;
	struct trace_span span;
	uint64_t *hits;
	int err;

	if (!r)
		return 1;
	t = trace_reader_info(r);
	hits = calloc(t->n_sites + 1, sizeof(*hits));
	if (!hits)
		return 1;
	while ((err = trace_reader_span(r, &span)) > 0)
		for (size_t i = 0; i < span.n; i++)
			if (span.ev[i].site < t->n_sites)
				hits[span.ev[i].site]++;
	print_sites(t, hits);
	free(hits);
	trace_reader_close(r);
	return err ? 1 : 0;
}
