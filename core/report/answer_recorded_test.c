// SPDX-License-Identifier: BSD-2-Clause
/* Recordings of a program that one known thing makes slow: the report begins with that. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/test_fixture.h"
#include "report/report_fixture.h"

#define FOLDER "fixtures/answers/"

/* Returns the text before the table. */
static char *answer(const char *reason)
{
	static const struct trace_view leave_out = { .leave_out_parked = true, .said = true };
	const struct report_options opt = { .view = &leave_out, .by = BY_FUNCTION };
	char path[128];

	snprintf(path, sizeof(path), FOLDER "%s.gotrace", reason);
	char *report = fixture_report(path, "text", &opt), *end = strstr(report, "\n\n");

	assert_non_null(end);
	end[1] = '\0';
	return report;
}

static void check(void **state)
{
	const char *reason = *state;
	char path[128], *got = answer(reason);

	snprintf(path, sizeof(path), FOLDER "%s.txt", reason);
	fixture_same(path, got);
	free(got);
}

/* A deferred unlock is the function's that defers. */
TEST(test_wakers)
{
	static const char *const formats[] = { "text", "csv", "json" };

	for (size_t i = 0; i < 3; i++) {
		char *got = fixture_report(FOLDER "evict.gotrace", formats[i],
					   &(struct report_options){ .by = BY_REASON });
		const char *woken = strstr(got, i ? "sync.Mutex.Lock" : "woken by ");

		assert_non_null(woken);
		assert_non_null(strstr(woken, "main.(*cache).find"));
		assert_null(strstr(woken, ".deferwrap"));
		free(got);
	}
}

#define OF(reason) cmocka_unit_test_prestate(check, (void *)(uintptr_t)(reason))

int main(void)
{
	const struct CMUnitTest tests[] = {
		OF("channel"),
		OF("evict"),
		OF("garbage"),
		OF("healthy"),
		OF("lock"),
		OF("machine"),
		OF("narrow"),
		OF("page"),
		OF("parts"),
		OF("query"),
		OF("reader"),
		OF("run"),
		OF("sleep"),
		OF("sync"),
		OF("timer"),
		OF("tool"),
		OF("workers"),
		OF("pool"),
		cmocka_unit_test(test_wakers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
