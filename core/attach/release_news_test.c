// SPDX-License-Identifier: BSD-2-Clause

#include "base/test_fixture.h"
#include "attach/release_news.h"

static struct plan_func funcs[] = {
	{ .name = "main.a" }, { .name = "main.b" }, { .name = "main.c" },
	{ .name = "main.d" }, { .name = "main.e" },
};
static const struct plan plan = { .funcs = funcs, .n_funcs = 5 };

TEST(test_one_line_a_second)
{
	static const struct release one[] = { { 1, 30, 100 } };
	static const struct release many[] = {
		{ 0, 5, 100 }, { 4, 20, 100 }, { 2, 7, 100 }, { 3, 10, 100 }
	};
	struct release_news news = { 0 };
	char text[RELEASE_NEWS_BYTES];

	assert_null(release_news_text(&news, &plan, 0.1, 1, true, text));
	release_news_add(&news, one, 1);
	assert_string_equal(
		release_news_text(&news, &plan, 0.1, 1, false, text),
		"released main.b; its probes took about 30% of the processor time (--max-cost=10%); calls "
		"from here on are not recorded");
	assert_null(release_news_text(&news, &plan, 0.1, 2000000000, false, text));
	release_news_add(&news, many, 4);
	assert_null(release_news_text(&news, &plan, 0.1, 1000000000, false, text));
	assert_string_equal(
		release_news_text(&news, &plan, 0.1, 1000000001, false, text),
		"released 4 more functions: main.e, main.d, main.c ...; their probes took about 42% of the "
		"processor time (--max-cost=10%); calls from here on are not recorded");
	release_news_add(&news, one, 1);
	assert_non_null(release_news_text(&news, &plan, 0.1, 1000000002, true, text));
}

/* Nobody has set a share. */
TEST(test_traps)
{
	static const struct release two[] = { { 1, 30, 100 }, { 0, 60, 100 } };
	struct release_news news = { 0 };
	char text[RELEASE_NEWS_BYTES];

	release_news_add(&news, two, 1);
	assert_string_equal(
		release_news_text(&news, &plan, 0, 1, false, text),
		"released main.b; its traps took about 30% of the processor time (--max-cost=off "
		"keeps it); calls from here on are not recorded");
	release_news_add(&news, two, 2);
	assert_string_equal(
		release_news_text(&news, &plan, 0, 2, true, text),
		"released main.a, main.b; their traps took about 90% of the processor time "
		"(--max-cost=off keeps them); calls from here on are not recorded");
}

TESTS(test_one_line_a_second, test_traps)
