// SPDX-License-Identifier: BSD-2-Clause
/* What single cases cannot show: trees that explode, callbacks, streams of garbage. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/test_fixture.h"
#include "model/model.h"
#include "model/exec_fixture.h"

#define FUNCS 5

struct world {
	struct trace_info info;
	struct model *m;
	uint64_t now;
	/* by function, of the one goroutine that calls: what is true */
	uint64_t calls[FUNCS], open[FUNCS], since_ns[FUNCS], total_ns[FUNCS];
};

/* Site 2f is the entry of function f, 2f+1 its exit. */
static void set_up(struct world *w, const struct model_options *opt)
{
	*w = (struct world){ .now = 1000 };
	for (uint32_t f = 0; f < FUNCS; f++) {
		char name[16];

		snprintf(name, sizeof(name), "main.f%u", f);
		assert_int_equal(
			trace_info_add_func(&w->info, &(struct trace_func){ .name = name }), 0);
		assert_int_equal(trace_info_add_site(&w->info, &(struct trace_site){ f, TRACE_NONE,
										     0, EV_ENTRY }),
				 0);
		assert_int_equal(trace_info_add_site(&w->info, &(struct trace_site){ f, TRACE_NONE,
										     0, EV_EXIT }),
				 0);
	}
	w->m = model_new(&w->info, opt);
	assert_non_null(w->m);
}

static void tear_down(struct world *w)
{
	model_free(w->m);
	trace_info_free(&w->info);
}

static void event(struct world *w, unsigned kind, uint64_t goid, uint32_t func, uint32_t depth)
{
	struct event_ext e = { .h = { .ts_ns = w->now += 10,
				      .goid = goid,
				      .depth = depth,
				      .tid = 1,
				      .site = 2 * func + (kind == EV_EXIT),
				      .kind = (uint16_t)kind } };

	assert_int_equal(model_feed(w->m, &e), 0);
	if (kind == EV_ENTRY) {
		w->calls[func]++;
		if (!w->open[func]++)
			w->since_ns[func] = w->now;
	} else if (kind == EV_EXIT && !--w->open[func]) {
		w->total_ns[func] += w->now - w->since_ns[func];
	}
}

static void create(struct world *w, uint64_t by, uint64_t child, uint64_t pc)
{
	struct event_ext e = { .h = { .ts_ns = w->now += 10, .goid = by, .kind = EV_CREATE },
			       .arg = { child, pc } };

	assert_int_equal(model_feed(w->m, &e), 0);
}

/* f0, f1 and perhaps f2 call each other `levels` deep, in the order of `pick`, and each calls the
 * others on the way. */
static void descend(struct world *w, uint32_t levels, uint32_t (*pick)(uint32_t i))
{
	for (uint32_t i = 0; i < levels; i++) {
		event(w, EV_ENTRY, 1, pick(i), 100 * (i + 1));
		for (uint32_t f = 3; f < FUNCS; f++) {
			event(w, EV_ENTRY, 1, f, 100 * (i + 1) + 50);
			event(w, EV_EXIT, 1, f, 100 * (i + 1) + 50);
		}
	}
	for (uint32_t i = levels; i-- > 0;)
		event(w, EV_EXIT, 1, pick(i), 100 * (i + 1));
}

static uint32_t in_turns(uint32_t i)
{
	return i % 2;
}

static uint32_t three_in_turns(uint32_t i)
{
	return i % 3;
}

/* No sequence comes twice in a row, however far it goes (Thue): ones between zeroes of the
 * Thue-Morse sequence. */
static uint32_t never_again(uint32_t i)
{
	uint32_t at = 0, zeroes = 0, ones = 0;

	for (;; at++) {
		if (__builtin_popcount(at) & 1) {
			ones++;
			continue;
		}
		if (zeroes++ == i + 1)
			return ones;
		ones = 0;
	}
}

static void check_descent(struct world *w)
{
	size_t n;
	const struct call_stats *st = model_funcs(w->m, &n);

	for (uint32_t f = 0; f < FUNCS; f++) {
		assert_int_equal(st[f].calls, w->calls[f]);
		assert_int_equal(st[f].finished, w->calls[f]);
		/* Of all activations only the outermost counts. */
		assert_int_equal(st[f].total_ns, w->total_ns[f]);
	}
	assert_int_equal(model_totals(w->m)->root_ns,
			 model_totals(w->m)->last_ns - model_totals(w->m)->first_ns);
}

/* A path's total is its self time and its callees' totals, whatever was folded. */
static void check_paths_add_up(struct world *w)
{
	size_t n;
	const struct path_node *nodes = model_paths(w->m, &n);
	uint64_t *below = calloc(n, sizeof(*below));

	assert_non_null(below);
	for (size_t i = n; i-- > 1;) {
		assert_int_equal(nodes[i].stats.total_ns, nodes[i].stats.self_ns + below[i]);
		below[nodes[i].parent] += nodes[i].stats.total_ns;
	}
	assert_int_equal(below[0], model_totals(w->m)->root_ns);
	free(below);
}

/* Functions that call each other by turns: few paths, whatever the depth. */
TEST(test_cycles)
{
	struct world w;
	size_t n, n_folds;

	for (uint32_t period = 2; period <= 3; period++) {
		set_up(&w, NULL);
		descend(&w, 20000, period == 2 ? in_turns : three_in_turns);
		assert_int_equal(model_finish(w.m), 0);
		check_descent(&w);
		check_paths_add_up(&w);
		const struct path_node *nodes = model_paths(w.m, &n);
		const struct path_fold *folds = model_path_folds(w.m, &n_folds);

		/* f0;f1;f0: with another f1 the two would be there twice */
		assert_int_equal(n, 1 + (2 * period - 1) * (1 + FUNCS - 3));
		assert_int_equal(model_totals(w.m)->folded_nodes, 0);
		assert_int_equal(n_folds, 1);
		assert_int_equal(nodes[folds[0].to].func, period - 1);
		assert_int_equal(nodes[folds[0].from].func, period - 2);
		assert_int_equal(folds[0].calls + 1, nodes[folds[0].to].stats.calls);
		assert_int_equal(nodes[folds[0].to].recursive, 0);
		tear_down(&w);
	}
}

/* The sequence that comes twice in a row may be as long as PATHS_CYCLE_MAX, no longer. */
TEST(test_long_cycle)
{
	struct world w;
	size_t n;

	for (uint32_t len = PATHS_CYCLE_MAX; len <= PATHS_CYCLE_MAX + 1; len++) {
		set_up(&w, NULL);
		for (uint32_t i = 0; i < 10 * len; i++)
			event(&w, EV_ENTRY, 1, i % len ? never_again(i % len) : 3, 16 * (i + 1));
		for (uint32_t i = 10 * len; i-- > 0;)
			event(&w, EV_EXIT, 1, i % len ? never_again(i % len) : 3, 16 * (i + 1));
		assert_int_equal(model_finish(w.m), 0);
		check_paths_add_up(&w);
		model_paths(w.m, &n);
		assert_int_equal(n, len == PATHS_CYCLE_MAX ? 2 * len : 10 * len + 1);
		check_descent(&w);
		tear_down(&w);
	}
}

/* With room for few paths: functions stay exact, the tree is capped and says so. */
TEST(test_full_tree)
{
	struct world w;
	const struct model_options opt = { .max_paths = 50 };
	uint64_t calls = 0, self_ns = 0, other = 0;
	size_t n;

	set_up(&w, &opt);
	descend(&w, 2000, never_again);
	assert_int_equal(model_finish(w.m), 0);
	check_descent(&w);
	const struct path_node *nodes = model_paths(w.m, &n);

	assert_int_equal(n, 1 + 50 + 1);
	for (size_t i = 1; i < n; i++) {
		calls += nodes[i].stats.calls;
		self_ns += nodes[i].stats.self_ns;
		if (nodes[i].func == PATH_OTHER)
			other = nodes[i].stats.calls;
	}
	assert_int_equal(calls, model_totals(w.m)->calls);
	assert_int_equal(self_ns, model_totals(w.m)->root_ns);
	assert_int_equal(other, calls - 50);
	assert_true(model_totals(w.m)->folded_nodes > 0);
	tear_down(&w);
}

TEST(test_direct_recursion)
{
	struct world w;
	size_t n;

	set_up(&w, NULL);
	for (uint32_t i = 0; i < 100000; i++)
		event(&w, EV_ENTRY, 1, 0, 16 * (i + 1));
	for (uint32_t i = 100000; i-- > 0;)
		event(&w, EV_EXIT, 1, 0, 16 * (i + 1));
	assert_int_equal(model_finish(w.m), 0);
	const struct path_node *nodes = model_paths(w.m, &n);

	assert_int_equal(n, 2);
	assert_int_equal(nodes[1].max_recursion, 100000);
	assert_int_equal(nodes[1].stats.total_ns, model_totals(w.m)->root_ns);
	tear_down(&w);
}

static uint64_t in_use(void)
{
	return mallinfo2().uordblks + mallinfo2().hblkhd;
}

/* Each goroutine starts the next, in turns at two places, and ends. */
TEST(test_endless_chain)
{
	struct world w;
	uint64_t early = 0;
	size_t n;

	set_up(&w, NULL);
	for (uint64_t g = 1; g <= 200000; g++) {
		event(&w, EV_ENTRY, g, 0, 100);
		create(&w, g, g + 1, g % 2 ? 0x100 : 0x200);
		event(&w, EV_EXIT, g, 0, 100);
		event(&w, EV_END, g, 0, 0);
		if (g == 1000)
			early = in_use();
	}
	assert_true(in_use() < early + 65536); /* memory grows with goroutines alive only */
	assert_int_equal(model_finish(w.m), 0);
	model_paths(w.m, &n);
	assert_int_equal(n, 1 + 3); /* the first, and one a place */
	assert_int_equal(model_totals(w.m)->calls, 200000);
	assert_int_equal(model_totals(w.m)->suspect_calls, 0);
	tear_down(&w);
}

struct order {
	uint64_t entries, ends;
	bool wrong;
};

static void on_entry(void *ctx, const struct call *c)
{
	struct order *o = ctx;

	o->wrong |= c->order != o->entries++ || c->end_ns;
}

static void on_call(void *ctx, const struct call *c)
{
	struct order *o = ctx;

	o->ends++;
	o->wrong |= c->order >= o->entries || !c->end_ns;
}

TEST(test_callbacks)
{
	struct order o = { 0 };
	const struct model_options opt = { .on_entry = on_entry, .on_call = on_call, .ctx = &o };
	struct world w;

	set_up(&w, &opt);
	descend(&w, 10, in_turns);
	event(&w, EV_ENTRY, 2, 0, 100);
	assert_int_equal(model_finish(w.m), 0);
	assert_int_equal(o.entries, 31);
	assert_int_equal(o.ends, 31);
	assert_false(o.wrong);
	tear_down(&w);
}

struct starts {
	uint64_t entry_ns[4], start_ns;
	size_t n;
	uint64_t orders;
};

static void note_entry(void *ctx, const struct call *c)
{
	struct starts *s = ctx;

	assert_true(s->n < 4);
	s->entry_ns[s->n++] = c->start_ns;
	s->orders |= 1ull << c->order;
}

static void note_call(void *ctx, const struct call *c)
{
	((struct starts *)ctx)->start_ns = c->start_ns;
}

/* A call whose prologue is stopped twice begins three times, and is one. */
TEST(test_begins_again)
{
	struct starts s = { 0 };
	const struct model_options opt = { .on_entry = note_entry,
					   .on_call = note_call,
					   .ctx = &s };
	struct world w;

	set_up(&w, &opt);
	event(&w, EV_ENTRY, 2, 0, 64);
	event(&w, EV_MORESTACK, 2, 0, 64);
	event(&w, EV_ENTRY, 2, 0, 64);
	event(&w, EV_MORESTACK, 2, 0, 64);
	event(&w, EV_ENTRY, 2, 0, 64);
	event(&w, EV_EXIT, 2, 0, 64);
	assert_int_equal(model_finish(w.m), 0);
	assert_int_equal(s.n, 3);
	assert_int_equal(s.orders, 1);
	assert_true(s.entry_ns[0] < s.entry_ns[1] && s.entry_ns[1] < s.entry_ns[2]);
	assert_int_equal(s.start_ns, s.entry_ns[2]);
	assert_int_equal(model_totals(w.m)->calls, 1);
	tear_down(&w);
}

/* What the start code does on a system stack before runtime.main is no earlier image;
 * what a goroutine did (attached to a running process) is one. */
TEST(test_first_image)
{
	for (int on_goroutine = 0; on_goroutine < 2; on_goroutine++) {
		struct event_ext early = { .h = { .ts_ns = 100,
						  .depth = 64,
						  .tid = 1,
						  .kind = EV_ENTRY,
						  .goid = on_goroutine,
						  .flags = on_goroutine ? 0 : EVF_SYSTEM } };
		struct world w;

		set_up(&w, NULL);
		assert_int_equal(model_feed(w.m, &early), 0);
		event(&w, EV_IMAGE, 1, 0, 0);
		event(&w, EV_ENTRY, 1, 1, 100);
		event(&w, EV_EXIT, 1, 1, 100);
		assert_int_equal(model_finish(w.m), 0);
		assert_int_equal(model_totals(w.m)->images, 1 + on_goroutine);
		tear_down(&w);
	}
}

/* Nothing that a file can say may break the engine: few values, so that they meet. */
TEST(test_garbage)
{
	uint64_t rng = 4711;

	for (int run = 0; run < 300; run++) {
		const struct model_options opt = { .max_paths = run % 3 ? 20 : 0 };
		struct world w;

		set_up(&w, &opt);
		for (int i = 0; i < 500; i++) {
			uint64_t a = exec_random(&rng), b = exec_random(&rng);
			struct event_ext e = {
				.h = { .ts_ns = a % 7 ? w.now += a % 50 : b,
				       .goid = a >> 8 & 3,
				       .site = a >> 12 & 15,
				       .depth = a >> 16 & 1 ? (uint32_t)b : 16 * (b & 15),
				       .tid = a >> 20 & 1,
				       .kind = a >> 24 & 15,
				       .flags = a >> 28 & 7 },
				.arg = { b >> 8 & 3, b >> 12 & 3, b >> 16 & 3, 0 },
			};

			assert_int_equal(model_feed(w.m, &e), 0);
		}
		assert_int_equal(model_finish(w.m), 0);
		const struct model_totals *t = model_totals(w.m);
		size_t n;
		const struct call_stats *st = model_funcs(w.m, &n);

		for (size_t f = 0; f < n; f++)
			assert_true(st[f].calls >=
				    st[f].finished + st[f].unwound + st[f].unfinished);
		assert_int_equal(t->events, 500);
		tear_down(&w);
	}
}

TESTS(test_cycles, test_long_cycle, test_full_tree, test_direct_recursion, test_endless_chain,
      test_callbacks, test_begins_again, test_first_image, test_garbage)
