// SPDX-License-Identifier: BSD-2-Clause
/* Results of snapshots, as keys of a trace. */
#include <inttypes.h>
#include <stdio.h>

#include "sample/wall.h"
#include "trace/keys.h"

int wall_describe_reasons(const struct wall *w, struct trace_info *to)
{
	int err = 0;

	for (unsigned i = 1; i <= w->n_reasons && !err; i++) {
		char key[48];

		snprintf(key, sizeof(key), KEY_STATES_REASON ".%u", i);
		err = trace_info_set(to, key, w->reason[i]);
	}
	return err;
}

int wall_describe(const struct wall *w, struct trace_info *end)
{
	const struct {
		const char *key;
		uint64_t n;
	} counts[] = {
		{ KEY_END_SNAPSHOTS, w->snapshots },
		{ KEY_END_SNAPSHOTS_DRAWN, w->drawn },
		{ KEY_END_SNAPSHOTS_LISTED, w->listed },
		{ KEY_END_SNAPSHOTS_TORN, w->torn },
		{ KEY_END_SNAPSHOTS_RUNNING_NS, w->running_ns },
		{ KEY_END_SNAPSHOTS_IDLE_NS, w->idle_ns },
		{ KEY_END_SNAPSHOTS_NS, w->last_ns - w->begin_ns },
		{ KEY_END_SNAPSHOTS_GAP_NS, w->gap_ns },
		{ KEY_END_SNAPSHOTS_NOT_GO, w->not_go },
		{ KEY_END_THREADS_SNAPSHOTS, w->threads.snapshots },
		{ KEY_END_THREADS_DRAWN, w->threads.drawn },
		{ KEY_END_THREADS_LISTED, w->threads.listed },
		{ KEY_END_THREADS_TORN, w->threads.torn },
		{ KEY_END_THREADS_RUNNING_NS, w->threads.running_ns },
	};
	int err = 0;

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts) && !err; i++)
		err = trace_info_setf(end, counts[i].key, "%" PRIu64, counts[i].n);
	if (!err && w->silent)
		err = trace_info_setf(end, KEY_END_SNAPSHOTS_SILENT, "%" PRIu64, w->silent);
	return err ? err : wall_describe_reasons(w, end);
}
