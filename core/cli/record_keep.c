// SPDX-License-Identifier: BSD-2-Clause
/* What stands between the collected events and the trace, by the options. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>

#include "analysis/trace_view.h"
#include "attach/pausing.h"
#include "base/log.h"
#include "cli/record_run.h"
#include "trace/keys.h"

int record_keep_describe(const struct record_options *opt, struct trace_info *info)
{
	const struct keep_options *o = &opt->keep;
	int err = 0;

	if (o->summary || o->min_duration_ns)
		err = trace_info_set(info, KEY_SUMMARY, o->summary ? SUMMARY_ALONE : SUMMARY_CALLS);
	if (!err && o->min_duration_ns)
		err = trace_info_setf(info, KEY_MIN_DURATION_NS, "%" PRIu64, o->min_duration_ns);
	if (!err)
		err = gate_args_describe(&opt->gate, info);
	return err ? err : flight_args_describe(&opt->flight, info);
}

/* ---- the gate */

/* While recording is off the probes rest. Returns the time of that. */
static uint64_t turn_probes(struct run *r, bool on)
{
	return on ? pausing_resume(&r->recording) : pausing_pause(&r->recording);
}

static bool turn(struct run *r, bool on)
{
	if (!gate_switch(r->keep.gate, turn_probes(r, on)))
		return false;
	r->keep.on = on;
	return true;
}

/* A signal may have come before. */
static void on_ready(void *ctx)
{
	struct run *r = ctx;

	if (!r->keep.on)
		pausing_pause(&r->recording);
}

static void on_begin(void *ctx)
{
	turn(ctx, true);
}

static void on_signal(void *ctx, int signo)
{
	struct run *r = ctx;

	if (signo == SIGUSR1 && r->keep.flight) {
		flight_ask(r->keep.flight);
		return;
	}
	if (signo != SIGUSR2 || !r->keep.gate)
		return;
	if (!turn(r, !r->keep.on)) {
		turn_probes(r, r->keep.on);
		log_warn("SIGUSR2 came too often: one was left out");
		return;
	}
	log_info("recording is %s", r->keep.on ? "on" : "off");
}

/* By function: is it one of the triggers? To be freed; NULL and errno. */
static bool *mark_triggers(const struct gate_args *args, const struct trace_info *info)
{
	uint8_t *marks = calloc(info->n_funcs + 1, sizeof(*marks));
	bool *triggers = calloc(info->n_funcs + 1, sizeof(*triggers));
	int err = marks && triggers ? trace_view_mark("--trigger", args->triggers, args->n_triggers,
						      1, info, marks)
				    : -ENOMEM;

	for (size_t i = 0; !err && i < info->n_funcs; i++)
		triggers[i] = marks[i];
	free(marks);
	if (!err)
		return triggers;
	free(triggers);
	errno = -err;
	return NULL;
}

/* Before *next, which it takes the place of. */
static int begin_gate(struct run *r, struct trace_sink *next)
{
	const struct gate_args *args = &r->opt->gate;
	struct gate_options opt = { .info = &r->info,
				    .next = *next,
				    .depth = args->depth,
				    .one_in = args->one_in,
				    .off = args->delay_ns || (args->toggle && !args->toggle_on),
				    .rests = args->delay_ns || args->toggle,
				    .why = args->delay_ns ? WINDOW_BY_DELAY : WINDOW_BY_TOGGLE };
	bool *triggers = NULL;

	if (!gate_args_any(args))
		return 0;
	if (args->n_triggers) {
		triggers = mark_triggers(args, &r->info);
		if (!triggers)
			return -errno;
		opt.trigger = triggers;
	}
	r->keep.gate = gate_new(&opt);
	r->keep.on = !opt.off;
	free(triggers);
	if (!r->keep.gate) {
		log_no_memory("no memory to decide which calls are kept");
		return -ENOMEM;
	}
	*next = gate_sink(r->keep.gate);
	r->given.delay_ns = args->delay_ns;
	r->given.on_ready = on_ready;
	r->given.on_begin = args->delay_ns ? on_begin : NULL;
	r->given.on_start_ctx = r;
	return 0;
}

/* Before *next, which it takes the place of: counts and sums of all; of the calls the long ones go
 * on, or with --summary none. */
static int begin_summary(struct run *r, struct trace_writer *w, struct trace_sink *next)
{
	const struct keep_options *o = &r->opt->keep;
	struct keep *k = &r->keep;
	struct live_model_options live = { .info = &r->info, .writer = w };

	if (!o->summary && !o->min_duration_ns)
		return 0;
	if (o->min_duration_ns) {
		k->writer = *next;
		k->min_duration = min_duration_new(&r->info, o->min_duration_ns, &k->writer);
		if (!k->min_duration) {
			log_no_memory("no memory to hold calls back");
			return -ENOMEM;
		}
		k->calls = min_duration_sink(k->min_duration);
		live.next = &k->calls;
	}
	if (r->host && r->host->feed) {
		live.take = live_feed_take;
		live.take_ctx = r->host->feed;
		int err = live_feed_begin(r->host->feed, &r->info, &live.model);

		if (err)
			return err;
	}
	k->live = live_model_new(&live);
	if (!k->live)
		return -errno;
	*next = live_model_sink(k->live);
	return 0;
}

int record_keep_begin(struct run *r, struct trace_writer *w)
{
	struct keep *k = &r->keep;
	int err;

	k->first = trace_writer_sink(w);
	err = r->opt->flight.last ? record_flight_begin(r, w) : begin_summary(r, w, &k->first);
	if (!err)
		err = begin_gate(r, &k->first);
	r->signals.on_own = on_signal;
	r->signals.own_ctx = r;
	r->given.sink = &k->first;
	return err;
}

void record_keep_end(struct run *r)
{
	if (r->keep.flight)
		record_flight_tick(r); /* what was asked for last */
	gate_free(r->keep.gate);
	flight_free(r->keep.flight);
	live_model_free(r->keep.live);
	min_duration_free(r->keep.min_duration);
	r->keep = (struct keep){ 0 };
}
