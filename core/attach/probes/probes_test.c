// SPDX-License-Identifier: BSD-2-Clause
/* Loading that fails before the kernel is asked. */
#include <errno.h>

#include "base/test_fixture.h"
#include "attach/probes/probes.h"
#include "base/log.h"

static unsigned lines;

static void count_line(void *ctx, enum log_level level, const char *line)
{
	(void)ctx;
	(void)line;
	lines += level != LOG_LEVEL_DEBUG;
}

TEST(quiet_when_asked_to_be)
{
	const struct golayout far = { .g_stack_hi = 8, .g_m = 48, .g_goid = 4096 };
	struct probes_options opt = { .layout = &far, .kind = ATTACH_MULTI };
	struct probes p;

	log_set_sink(count_line, NULL);
	assert_int_equal(probes_load(&p, &opt), -ENOTSUP);
	assert_int_equal(lines, 1);
	opt.quiet = true;
	assert_int_equal(probes_load(&p, &opt), -ENOTSUP);
	assert_int_equal(lines, 1);
}

TESTS(quiet_when_asked_to_be)
