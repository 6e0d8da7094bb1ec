// SPDX-License-Identifier: BSD-2-Clause
/* Arguments and results reach the call that they are of, and no other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/test_fixture.h"
#include "model/model.h"

/* Functions f (0) and g (1), with an entry and an exit site each; f has an argument and a result.
 */
enum { F_ENTRY, F_EXIT, G_ENTRY, G_EXIT };

static struct trace_info info;
static char said[1024];

FIXTURE(set_up)
{
	static const struct trace_value_def defs[] = {
		{ .func = 0, .type = TRACE_VALUE_INT, .name = (char *)(uintptr_t) "n" },
		{ .func = 0,
		  .result = true,
		  .type = TRACE_VALUE_INT,
		  .name = (char *)(uintptr_t) "0" },
	};

	for (uint32_t i = 0; i < 2; i++) {
		const struct trace_func f = { .name = (char *)(uintptr_t)(i ? "g" : "f") };
		const struct trace_site in = { .func = i, .target = TRACE_NONE, .kind = EV_ENTRY };
		const struct trace_site out = { .func = i, .target = TRACE_NONE, .kind = EV_EXIT };

		if (trace_info_add_func(&info, &f) || trace_info_add_site(&info, &in) ||
		    trace_info_add_site(&info, &out) || trace_info_add_value(&info, &defs[i]))
			return -1;
	}
	return 0;
}

FIXTURE(tear_down)
{
	trace_info_free(&info);
	return 0;
}

static int64_t number(const struct trace_values *v)
{
	struct trace_value one;

	assert_non_null(trace_value_get(v->data, v->data + v->bytes, TRACE_VALUE_INT, &one));
	return one.v.i;
}

static void tell(char mark, const struct call *c)
{
	size_t n = strlen(said);

	n += (size_t)snprintf(said + n, sizeof(said) - n, "%c%s", mark, c->func ? "g" : "f");
	if (c->values && c->values->args)
		n += (size_t)snprintf(said + n, sizeof(said) - n, "(%d)",
				      (int)number(c->values->args));
	if (c->values && c->values->results)
		n += (size_t)snprintf(said + n, sizeof(said) - n, "=%d",
				      (int)number(c->values->results));
	snprintf(said + n, sizeof(said) - n, " ");
}

static void on_entry(void *ctx, const struct call *c)
{
	(void)ctx;
	tell('+', c);
}

static void on_call(void *ctx, const struct call *c)
{
	(void)ctx;
	tell('-', c);
}

struct step {
	uint32_t site, depth;
	int value; /* 0: none */
};

/* Feeds the steps, at once or one by one; what was handed out is `want`. */
static void play(const struct step *steps, size_t n, const char *want)
{
	for (int singly = 0; singly < 2; singly++) {
		const struct model_options opt = { .on_entry = on_entry, .on_call = on_call };
		struct event ev[16] = { 0 };
		struct trace_values v[16] = { 0 };
		uint8_t data[16][16];
		size_t n_values = 0;
		struct model *m = model_new(&info, &opt);

		assert_non_null(m);
		said[0] = '\0';
		for (size_t i = 0; i < n; i++) {
			const struct trace_value one = { .type = TRACE_VALUE_INT,
							 .v.i = steps[i].value };

			ev[i] = (struct event){ .ts_ns = 100 + i,
						.goid = 1,
						.tid = 1,
						.site = steps[i].site,
						.depth = steps[i].depth,
						.kind = info.sites[steps[i].site].kind };
			if (!steps[i].value)
				continue;
			v[n_values] = (struct trace_values){ .at = (uint32_t)i,
							     .first = ev[i].kind == EV_EXIT,
							     .n = 1,
							     .data = data[i] };
			v[n_values].bytes = (uint32_t)(trace_value_put(data[i], &one) - data[i]);
			n_values++;
		}
		model_values(m, v, n_values, ev);
		for (size_t i = 0; i < n; i += singly ? 1 : n) {
			const struct trace_span span = { .ev = ev + i, .n = singly ? 1 : n };

			assert_int_equal(model_feed_span(m, &span), 0);
		}
		model_values(m, NULL, 0, NULL);
		assert_int_equal(model_finish(m), 0);
		model_free(m);
		assert_string_equal(said, want);
	}
}
#define PLAY(want, ...)                                              \
	do {                                                         \
		static const struct step steps[] = { __VA_ARGS__ };  \
		play(steps, sizeof(steps) / sizeof(steps[0]), want); \
	} while (0)

TEST(each_its_own)
{
	PLAY("+f(1) -f(1)=2 ", { F_ENTRY, 8, 1 }, { F_EXIT, 8, 2 });
	PLAY("+f(3) +f(2) +f(1) -f(1)=1 -f(2)=2 -f(3)=3 ", { F_ENTRY, 8, 3 }, { F_ENTRY, 16, 2 },
	     { F_ENTRY, 24, 1 }, { F_EXIT, 24, 1 }, { F_EXIT, 16, 2 }, { F_EXIT, 8, 3 });
	PLAY("+g +f(1) -f(1)=2 -g ", { G_ENTRY, 8, 0 }, { F_ENTRY, 16, 1 }, { F_EXIT, 16, 2 },
	     { G_EXIT, 8, 0 });
	PLAY("+f +f(2) -f(2) -f=5 ", { F_ENTRY, 8, 0 }, { F_ENTRY, 16, 2 }, { F_EXIT, 16, 0 },
	     { F_EXIT, 8, 5 });
}

/* A call that comes after another at the same depth has none of its values. */
TEST(none_left_over)
{
	PLAY("+f(1) -f(1)=2 +f -f ", { F_ENTRY, 8, 1 }, { F_EXIT, 8, 2 }, { F_ENTRY, 8, 0 },
	     { F_EXIT, 8, 0 });
	PLAY("+f(1) -f(1)=2 +g -g ", { F_ENTRY, 8, 1 }, { F_EXIT, 8, 2 }, { G_ENTRY, 8, 0 },
	     { G_EXIT, 8, 0 });
}

TEST(lost_events)
{
	/* the exit of the inner call: it has no results, the outer one has its own */
	PLAY("+f(3) +f(2) -f(2) -f(3)=7 ", { F_ENTRY, 8, 3 }, { F_ENTRY, 16, 2 }, { F_EXIT, 8, 7 });
	/* the entry */
	PLAY("+f(3) -f(3)=7 ", { F_ENTRY, 8, 3 }, { F_EXIT, 16, 2 }, { F_EXIT, 8, 7 });
	/* the exit of g, whose caller's exit ends it */
	PLAY("+f(3) +g -g -f(3)=7 ", { F_ENTRY, 8, 3 }, { G_ENTRY, 16, 0 }, { F_EXIT, 8, 7 });
	/* at the end of the trace */
	PLAY("+f(3) -f(3) ", { F_ENTRY, 8, 3 });
}

TESTS_BETWEEN(set_up, tear_down, each_its_own, none_left_over, lost_events)
