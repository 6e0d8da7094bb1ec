// SPDX-License-Identifier: BSD-2-Clause
/* The rules alone, of a client that only writes down which calls begin and how they end. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/test_fixture.h"
#include "pair/pair.h"
#include "trace/evlist_fixture.h"

struct call {
	uint32_t depth, func, target;
	unsigned flags;
};

struct stack {
	uint64_t id;
	bool system;
	size_t n;
	struct call *frames, room[16];
};

struct table {
	struct stack *all[4];
	size_t n;
};

struct client {
	struct pairing pair;
	struct table goroutines, threads;
	const struct trace_info *info;
	FILE *out;
};

#define PAIR_CLIENT struct client
#define PAIR_STACK  struct stack
#define PAIR_FRAME  struct call

static int pair_on_pop(struct client *c, struct stack *s, uint64_t ts_ns, enum call_end end)
{
	static const char *const how[] = {
		[CALL_FINISHED] = "finished",     [CALL_UNWOUND] = "unwound",
		[CALL_UNFINISHED] = "unfinished", [CALL_TAIL] = "tail",
		[CALL_INFERRED] = "inferred",
	};

	s->n--;
	fprintf(c->out, "%llu %s %s\n", (unsigned long long)ts_ns,
		c->info->funcs[s->frames[s->n].func].name + strlen("main."), how[end]);
	return 0;
}

static void pair_on_uncovered(struct client *c, struct stack *s)
{
	(void)c;
	(void)s;
}

static void pair_settle(struct client *c, struct stack *s, uint64_t ts_ns)
{
	(void)c;
	(void)s;
	(void)ts_ns;
}

#include "pair/frames.h"
#include "pair/rules.h"

static struct stack *find(struct client *c, bool system, uint64_t id)
{
	struct table *t = system ? &c->threads : &c->goroutines;

	for (size_t i = 0; i < t->n; i++)
		if (t->all[i]->id == id)
			return t->all[i];
	return NULL;
}

static struct stack *get(struct client *c, bool system, uint64_t id, uint64_t ts_ns)
{
	struct table *t = system ? &c->threads : &c->goroutines;
	struct stack *s = find(c, system, id);

	(void)ts_ns;
	if (s)
		return s;
	s = calloc(1, sizeof(*s));
	assert_non_null(s);
	s->id = id;
	s->system = system;
	s->frames = s->room;
	return t->all[t->n++] = s;
}

static int push(struct client *c, struct stack *s, const struct event *e, uint32_t func)
{
	(void)c;
	s->frames[s->n++] = (struct call){ .depth = e->depth, .func = func };
	return 0;
}

static int again(struct client *c, struct stack *s, const struct event *e)
{
	fprintf(c->out, "%llu %s again\n", (unsigned long long)e->ts_ns,
		c->info->funcs[pair_top(s)->func].name + strlen("main."));
	return 0;
}

static int create(struct client *c, const struct event *e, const uint64_t arg[4])
{
	return pair_end_other(c, e, arg[0]);
}

static int window(struct client *c, const struct event *e, const uint64_t arg[4])
{
	return arg[0] == WINDOW_OVER ? pair_over(c, e) : 0;
}

static const struct pair_ops pair_ops = {
	.find = find,
	.get = get,
	.push = push,
	.again = again,
	.create = create,
	.window = window,
};

static void expect(const char *in, const char *want)
{
	struct client c = { 0 };
	struct evlist list;
	char *got = NULL;
	size_t size = 0;

	assert_int_equal(evlist_parse(&list, in, "rules"), 0);
	c.info = &list.info;
	c.out = open_memstream(&got, &size);
	assert_non_null(c.out);
	assert_int_equal(pair_init(&c.pair, &list.info), 0);
	for (size_t i = 0; i < list.n; i++)
		assert_int_equal(pair_event(&c, &list.events[i].h, list.events[i].arg), 0);
	for (size_t i = 0; i < c.goroutines.n; i++)
		free(c.goroutines.all[i]);
	for (size_t i = 0; i < c.threads.n; i++)
		free(c.threads.all[i]);
	fclose(c.out);
	assert_string_equal(got, want);
	free(got);
	pair_free(&c.pair);
	evlist_free(&list);
}

TEST(test_ends)
{
	expect("1 entry main.a 16 10\n"
	       "1 entry main.b 32 20\n"
	       "1 exit main.b 32 30\n"
	       "1 entry main.c 32 40\n" /* its exit is lost */
	       "1 entry-exit main.b 32 50\n"
	       "1 entry main.b 32 60\n"
	       "1 unwind - 16 70\n"
	       "1 end - 0 80\n",
	       "30 b finished\n"
	       "50 c inferred\n"
	       "50 b finished\n"
	       "70 b unwound\n"
	       "80 a unwound\n");
}

/* Its exit is that of what jumped to it. A jump to a function that is not probed ends it. */
TEST(test_tail)
{
	expect("1 entry main.a 16 10\n"
	       "1 tail main.a 16 20 target=main.b\n"
	       "1 entry main.b 16 30\n"
	       "1 exit main.b 16 40\n"
	       "1 entry-tail main.c 16 50\n",
	       "40 b finished\n"
	       "40 a finished\n"
	       "50 c tail\n");
}

/* A call whose prologue called morestack begins again; one that went on unseen does not. */
TEST(test_morestack)
{
	expect("1 entry main.a 16 10\n"
	       "1 morestack main.a 16 20\n"
	       "1 entry main.a 16 30\n"
	       "1 morestack main.a 16 40\n"
	       "1 entry main.b 32 50\n"
	       "1 exit main.a 16 60\n",
	       "30 a again\n"
	       "60 b inferred\n"
	       "60 a finished\n");
}

/* A call of a released function ends with the one open in it. */
TEST(test_released)
{
	expect("1 entry main.a 16 10\n"
	       "1 entry main.b 32 20\n"
	       "1 entry main.c 48 30\n"
	       "- released main.b 0 40\n"
	       "1 exit main.c 48 50\n"
	       "- released main.a 0 60\n"
	       "1 entry main.a 16 70\n",
	       "50 c finished\n"
	       "50 b unfinished\n"
	       "60 a unfinished\n");
}

/* Of a goroutine whose end was lost, of calls whose ends were left out. */
TEST(test_unseen)
{
	expect("1 entry main.a 16 10\n"
	       "2 entry main.b 16 20\n"
	       "1 create - 0 30 arg0=2\n"
	       "1 entry main.c 32 40\n"
	       "1 window - 32 50 arg0=3\n"
	       "1 stop - 16 60 arg0=0\n",
	       "30 b inferred\n"
	       "50 c inferred\n"
	       "60 a inferred\n");
}

/* A newer gotrace made the event. */
TEST(test_no_kind)
{
	struct client c = { 0 };
	const struct event e = { .kind = EV_KIND_MAX + 1 };
	const uint64_t arg[4] = { 0 };

	assert_int_equal(pair_event(&c, &e, arg), PAIR_NO_KIND);
}

TESTS(test_ends, test_tail, test_morestack, test_released, test_unseen, test_no_kind)
