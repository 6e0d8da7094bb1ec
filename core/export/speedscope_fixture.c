// SPDX-License-Identifier: BSD-2-Clause
#include "export/export_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Begins and ends of each goroutine are balanced and never go back in time, as speedscope wants. */
static void follow(uint64_t *calls, const char *at, const char *until)
{
	static uint64_t open[65536];
	uint64_t ns, frame, last_ns = 0;
	size_t n = 0;
	static const char event[] = "{\"type\":\"", with_frame[] = "\",\"frame\":";

	/* strstr would look for the end of all text each time under ASan. */
	for (; (at = strchr(at, '{')) && at < until; at++) {
		char type, *end;

		if (strncmp(at, event, strlen(event)))
			continue;
		type = at[strlen(event)];
		const char *rest = at + strlen(event) + 1;
		if (strncmp(rest, with_frame, strlen(with_frame)))
			continue; /* the profile's */
		frame = strtoull(rest + strlen(with_frame), &end, 10);
		assert_memory_equal(end, ",\"at\":", 6);
		ns = strtoull(end + 6, NULL, 10);
		assert_true(ns >= last_ns && (type == 'O' ? n < 65536 : n > 0));
		last_ns = ns;
		if (type == 'O') {
			open[n++] = frame;
			++*calls;
		} else {
			assert_int_equal(open[--n], frame);
		}
	}
	assert_int_equal(n, 0);
}

uint64_t fixture_read_speedscope(const char *path, uint64_t *calls)
{
	size_t n;
	char *text = fixture_export(path, "speedscope",
				    &(struct export_options){ .raw = true, .calls = true }, &n);
	static const char key[] = "\"weights\":[";
	const char *weights = strstr(text, key);
	uint64_t self_ns = 0;
	char *end;

	assert_non_null(weights);
	for (weights += strlen(key); *weights != ']'; weights = end + (*end == ','))
		self_ns += strtoull(weights, &end, 10);
	*calls = 0;
	/* a line for each profile */
	for (const char *at = strchr(weights, '\n'), *next; at; at = next) {
		next = strchr(at + 1, '\n');
		follow(calls, at, next ? next : text + n);
	}
	free(text);
	return self_ns;
}
