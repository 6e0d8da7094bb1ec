// SPDX-License-Identifier: BSD-2-Clause
/* Losses that CPUs count, without a kernel: there is no map of goids, so all are of unknown
 * goroutines. */

#include "base/test_fixture.h"
#include "attach/collect/ring_losses.h"

static struct cpu_counters cpus[2];
static struct probes probes = { .n_cpus = 2, .counters = cpus, .lost_goids_fd = -1 };

struct found {
	struct event_ext loss;
	int n;
};

static int keep(void *ctx, const struct event_ext *loss)
{
	struct found *f = ctx;

	f->loss = *loss;
	f->n++;
	return 0;
}

static void count(unsigned cpu, uint64_t ns)
{
	struct cpu_counters *c = &cpus[cpu];

	c->lost_begun++;
	if (!c->lost_first_ns)
		c->lost_first_ns = ns;
	c->lost_last_ns = ns;
	c->lost_done++;
}

static void expect(struct losses *l, uint64_t first, uint64_t last, uint64_t n)
{
	struct found f = { .n = 0 };

	assert_int_equal(losses_take(l, 0, keep, &f), 0);
	assert_int_equal(f.n, n ? 1 : 0);
	assert_int_equal(f.loss.h.ts_ns, first);
	assert_int_equal(f.loss.arg[0], last);
	assert_int_equal(f.loss.arg[1], n);
}

static int clear(void **state)
{
	cpus[0] = cpus[1] = (struct cpu_counters){ 0 };
	*state = losses_new(&probes);
	return *state ? 0 : -1;
}

static int end(void **state)
{
	losses_free(*state);
	return 0;
}

static void each_loss_once(void **state)
{
	expect(*state, 0, 0, 0);
	count(0, 100), count(1, 50), count(0, 120);
	expect(*state, 50, 120, 3);
	expect(*state, 0, 0, 0);
	count(1, 200);
	expect(*state, 200, 200, 1);
}

/* The times of a CPU that was looked at before one that is still counting are kept. */
static void a_cpu_is_counting(void **state)
{
	struct found f = { .n = 0 };

	count(0, 100), count(0, 120);
	cpus[1].lost_begun++;
	assert_int_equal(losses_take(*state, 0, keep, &f), 1);
	assert_int_equal(f.n, 0);
	cpus[1].lost_begun--;
	count(1, 500);
	expect(*state, 100, 500, 3);
}

TESTS_EACH(clear, end, each_loss_once, a_cpu_is_counting)
