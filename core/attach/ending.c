// SPDX-License-Identifier: BSD-2-Clause
#include "attach/ending.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/wait.h>

#include "attach/kernel/costs.h"
#include "base/clock.h"

const char *end_reason_name(enum end_reason r)
{
	static const char *const names[] = {
		[END_EXITED] = "exited",
		[END_DURATION] = "duration",
		[END_SIZE] = "size",
		[END_INTERRUPTED] = "interrupted",
		[END_WRITE_ERROR] = "write-error",
		[END_NOT_STARTED] = "not-started",
	};

	return names[r];
}

static int set_count(struct trace_info *end, const char *key, uint64_t n)
{
	return trace_info_setf(end, key, "%" PRIu64, n);
}

static int describe_counts(const struct recording *r, const struct collector_stats *s,
			   struct trace_info *end)
{
	struct cpu_counters c = probes_counters(&r->probes);
	const struct {
		const char *key;
		uint64_t n;
	} counts[] = {
		{ "end.events", s->events },
		{ "end.lost_events", s->lost_events },
		{ "end.lost_records", s->lost_records },
		{ "end.dropped_signal_stack", c.dropped_signal },
		{ "end.dropped_outside_stack", c.dropped_outside },
		{ "end.dropped_fault", c.dropped_fault },
		{ "end.time_ns", clock_monotonic_ns() },
		{ "end.detach_ns", r->detach_ns },
		{ "end.images", s->images },
	};
	int err = 0;

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts) && !err; i++)
		err = set_count(end, counts[i].key, counts[i].n);
	for (enum cost_class k = 0; k < COST_CLASSES && !err; k++) {
		uint64_t n = collector_class_events(r->collector, k);
		char key[32];

		snprintf(key, sizeof(key), "end.events_%s", cost_class_name(k));
		if (n)
			err = set_count(end, key, n);
	}
	return err;
}

static int describe_target(const struct recording *r, struct trace_info *end)
{
	int status = r->target->wait_status, err = 0;

	if (children_counted(&r->children)) {
		err = set_count(end, "end.children", r->children.state->children);
		/* The launched command's own exec is one of them. */
		if (!err)
			err = set_count(end, "end.execs", r->children.state->execs);
	}
	if (!err && r->target->launched && r->target->ended && WIFEXITED(status))
		err = set_count(end, "end.status", WEXITSTATUS(status));
	if (!err && r->target->launched && r->target->ended && WIFSIGNALED(status))
		err = set_count(end, "end.signal", WTERMSIG(status));
	if (!err && r->target_end_ns && r->target->exec_ns)
		err = set_count(end, "end.target_wall_ns", r->target_end_ns - r->target->exec_ns);
	return err;
}

static int describe_stubs(const struct recording *r, const struct collector_stats *s,
			  struct trace_info *end)
{
	int err = set_count(end, "end.stubs", r->n_stubs - r->n_stubs_left);

	if (!err)
		err = set_count(end, "end.stubs_left", r->n_stubs_left);
	if (!err)
		err = set_count(end, "end.patch_ns", r->patch_ns);
	if (!err && r->n_stubs_left == r->n_stubs)
		err = trace_info_set(end, "probe.strategy", probe_strategy_name(PROBE_EMULATED));
	if (!err && r->n_stubs_left == r->n_stubs)
		err = trace_info_set(end, "probe.why", r->why);
	else if (!err && r->n_stubs_left)
		err = trace_info_setf(end, "warn.stubs",
				      "%zu of %zu sites could not be moved to stubs (another tool "
				      "probes there?) and are single-stepped",
				      r->n_stubs_left, r->n_stubs);
	if (!err && r->n_stubs > r->n_stubs_left && s->images > 1)
		err = trace_info_set(
			end, "warn.image",
			"the process executed itself anew: the new image was not patched, "
			"so most of its calls' ends were not seen");
	return err;
}

int ending_describe(const struct recording *r, struct trace_info *end)
{
	struct collector_stats s = collector_stats(r->collector);
	int err = trace_info_set(end, "end.reason", end_reason_name(r->reason));

	if (!err)
		err = describe_counts(r, &s, end);
	if (!err && s.layout_wrong)
		err = trace_info_set(end, "end.layout_wrong", "1");
	if (!err)
		err = describe_target(r, end);
	return err || !r->n_stubs ? err : describe_stubs(r, &s, end);
}
