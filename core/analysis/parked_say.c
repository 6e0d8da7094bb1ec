// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/parked.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/trace_names.h"
#include "analysis/waits.h"
#include "base/text_format.h"

#define NAMED 3

/* Goroutines that began with one function and wait for one reason. */
struct parked_group {
	uint32_t first, reason;
	uint64_t goroutines;
};

/* The outermost call of the goroutine. */
static uint32_t first_func(const struct path_node *nodes, uint32_t path)
{
	while (!nodes[path].go_edge && nodes[path].parent)
		path = nodes[path].parent;
	return nodes[path].func;
}

static size_t make_groups(const struct parked *p, const struct model *m,
			  struct parked_group *groups)
{
	size_t n_nodes, n_places, n = 0;
	const struct path_node *nodes = model_paths(m, &n_nodes);
	const struct parked_place *places = parked_places(p, &n_places);

	for (size_t i = 0; i < n_places; i++) {
		const uint32_t first = first_func(nodes, places[i].path);
		size_t k = 0;

		while (k < n && (groups[k].first != first || groups[k].reason != places[i].reason))
			k++;
		if (k == NAMED)
			continue;
		if (k == n)
			groups[n++] = (struct parked_group){ first, places[i].reason, 0 };
		groups[k].goroutines += places[i].goroutines;
	}
	return n;
}

char *parked_say(const struct parked *p, const struct model *m, const struct trace_info *info)
{
	struct parked_group groups[NAMED];
	char reason[WAIT_REASON_BYTES], *line = NULL;
	uint64_t ns = 0, goroutines = 0, named = 0;
	size_t n, size = 0;
	const struct parked_place *places = parked_places(p, &n);

	for (size_t i = 0; i < n; i++) {
		ns += places[i].ns;
		goroutines += places[i].goroutines;
	}
	FILE *f = n ? open_memstream(&line, &size) : NULL;
	if (!f)
		return NULL;
	fprintf(f, "left out: %s of %" PRIu64 " parked goroutine%s (--parked shows it):", HUMAN(ns),
		goroutines, plural(goroutines));
	n = make_groups(p, m, groups);
	for (size_t i = 0; i < n; i++) {
		named += groups[i].goroutines;
		fprintf(f, "%s %" PRIu64 " of %s (%s)", i ? "," : "", groups[i].goroutines,
			trace_name_func(info, groups[i].first),
			wait_reason(info, groups[i].reason, reason));
	}
	if (named < goroutines)
		fprintf(f, ", %" PRIu64 " more", goroutines - named);
	return text_stream_close(f, &line) ? NULL : line;
}
