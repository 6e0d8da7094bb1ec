// SPDX-License-Identifier: BSD-2-Clause
/* What log_line writes to a terminal, and elsewhere. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "base/child_fixture.h"
#include "base/log.h"

static void write_lines(void *ctx)
{
	(void)ctx;
	log_progress("12 events");
	log_progress("13 events");
	log_warn("a message that is too long for the terminal");
	log_info("short");
	log_progress("14 events");
	log_progress(NULL);
}

/* What is written to a terminal of so many columns, or to a pipe; no carriage returns of the
 * terminal's own. */
static void lines_on(unsigned columns, char said[512])
{
	struct termios raw;
	int fds[2];

	fixture_output(columns, fds);
	if (columns) {
		assert_int_equal(tcgetattr(fds[1], &raw), 0);
		cfmakeraw(&raw);
		assert_int_equal(tcsetattr(fds[1], TCSANOW, &raw), 0);
	}
	assert_int_equal(fixture_child(fds, write_lines, NULL, said, 512), 0);
}

#define CLEAR "\r\033[K"

TEST(test_wraps)
{
	char said[512];

	unsetenv("COLUMNS");
	lines_on(30, said);
	assert_string_equal(said, "12 events" CLEAR "13 events" CLEAR
				  "gotrace: warning: a message\n  that is too long for the\n"
				  "  terminal\ngotrace: short\n14 events" CLEAR);
	setenv("COLUMNS", "40", 1);
	lines_on(30, said);
	assert_non_null(strstr(said, "gotrace: warning: a message that is too\n"));
	unsetenv("COLUMNS");
}

TEST(test_pipe)
{
	char said[512];

	lines_on(0, said);
	assert_non_null(strstr(said,
			       "gotrace: warning: a message that is too long for the terminal\n"
			       "gotrace: short\n"));
}

static char kept[256];

static void keep_last(void *ctx, enum log_level level, const char *line)
{
	++*(unsigned *)ctx;
	snprintf(kept, sizeof(kept), "%d %s", level, line);
}

TEST(test_limit)
{
	unsigned n = 0;

	log_set_sink(keep_last, &n);
	log_limit(2);
	for (unsigned i = 0; i < 5; i++) {
		log_warn("line %u", i);
		log_info("of the run");
	}
	assert_int_equal(n, 2 + 5);
	assert_int_equal(log_limit_end(true), 3);
	assert_string_equal(kept, "1 line 4");
	assert_int_equal(n, 2 + 5 + 1);
	log_limit(2);
	log_error("one");
	log_error("two");
	assert_int_equal(log_limit_end(true), 0);
	log_limit(0);
	log_error("one");
	assert_int_equal(log_limit_end(false), 1);
	log_error("two");
	assert_string_equal(kept, "0 two");
	assert_int_equal(n, 2 + 5 + 1 + 2 + 1);
	log_set_sink(NULL, NULL);
}

TESTS(test_wraps, test_pipe, test_limit)
