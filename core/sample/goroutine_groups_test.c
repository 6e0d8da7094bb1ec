// SPDX-License-Identifier: BSD-2-Clause
#include "base/test_fixture.h"
#include "sample/goroutine_groups.h"

#include <string.h>

#include "bpf/event.h"

static void add(struct goroutine_groups *all, uint64_t pc, uint32_t n, uint8_t reason,
		uint64_t since_ns)
{
	static struct snapshot_goroutine g;

	g = (struct snapshot_goroutine){
		.state = STATE_WAITING, .reason = reason, .n = n, .since_ns = since_ns
	};
	for (uint32_t i = 0; i < n; i++)
		g.pcs[i] = pc + i;
	goroutine_groups_add(all, &g);
}

TEST(alike_are_counted_together)
{
	struct goroutine_groups all = { .now_ns = 1000 };

	for (int i = 0; i < 5; i++)
		add(&all, 0x4000, 3, 1, i == 2 ? 400 : i == 3 ? 700 : 0);
	add(&all, 0x4000, 3, 2, 0); /* another reason */
	add(&all, 0x4000, 2, 1, 0); /* the same but for its outermost frame */
	for (int i = 0; i < 6; i++)
		add(&all, 0x5000, 1, 1, 0);
	assert_int_equal(all.err, 0);
	assert_int_equal(all.count, 13);
	goroutine_groups_sort(&all, false);
	assert_int_equal(all.n, 4);
	assert_int_equal(all.groups[0].count, 6);
	assert_int_equal(all.pcs[all.groups[0].first], 0x5000);
	assert_int_equal(all.groups[0].oldest_ns, 0);
	assert_int_equal(all.groups[1].count, 5);
	assert_int_equal(all.groups[1].aged, 2);
	assert_int_equal(all.groups[1].oldest_ns, 600);
	assert_int_equal(all.groups[2].n, 2);
	assert_int_equal(all.groups[3].reason, 2);
	goroutine_groups_free(&all);
}

TEST(growth_is_between_two_looks)
{
	struct goroutine_groups all = { .now_ns = 1000 };

	for (int i = 0; i < 10; i++)
		add(&all, 0x4000, 3, 1, 0);
	for (int i = 0; i < 3; i++)
		add(&all, 0x5000, 3, 1, 0);
	goroutine_groups_again(&all, 2000);
	for (int i = 0; i < 9; i++)
		add(&all, 0x4000, 3, 1, 0);
	for (int i = 0; i < 8; i++)
		add(&all, 0x5000, 3, 1, 1500);
	for (int i = 0; i < 2; i++)
		add(&all, 0x6000, 1, 1, 0);
	goroutine_groups_sort(&all, true);
	assert_int_equal(all.before, 13);
	assert_int_equal(all.count, 19);
	assert_int_equal(goroutine_group_growth(&all.groups[0]), 5);
	assert_int_equal(all.groups[0].oldest_ns, 500);
	assert_int_equal(goroutine_group_growth(&all.groups[1]), 2);
	assert_int_equal(all.groups[1].before, 0);
	assert_int_equal(goroutine_group_growth(&all.groups[2]), -1);
	goroutine_groups_free(&all);
}

TEST(others_are_apart)
{
	struct goroutine_groups all = { .now_ns = 1000 };
	static struct snapshot_goroutine torn, worker = { .state = STATE_WAITING, .runtime = true };

	goroutine_groups_add(&all, &torn);
	goroutine_groups_add(&all, &worker);
	assert_int_equal(all.torn, 1);
	assert_int_equal(all.of_runtime, 1);
	assert_int_equal(all.count, 0);
	assert_int_equal(all.n, 0);
	goroutine_groups_sort(&all, false);
	goroutine_groups_free(&all);
}

TESTS(alike_are_counted_together, growth_is_between_two_looks, others_are_apart)
