// SPDX-License-Identifier: BSD-2-Clause
/* What all files of a trace may take. */
#include "binary/binaries_fixture.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "symbols/symbols.h"

struct heard {
	int lines;
	char last[200];
};

static void hear(void *ctx, enum log_level level, const char *line)
{
	struct heard *h = ctx;

	if (level != LOG_LEVEL_WARN)
		return;
	h->lines++;
	snprintf(h->last, sizeof(h->last), "%s", line);
}

/* All files that a trace names share the time and the memory: one line says that some were left. */
static void one_budget(void **state)
{
	const struct symbols_options options[] = { { .here = true },
						   { .here = true, .most_bytes = 1 },
						   { .here = true, .most_ns = 1 } };
	static const char *const said[] = {
		"", "2 addresses have no name: reading symbols took more",
		"3 addresses have no name: reading symbols took too long"
	};
	const char *const paths[] = { "/proc/self/exe", binary_path("kinds"), binary_path("cgo") };
	const uint64_t pcs[] = { 0x1000, 0x10001000, 0x20001000 };
	struct sample_tables t = { 0 }, out;
	struct symbols_counts c;

	(void)state;
	assert_int_equal(
		sample_tables_process(&t, &(struct sample_process){ .pid = (uint32_t)getpid() }),
		0);
	for (unsigned i = 0; i < 3; i++) {
		struct sample_image x = { .start = 0x10000000ull * i,
					  .end = 0x10000000ull * (i + 1) };
		char whole[PATH_MAX];

		x.path = realpath(paths[i], whole);
		assert_int_equal(sample_tables_image(&t, &x), 0);
	}
	assert_int_equal(sample_tables_stack(&t, &(struct sample_stack){ .n = 3, .pcs = pcs }), 0);
	for (unsigned i = 0; i < 3; i++) {
		struct heard h = { 0 };

		log_set_sink(hear, &h);
		assert_int_equal(symbols_resolve(&t, &options[i], &out, &c), 0);
		log_set_sink(NULL, NULL);
		assert_int_equal(c.unread, i ? i + 1 : 0);
		assert_int_equal(h.lines, i > 0);
		assert_memory_equal(h.last, said[i], strlen(said[i]));
		sample_tables_free(&out);
	}
	sample_tables_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_budget),
	};

	return cmocka_run_group_tests(tests, set_up_binaries, NULL);
}
