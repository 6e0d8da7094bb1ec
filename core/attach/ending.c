// SPDX-License-Identifier: BSD-2-Clause
#include "attach/ending.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/wait.h>

#include "attach/describe.h"
#include "attach/kernel/costs.h"
#include "base/clock.h"
#include "trace/keys.h"

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
		{ KEY_END_EVENTS, s->events },
		{ KEY_END_LOST_EVENTS, s->lost_events },
		{ KEY_END_LOST_RECORDS, s->lost_records },
		{ KEY_END_DROPPED_SIGNAL_STACK, c.dropped_signal },
		{ KEY_END_DROPPED_OUTSIDE_STACK, c.dropped_outside },
		{ KEY_END_DROPPED_FAULT, c.dropped_fault },
		{ KEY_END_TIME_NS, clock_monotonic_ns() },
		{ KEY_END_DETACH_NS, r->outcome.detach_ns },
		{ KEY_END_IMAGES, s->images },
	};
	int err = 0;

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts) && !err; i++)
		err = set_count(end, counts[i].key, counts[i].n);
	if (!err && r->outcome.off_cpu_seen.missed)
		err = set_count(end, KEY_END_OFF_CPU_MISSED, r->outcome.off_cpu_seen.missed);
	if (!err && r->probing->plan->states && !r->outcome.no_off_cpu)
		err = set_count(end, KEY_END_OFF_CPU_GOTRACE_NS,
				r->outcome.off_cpu_seen.gotrace_ns);
	for (enum cost_class k = 0; k < COST_CLASSES && !err; k++) {
		uint64_t n = collector_class_events(r->collector, k);

		if (n)
			err = set_count(end, cost_class_events_key(k), n);
	}
	if (!err && c.values_ns)
		err = set_count(end, KEY_END_VALUES_NS, c.values_ns);
	return err;
}

/* Adds the costly sites, and how many events of inline stubs took a trap. */
static int describe_load(const struct recording *r, struct trace_info *end)
{
	uint64_t cpu_ns = target_cpu_ns(r->target) - r->times.cpu_before_ns;
	char text[LOAD_TEXT_BYTES];
	struct probe_load l;
	int err = load_watch_find(&r->load, &l);

	/* Without stubs every RET is costly, so no site is worth a warning. */
	if (!err && r->probing->n_in_stub && probe_load_costly_text(&l, cpu_ns, text))
		err = trace_info_set(end, KEY_WARN_LOAD, text);
	if (!err && r->probing->strategy == PROBE_INLINE)
		err = set_count(end, KEY_END_INLINE_TRAPS, l.inline_trapped);
	probe_load_free(&l);
	return err;
}

static int describe_inline(const struct recording *r, const struct collector_stats *s,
			   struct trace_info *end)
{
	const struct rings_stats rings = collector_ring_stats(r->collector);
	const struct collector_clock clock = collector_clock(r->collector);
	const struct ring_signals *signals = ring_area_signals(&r->probing->rings);
	const struct {
		const char *key;
		uint64_t n;
	} counts[] = {
		{ KEY_END_EVENTS_INLINE, s->ring_events },
		{ KEY_END_RING_MOST_BYTES, rings.most_bytes },
		{ KEY_END_RING_LATE, rings.late },
		{ KEY_END_RINGS_DISABLED, rings.disabled },
		{ KEY_END_SIGNALS_IN_STUBS, signals->in_stubs },
		{ KEY_END_SIGNALS_ROLLED_BACK, signals->rolled_back },
		{ KEY_END_STUB_FAULTS, signals->faults },
		{ KEY_END_CLOCK_WORST_NS, clock.worst_ns },
		{ KEY_END_CLOCK_JUMPS, clock.jumps },
	};
	int err = 0;

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts) && !err; i++)
		err = set_count(end, counts[i].key, counts[i].n);
	if (!err && rings.disabled)
		err = trace_info_setf(
			end, KEY_WARN_RINGS,
			"%u of %u rings held what no stub writes (%s) and were not read "
			"any further: the program overwrote them?",
			rings.disabled, r->probing->rings.n, ring_fault_text(rings.fault));
	return err;
}

/* Images of the traced binary that no probe saw: executed by a thread that was not the process's
 * first, after which the kernel's filter by process matches no more (open_to_all in recording.c).
 */
static uint64_t missed_images(const struct recording *r, const struct collector_stats *s)
{
	uint64_t own = r->children.state->own_execs;

	return own > s->images ? own - s->images : 0;
}

static int describe_target(const struct recording *r, const struct collector_stats *s,
			   struct trace_info *end)
{
	int status = r->target->wait_status, err = 0;
	uint64_t cpu_ns = target_cpu_ns(r->target), system_ns = target_system_ns(r->target);
	uint64_t system_most_ns = cpu_ns - r->times.cpu_before_ns; /* ticks may say more */

	if (children_counted(&r->children)) {
		err = set_count(end, KEY_END_CHILDREN, r->children.state->children);
		/* The launched command's own exec is one of them. */
		if (!err)
			err = set_count(end, KEY_END_EXECS, r->children.state->execs);
		if (!err && missed_images(r, s))
			err = set_count(end, KEY_END_MISSED_IMAGES, missed_images(r, s));
	}
	if (!err && r->target->launched && r->target->ended && WIFEXITED(status))
		err = set_count(end, KEY_END_STATUS, WEXITSTATUS(status));
	if (!err && r->target->launched && r->target->ended && WIFSIGNALED(status))
		err = set_count(end, KEY_END_SIGNAL, WTERMSIG(status));
	if (!err && r->outcome.target_end_ns && r->target->exec_ns)
		err = set_count(end, KEY_END_TARGET_WALL_NS,
				r->outcome.target_end_ns - r->target->exec_ns);
	if (!err && cpu_ns > r->times.cpu_before_ns)
		err = set_count(end, KEY_END_TARGET_CPU_NS, cpu_ns - r->times.cpu_before_ns);
	if (!err && system_ns > r->times.system_before_ns)
		err = set_count(end, KEY_END_TARGET_SYSTEM_NS,
				system_ns - r->times.system_before_ns < system_most_ns
					? system_ns - r->times.system_before_ns
					: system_most_ns);
	if (!err && r->times.own_cpu_ns)
		err = set_count(end, KEY_END_OWN_CPU_NS, r->times.own_cpu_ns);
	if (!err)
		err = times_describe(&r->times, end);
	return err ? err : cpu_samples_describe(&r->cpu_samples, end);
}

/* All threads of a running process were stopped. */
static int describe_pauses(const struct recording *r, struct trace_info *end)
{
	const struct stop_times *in = &r->probing->stops_in, *out = &r->probing->stops_out;
	const struct {
		const char *key;
		uint64_t n;
	} counts[] = {
		{ KEY_END_PAUSE_NS, in->longest_ns },
		{ KEY_END_PAUSES, in->n },
		{ KEY_END_PAUSE_SUM_NS, in->sum_ns },
		{ KEY_END_PUT_BACK_PAUSE_NS, out->longest_ns },
		{ KEY_END_PUT_BACK_PAUSES, out->n },
		{ KEY_END_PUT_BACK_PAUSE_SUM_NS, out->sum_ns },
	};
	int err = 0;

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts) && !err; i++)
		err = set_count(end, counts[i].key, counts[i].n);
	return err;
}

static int describe_stubs(const struct recording *r, const struct collector_stats *s,
			  struct trace_info *end)
{
	const struct probing *p = r->probing;
	const size_t n_left_out = r->n_stubs - p->n_in_stub;
	int err = set_count(end, KEY_END_STUBS, p->n_in_stub);

	if (!err)
		err = set_count(end, KEY_END_STUBS_LEFT, n_left_out);
	if (!err && r->outcome.patch_ns)
		err = set_count(end, KEY_END_PATCH_NS, r->outcome.patch_ns);
	if (!err && r->probing->stops_in.n)
		err = describe_pauses(r, end);
	if (!err && !p->n_in_stub) /* the header says something else */
		err = describe_strategy(end, p);
	else if (!err && p->n_left_out)
		err = trace_info_setf(end, KEY_WARN_STUBS,
				      "calls of %zu function%s were not recorded: the process was "
				      "executing the instructions that stubs would have replaced",
				      p->n_left_out, p->n_left_out == 1 ? "" : "s");
	else if (!err && n_left_out)
		err = trace_info_setf(end, KEY_WARN_STUBS,
				      "%zu of %zu sites could not be moved to stubs (%s) and are "
				      "single-stepped",
				      n_left_out, r->n_stubs,
				      r->probing->stops_in.n ? "the process was executing them"
							     : "another tool probes there?");
	if (!err && p->n_in_stub && r->outcome.new_image)
		err = trace_info_set(
			end, KEY_WARN_IMAGE,
			r->target->launched
				? "the process executed itself anew. Its new image had no "
				  "stubs, so its calls trapped and took longer"
				: "the process executed itself anew. Calls since then were "
				  "not recorded");
	else if (!err && p->n_in_stub && s->images > 1)
		err = trace_info_set(
			end, KEY_WARN_IMAGE,
			"the process executed itself anew. The new image was not patched, "
			"so most of its calls' ends were not seen");
	return err;
}

int ending_describe(const struct recording *r, struct trace_info *end)
{
	struct collector_stats s = collector_stats(r->collector);
	int err = trace_info_set(end, KEY_END_REASON, end_reason_name(r->outcome.reason));

	if (!err)
		err = describe_counts(r, &s, end);
	if (!err)
		err = phases_describe(r->phases, end);
	if (!err)
		err = text_watch_describe(&r->text_watch, end);
	if (!err && s.layout_wrong)
		err = trace_info_set(end, KEY_END_LAYOUT_WRONG, "1");
	if (!err)
		err = describe_target(r, &s, end);
	if (!err && r->probing->strategy == PROBE_INLINE)
		err = describe_inline(r, &s, end);
	if (!err)
		err = describe_load(r, end);
	if (!err && r->releasing.n_released)
		err = set_count(end, KEY_END_RELEASED, r->releasing.n_released);
	if (!err && r->releasing.n_released)
		err = set_count(end, KEY_END_RELEASED_HITS, releases_hits(r->releasing.releases));
	return err || !r->n_stubs ? err : describe_stubs(r, &s, end);
}
