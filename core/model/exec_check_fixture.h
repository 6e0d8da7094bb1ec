/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random executions run through the engine, for the tests of this folder.
 *
 *   GOTRACE_RANDOM_RUNS=N    executions (20,000)
 *   GOTRACE_RANDOM_SEED=N    the first one's seed; a failure prints the one to give
 */
#ifndef GOTRACE_RANDOM_CHECK_H
#define GOTRACE_RANDOM_CHECK_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/vec.h"
#include "model/model.h"
#include "model/exec_fixture.h"

#define CHECK_UNUSED __attribute__((unused))

/* What one call must be, comparable byte by byte. */
struct tuple {
	uint64_t start_ns, end_ns, self_ns, goid;
	uint32_t func, level, end, system;
};

struct seen {
	struct tuple *calls; size_t n, cap;
	bool *suspect;       size_t cap_suspect;
	uint64_t root_ns, calls_sum;
	uint64_t seed;
	bool unbalanced;     /* a goroutine's total was not its parts' sum */
};

static CHECK_UNUSED void on_call(void *ctx, const struct call *c)
{
	struct seen *s = ctx;

	assert_int_equal(vec_reserve(&s->calls, &s->cap, s->n + 1), 0);
	assert_int_equal(vec_reserve(&s->suspect, &s->cap_suspect, s->n + 1), 0);
	s->suspect[s->n] = c->suspect;
	s->calls[s->n++] = (struct tuple){ c->start_ns, c->end_ns, c->self_ns, c->goid, c->func, c->level,
					   c->end, c->system };
}

static CHECK_UNUSED void on_goroutine(void *ctx, const struct goroutine_info *g)
{
	struct seen *s = ctx;

	s->root_ns += g->total_ns;
	s->calls_sum += g->calls;
	if (g->total_ns != g->self_ns + g->morestack_ns + g->preempt_ns)
		s->unbalanced = true;
}

static CHECK_UNUSED int by_bytes(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct tuple));
}

static CHECK_UNUSED struct tuple truth_of(const struct exec_call *c)
{
	return (struct tuple){ c->start_ns, c->end_ns, c->end_ns - c->start_ns - c->child_ns, c->goid, c->func,
			       c->level, c->end, c->system };
}

#define CHECK(seed, cond) \
	do { \
		if (!(cond)) \
			fail_msg("GOTRACE_RANDOM_SEED=%" PRIu64 ": %s", (uint64_t)(seed), #cond); \
	} while (0)

static CHECK_UNUSED struct model *run(const struct exec *x, const struct event_ext *events, size_t n, struct seen *seen)
{
	struct model_options opt = { .on_call = on_call, .on_goroutine = on_goroutine, .ctx = seen };
	struct model *m = model_new(&x->info, &opt);

	assert_non_null(m);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(model_feed(m, &events[i]), 0);
	assert_int_equal(model_finish(m), 0);
	return m;
}

static CHECK_UNUSED void print_tuple(const char *what, const struct tuple *t)
{
	print_message("%s: goid %" PRIu64 " main.%c level %u: %" PRIu64 "-%" PRIu64 " self %" PRIu64 " end %u%s\n", what,
		      t->goid, 'a' + (int)t->func, t->level, t->start_ns, t->end_ns, t->self_ns, t->end,
		      t->system ? " system" : "");
}

static CHECK_UNUSED void forget(struct seen *seen)
{
	free(seen->calls);
	free(seen->suspect);
	*seen = (struct seen){ 0 };
}

static CHECK_UNUSED uint64_t number(const char *name, uint64_t otherwise)
{
	const char *v = getenv(name);

	return v && *v ? strtoull(v, NULL, 0) : otherwise;
}

static CHECK_UNUSED void each(void (*check)(const struct exec *x, uint64_t seed, uint64_t *rng))
{
	uint64_t runs = number("GOTRACE_RANDOM_RUNS", 20000), first = number("GOTRACE_RANDOM_SEED", 1);

	for (uint64_t seed = first; seed < first + runs; seed++) {
		uint64_t rng = seed * 77;
		uint64_t kind = exec_random(&rng);
		struct exec_options opt = { .thesis = kind & 1, .global = kind & 6, .steps = 10 + kind / 8 % 200 };
		struct exec x;

		assert_int_equal(exec_make(&x, seed, &opt), 0);
		if (x.n)
			check(&x, seed, &rng);
		exec_free(&x);
	}
	print_message("%" PRIu64 " executions from seed %" PRIu64 "\n", runs, first);
}

#endif
