// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/parked.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/trace_names.h"
#include "analysis/calls/wait_rows.h"
#include "base/text_format.h"

#define NAMED 3

/* The outermost call of the goroutine. */
static uint32_t first_func(const struct path_node *nodes, uint32_t path)
{
	while (!nodes[path].go_edge && nodes[path].parent)
		path = nodes[path].parent;
	return nodes[path].func;
}

static int by_first(const void *a, const void *b)
{
	const struct parked_group *x = a, *y = b;

	return x->first != y->first ? (x->first > y->first ? 1 : -1)
				    : (x->reason > y->reason) - (x->reason < y->reason);
}

static int most_first(const void *a, const void *b)
{
	const struct parked_group *x = a, *y = b;

	return x->goroutines != y->goroutines ? (x->goroutines < y->goroutines ? 1 : -1)
					      : by_first(a, b);
}

/* Joins groups that are alike; the largest first. Returns how many there are then. */
static size_t join(struct parked_group *g, size_t n)
{
	size_t to = 0;

	qsort(g, n, sizeof(*g), by_first);
	for (size_t i = 0; i < n; i++) {
		if (to && !by_first(&g[to - 1], &g[i]))
			g[to - 1].goroutines += g[i].goroutines;
		else
			g[to++] = g[i];
	}
	qsort(g, to, sizeof(*g), most_first);
	return to;
}

char *parked_groups_say(struct parked_group *g, size_t n, uint64_t ns,
			const struct trace_info *info)
{
	char reason[WAIT_REASON_BYTES], *line = NULL;
	uint64_t goroutines = 0, named = 0;
	size_t size = 0;
	FILE *f = open_memstream(&line, &size);

	if (!f)
		return NULL;
	n = join(g, n);
	for (size_t i = 0; i < n; i++)
		goroutines += g[i].goroutines;
	fprintf(f, "left out: %s of %" PRIu64 " parked goroutine%s (--parked shows it):", HUMAN(ns),
		goroutines, plural(goroutines));
	for (size_t i = 0; i < n && i < NAMED; i++) {
		named += g[i].goroutines;
		fprintf(f, "%s %" PRIu64 " of %s (%s)", i ? "," : "", g[i].goroutines,
			trace_name_func(info, g[i].first), wait_reason(info, g[i].reason, reason));
	}
	if (named < goroutines)
		fprintf(f, ", %" PRIu64 " more", goroutines - named);
	return text_stream_close(f, &line) ? NULL : line;
}

char *parked_say(const struct parked *p, const struct model *m, const struct trace_info *info)
{
	size_t n_nodes, n;
	const struct path_node *nodes = model_paths(m, &n_nodes);
	const struct parked_place *places = parked_places(p, &n);
	struct parked_group *g = parked_ns(p) ? calloc(n + 1, sizeof(*g)) : NULL;

	for (size_t i = 0; g && i < n; i++)
		g[i] = (struct parked_group){ first_func(nodes, places[i].path), places[i].reason,
					      places[i].goroutines };
	char *line = g ? parked_groups_say(g, n, parked_ns(p), info) : NULL;

	free(g);
	return line;
}
