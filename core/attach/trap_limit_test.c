// SPDX-License-Identifier: BSD-2-Clause

#include "base/test_fixture.h"
#include "attach/trap_limit.h"

#define MS    1000000ull
#define FUNCS 4

struct case_of {
	struct trap_limit limit;
	uint64_t trap_ns[FUNCS];
	bool keep[FUNCS];
	struct release out[FUNCS];
};

static struct case_of begin(void)
{
	struct case_of c = { 0 };

	assert_int_equal(trap_limit_open(&c.limit, FUNCS), 0);
	return c;
}

static size_t choose(struct case_of *c, uint64_t cpu_ns)
{
	/* It runs all the time. */
	return trap_limit_choose(&c->limit, MS + cpu_ns, cpu_ns, c->trap_ns, c->keep, c->out);
}

/* A leaf that is stepped all the time. */
TEST(test_heavy)
{
	struct case_of c = begin();

	c.trap_ns[2] = 49 * MS;
	assert_int_equal(choose(&c, 50 * MS), 0); /* nobody has waited for it yet */
	c.trap_ns[2] = 58 * MS;
	assert_int_equal(choose(&c, 60 * MS), 1);
	assert_int_equal(c.out[0].func, 2);
	assert_int_equal(c.out[0].probe_ns, 58 * MS);
	assert_int_equal(c.out[0].cpu_ns, 60 * MS);
	assert_int_equal(choose(&c, 61 * MS), 0); /* once is enough */
	trap_limit_close(&c.limit);
}

/* A share below the limit is none of our business, however long it lasts. */
TEST(test_moderate)
{
	struct case_of c = begin();

	for (uint64_t ms = 20; ms < 5000; ms += 20) {
		c.trap_ns[1] = ms * MS * 4 / 100;
		assert_int_equal(choose(&c, ms * MS), 0);
	}
	trap_limit_close(&c.limit);
}

TEST(test_just_above)
{
	struct case_of c = begin();
	uint64_t ms = 0;
	size_t n = 0;

	while (!n && ms < 1000) {
		ms += 20;
		c.trap_ns[1] = ms * MS * 6 / 100;
		n = choose(&c, ms * MS);
	}
	assert_int_equal(n, 1);
	assert_in_range(ms, 834, 860);
	trap_limit_close(&c.limit);
}

/* What was long ago does not excuse it: the span is short. */
TEST(test_late)
{
	struct case_of c = begin();
	uint64_t ms;

	for (ms = 20; ms <= 60000; ms += 20)
		assert_int_equal(choose(&c, ms * MS), 0);
	c.trap_ns[0] = 58 * MS;
	assert_int_equal(choose(&c, ms * MS + 60 * MS), 1);
	trap_limit_close(&c.limit);
}

/* A burst that comes again and again is judged with what lies between. */
TEST(test_bursts)
{
	struct case_of c = begin();

	for (uint64_t ms = 20; ms < 5000; ms += 20) {
		if (ms % 500 == 0)
			c.trap_ns[3] += 24 * MS;
		assert_int_equal(choose(&c, ms * MS), 0);
	}
	trap_limit_close(&c.limit);
}

/* A program that waits most of the time: half of what it does is traps, and nobody waits for them.
 */
TEST(test_idle)
{
	struct case_of c = begin();

	for (uint64_t look = 0; look < 200; look++) { /* two a second */
		c.trap_ns[1] = look * 4 * MS;
		assert_int_equal(trap_limit_choose(&c.limit, (1 + look * 500) * MS, look * 8 * MS,
						   c.trap_ns, NULL, c.out),
				 0);
	}
	c.trap_ns[1] += 52 * MS;
	assert_int_equal(trap_limit_choose(&c.limit, 100 * 1000 * MS, 199 * 8 * MS + 60 * MS,
					   c.trap_ns, NULL, c.out),
			 1);
	trap_limit_close(&c.limit);
}

/* Many that are below the limit each. */
TEST(test_together)
{
	struct trap_limit l;
	uint64_t trap_ns[20];
	struct release out[20];

	assert_int_equal(trap_limit_open(&l, 20), 0);
	for (unsigned i = 0; i < 20; i++)
		trap_ns[i] = 10 * MS + i; /* 4 % of 250 ms each */
	assert_int_equal(trap_limit_choose(&l, 250 * MS, 250 * MS, trap_ns, NULL, out), 8);
	assert_int_equal(out[0].func, 19);
	assert_int_equal(out[7].func, 12);
	trap_limit_close(&l);
}

TEST(test_costliest_first)
{
	struct case_of c = begin();

	c.trap_ns[0] = 60 * MS;
	c.trap_ns[1] = 80 * MS;
	c.trap_ns[2] = 90 * MS;
	c.trap_ns[3] = 45 * MS;
	c.keep[2] = true; /* somebody has asked for it */
	assert_int_equal(choose(&c, 600 * MS), 2);
	assert_int_equal(c.out[0].func, 1);
	assert_int_equal(c.out[1].func, 0);
	trap_limit_close(&c.limit);
}

/* A new image has no stubs: what trapped in it before is counted from now on, and is no trap of
 * now. */
TEST(test_restart)
{
	struct case_of c = begin();

	c.trap_ns[0] = 30 * MS;
	assert_int_equal(choose(&c, 1000 * MS), 0);
	c.trap_ns[0] = 500 * MS;
	c.trap_ns[1] = 500 * MS;
	trap_limit_restart(&c.limit);
	assert_int_equal(choose(&c, 1010 * MS), 0);
	c.trap_ns[1] = 400 * MS; /* cheaper than it was */
	assert_int_equal(choose(&c, 1020 * MS), 0);
	c.trap_ns[0] = 560 * MS;
	assert_int_equal(choose(&c, 1080 * MS), 1);
	assert_int_equal(c.out[0].func, 0);
	trap_limit_close(&c.limit);
}

/* Estimates of more than all of the time, and no time at all. */
TEST(test_odd)
{
	struct case_of c = begin();

	assert_int_equal(choose(&c, 0), 0);
	c.trap_ns[0] = 100 * MS;
	assert_int_equal(choose(&c, 0), 1);
	c.trap_ns[1] = 100 * MS;
	assert_int_equal(choose(&c, 50 * MS), 1);
	trap_limit_close(&c.limit);
}

TESTS(test_heavy, test_moderate, test_just_above, test_late, test_bursts, test_together,
      test_costliest_first, test_restart, test_odd, test_idle)
