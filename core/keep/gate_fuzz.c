// SPDX-License-Identifier: BSD-2-Clause
/*
 * Arbitrary event streams through every client of core/pair (libFuzzer; ci/fuzz.sh): the gate, a
 * flight recorder behind it, --min-duration, and the model behind both. An input is three bytes of
 * options and eight bytes an event, as of model/pairing_fuzz.c. What must hold of any stream holds
 * of what comes out.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/vec.h"
#include "keep/flight.h"
#include "keep/gate.h"
#include "keep/min_duration.h"
#include "model/audit_fixture.h"
#include "model/exec_fixture.h"
#include "model/fuzz_events_fixture.h"
#include "trace/evlist.h"

#define MAX_EVENTS 400

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct list {
	struct event_ext *ev;
	size_t n, cap;
	struct trace_sink next;
};

static int add(void *ctx, const struct event_ext *ev)
{
	struct list *l = ctx;

	if (vec_reserve(&l->ev, &l->cap, l->n + 1))
		abort();
	l->ev[l->n++] = *ev;
	return l->next.event ? l->next.event(l->next.ctx, ev) : 0;
}

static int add_many(void *ctx, const struct event *ev, size_t n)
{
	int err = 0;

	for (size_t i = 0; i < n && !err; i++)
		err = add(ctx, &(struct event_ext){ .h = ev[i] });
	return err;
}

static void feed(struct trace_sink sink, const struct event_ext *ev, size_t n)
{
	struct trace_info end = { 0 };

	for (size_t i = 0; i < n; i++) {
		bool array = !event_kind_has_args(ev[i].h.kind) && i % 2;

		if (array ? sink.many(sink.ctx, &ev[i].h, 1) : sink.event(sink.ctx, &ev[i]))
			abort();
		if (i % 8 == 0 && sink.round(sink.ctx, ev[i].h.ts_ns))
			abort();
	}
	if (sink.finish(sink.ctx, &end))
		abort();
	trace_info_free(&end);
}

static void audit_list(const struct trace_info *info, const struct list *out, bool in_order)
{
	struct audit audit;
	struct model_options opt = audit_options(&audit, info, in_order);
	struct model *m = model_new(info, &opt);

	if (!m)
		abort();
	for (size_t i = 0; i < out->n; i++)
		if (model_feed(m, &out->ev[i]))
			abort();
	if (model_finish(m))
		abort();
	const char *fault = audit_finish(&audit, m);

	if (fault) {
		fprintf(stderr, "does not hold: %s\n", fault);
		evlist_write_info(stderr, info);
		for (size_t i = 0; i < out->n; i++)
			evlist_write_event(stderr, info, NULL, &out->ev[i], NULL);
		abort();
	}
	model_free(m);
}

static void fuzz_min_duration(const struct trace_info *info, const struct event_ext *ev, size_t n,
			      uint64_t min_ns, bool in_order)
{
	struct list out = { 0 };
	const struct trace_sink next = { .event = add, .many = add_many, .ctx = &out };
	struct min_duration *m = min_duration_new(info, min_ns, &next);

	if (!m)
		abort();
	feed(min_duration_sink(m), ev, n);
	audit_list(info, &out, in_order);
	min_duration_free(m);
	free(out.ev);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct event_ext ev[MAX_EVENTS]; /* the fuzzer is one thread */
	struct trace_info info = { 0 };
	struct list out = { 0 };
	bool trigger[EXEC_FUNCS], when[EXEC_FUNCS];
	uint64_t now_ns = 1000;
	size_t n = 0;

	if (size < 3 || exec_info(&info))
		return 0;
	for (int i = 0; i < EXEC_FUNCS; i++) {
		trigger[i] = data[1] >> i & 1;
		when[i] = data[2] >> i & 1;
	}
	for (size_t at = 3; at + FUZZ_EVENT_BYTES <= size && n < MAX_EVENTS; at += FUZZ_EVENT_BYTES)
		ev[n++] = fuzz_event(data + at, !(data[0] & 1), &now_ns);
	const struct flight_options flight = { .info = &info,
					       .keep_ns = 200,
					       .keep_bytes = 1 << 20,
					       .when = when,
					       .when_ns = 300,
					       .times = 1000 };
	struct flight *f = flight_new(&flight);

	if (!f)
		abort();
	out.next = flight_sink(f);
	const struct gate_options opt = { .info = &info,
					  .next = { .event = add, .many = add_many, .ctx = &out },
					  .depth = data[0] >> 1 & 3,
					  .trigger = data[1] & 64 ? trigger : NULL,
					  .one_in = data[0] >> 3 & 3,
					  .off = data[0] >> 5 & 1,
					  .why = WINDOW_BY_TOGGLE };
	struct gate *g = gate_new(&opt);

	if (!g)
		abort();
	for (unsigned i = 0; i < (data[0] >> 6 & 3u); i++)
		gate_switch(g, 1100 + 700 * i);
	feed(gate_sink(g), ev, n);
	audit_list(&info, &out, !(data[0] & 1));
	fuzz_min_duration(&info, ev, n, 64u * (data[2] >> 6), !(data[0] & 1));
	gate_free(g);
	flight_free(f);
	free(out.ev);
	trace_info_free(&info);
	return 0;
}
