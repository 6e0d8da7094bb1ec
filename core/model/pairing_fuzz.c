// SPDX-License-Identifier: BSD-2-Clause
/*
 * Arbitrary event streams into the pairing engine (libFuzzer; ci/fuzz.sh).
 *
 * An input is a byte of options and eight bytes an event: values from small
 * ranges, so that goroutines, depths and functions meet. What must hold of any
 * stream is in audit_fixture.c. When it does not hold, the stream is printed as
 * a text event list, ready to be made smaller and kept under fixtures/cases.
 */
#include <stdio.h>
#include <stdlib.h>

#include "model/audit_fixture.h"
#include "model/exec_fixture.h"
#include "trace/evlist.h"

#define EVENT_BYTES 8
#define MAX_EVENTS  512

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Few bits distinguish the function from its neighbours; now and then a site that is none. */
static uint32_t site_of(unsigned kind, uint8_t b)
{
	uint32_t func = b % EXEC_FUNCS, target = b / EXEC_FUNCS % (EXEC_FUNCS + 1);

	if (b >= 250)
		return b == 255 ? UINT32_MAX : exec_site(func, b - 249, TRACE_NONE);
	if (kind != EV_TAIL && kind != EV_ENTRY_TAIL)
		target = EXEC_FUNCS;
	switch (kind) {
	case EV_ENTRY:
	case EV_EXIT:
	case EV_TAIL:
	case EV_ENTRY_EXIT:
	case EV_ENTRY_TAIL:
	case EV_MORESTACK:
		return exec_site(func, kind, target == EXEC_FUNCS ? TRACE_NONE : target);
	default:
		return 0;
	}
}

/* Eight bytes as an event at or after *now_ns; time jumps about when not in order. */
static struct event_ext event_of(const uint8_t *p, bool in_order, uint64_t *now_ns)
{
	struct event_ext e = { .h = { .kind = p[0] & 15,
				      .flags = p[0] >> 4 & 7,
				      .goid = p[1] & 7,
				      .tid = p[1] >> 3 & 3,
				      .site = site_of(p[0] & 15, p[2]) } };

	/* Few depths: a goroutine's, and on system stacks those around the wrap. */
	e.h.depth = p[3] < 128 ? 16u * p[3] : 0xffffffffu - 8 * (p[3] - 128u);
	*now_ns += p[4];
	e.h.ts_ns = *now_ns;
	if (!in_order && p[4] >= 0xf0)
		e.h.ts_ns = p[4] == 0xff   ? UINT64_MAX
			    : p[4] == 0xf0 ? 0
					   : *now_ns - 16 * (p[4] & 15u);
	e.arg[0] = p[5] & 7;
	e.arg[1] = p[6];
	e.arg[2] = p[7] & 7;
	if (e.h.kind == EV_STOP)
		e.arg[0] = p[5] & 7 ? 0x1000 * (p[5] & 7u) + 0x10 : 0;
	if (e.h.kind == EV_CREATE)
		e.arg[1] = 0x2000 + 0x10 * (p[6] & 3u);
	if (e.h.kind == EV_LOSS) {
		e.h.ts_ns -= in_order ? 0 : p[6];
		e.arg[0] = e.h.ts_ns + p[5];
	}
	return e;
}

static void die(const char *fault, const struct trace_info *info, const struct event_ext *ev,
		size_t n)
{
	fprintf(stderr, "does not hold: %s\n", fault);
	evlist_write_info(stderr, info);
	for (size_t i = 0; i < n; i++)
		evlist_write_event(stderr, info, NULL, &ev[i]);
	abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint32_t max_paths[] = { 0, 1, 3, 20 };
	static struct event_ext ev[MAX_EVENTS]; /* the fuzzer is one thread */
	struct trace_info info = { 0 };
	struct audit audit;
	uint64_t now_ns = 1000;
	size_t n = 0;

	if (!size)
		return 0;
	bool in_order = !(data[0] & 1);

	if (exec_info(&info))
		abort();
	for (size_t at = 1; at + EVENT_BYTES <= size && n < MAX_EVENTS; at += EVENT_BYTES)
		ev[n++] = event_of(data + at, in_order, &now_ns);
	struct model_options opt = audit_options(&audit, &info, in_order);

	opt.max_paths = max_paths[data[0] >> 1 & 3];
	struct model *m = model_new(&info, &opt);

	if (!m)
		abort();
	for (size_t i = 0; i < n; i++)
		if (model_feed(m, &ev[i]))
			abort();
	if (model_finish(m))
		abort();
	const char *fault = audit_finish(&audit, m);

	if (fault)
		die(fault, &info, ev, n);
	model_free(m);
	trace_info_free(&info);
	return 0;
}
