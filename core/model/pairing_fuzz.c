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
#include "model/fuzz_events_fixture.h"
#include "trace/evlist.h"

#define EVENT_BYTES FUZZ_EVENT_BYTES
#define MAX_EVENTS  512

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void die(const char *fault, const struct trace_info *info, const struct event_ext *ev,
		size_t n)
{
	fprintf(stderr, "does not hold: %s\n", fault);
	evlist_write_info(stderr, info);
	for (size_t i = 0; i < n; i++)
		evlist_write_event(stderr, info, NULL, &ev[i], NULL);
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
		ev[n++] = fuzz_event(data + at, in_order, &now_ns);
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
