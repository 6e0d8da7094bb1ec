// SPDX-License-Identifier: BSD-2-Clause
/* Who is parked, and that everything adds up without their waits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "analysis/parked.h"
#include "analysis/trace_fixture.h"
#include "analysis/trace_load.h"

#define HEAD                                                          \
	"@set states 1\n@set states.reason.7 chan receive\n"          \
	"@set states.reason.19 sleep\n@set states.reason.2 IO wait\n" \
	"@set states.reason.24 sync.Cond.Wait\n"                      \
	"@set states.reason.22 sync.Mutex.Lock\n"                     \
	"@func main.main\n@func main.idle\n@func main.work\n@func main.inner\n"

/* Functions as HEAD has them. */
enum { MAIN, IDLE, WORK, INNER };

static const struct trace_view leave_out = { .leave_out_parked = true, .said = true };

static struct trace_reader *load(struct loaded_trace *t, const char *events)
{
	char path[TRACE_PATH_BYTES], *text;

	assert_true(asprintf(&text, HEAD "%s", events) > 0);
	fixture_write_text(text, true, path);
	struct trace_reader *r = trace_reader_open(path);

	assert_non_null(r);
	assert_int_equal(trace_load(t, r, &leave_out, NULL), 0);
	unlink(path);
	free(text);
	return r;
}

/* Self times add up to the time of all; a path's total is its own and that of those below it. */
static void adds_up(const struct loaded_trace *t)
{
	uint64_t self_ns = 0, wait_ns = 0, waits_ns = 0;
	size_t n, n_waits;
	const struct path_node *nodes = model_paths(t->model, &n);
	const struct path_waits *waits = model_waits(t->model, &n_waits);
	uint64_t *below_ns = calloc(n, sizeof(*below_ns));

	assert_non_null(below_ns);
	for (size_t i = n; i-- > 1;) {
		const struct call_stats *st = &nodes[i].stats;

		assert_int_equal(st->total_ns, st->self_ns + below_ns[i]);
		if (!nodes[i].go_edge)
			below_ns[nodes[i].parent] += st->total_ns;
		self_ns += st->self_ns;
		wait_ns += st->off_self.wait_ns;
	}
	for (size_t i = 0; i < n_waits; i++)
		waits_ns += waits[i].ns;
	assert_int_equal(self_ns, t->totals->root_ns);
	assert_int_equal(wait_ns, waits_ns);
	self_ns = 0;
	for (size_t i = 0; i < t->n_funcs; i++)
		self_ns += t->funcs[i].self_ns;
	assert_int_equal(self_ns, t->totals->root_ns);
	free(below_ns);
}

static void check(const char *events, const uint64_t self_ns[4], const char *said)
{
	struct loaded_trace t;
	struct trace_reader *r = load(&t, events);
	char *line = parked_say(t.parked, t.model, t.info);

	adds_up(&t);
	for (int i = 0; i < 4; i++)
		assert_int_equal(t.funcs[i].self_ns, self_ns[i]);
	if (said)
		assert_string_equal(line ? line : "", said);
	else
		assert_null(line);
	free(line);
	trace_unload(&t);
	trace_reader_close(r);
}

/* 2 and 3 wait to the end, 3 in a call of main.work; 4 works. */
TEST(they_wait_to_the_end)
{
	check("1 entry main.main 100 1000\n"
	      "2 entry main.idle 100 1000\n2 state - 0x703 1010\n"
	      "3 entry main.work 100 1000\n3 entry main.inner 200 1000\n3 state - 0x1303 1020\n"
	      "4 entry main.work 100 1000\n4 exit main.work 100 9000\n"
	      "1 exit main.main 100 11000\n",
	      (const uint64_t[]){ 10000, 10, 8000, 20 },
	      "left out: 20.0us of 2 parked goroutines (--parked shows it): 1 of main.idle (chan receive), 1 of main.work (sleep)");
}

/* A program takes as long as main, whatever that waits for. */
TEST(main_ends)
{
	check("1 entry main.main 100 1000\n1 state - 0x703 1010\n"
	      "2 entry main.idle 100 1000\n2 state - 0x703 1001\n"
	      "4 entry main.work 100 1000\n4 exit main.work 100 10900\n"
	      "1 state - 1 10900\n1 exit main.main 100 11000\n",
	      (const uint64_t[]){ 10000, 1, 9900, 0 },
	      "left out: 10.0us of 1 parked goroutine (--parked shows it): 1 of main.idle (chan receive)");
}

/* Whoever ends in the end was waited for: that is where the time went. */
TEST(others_end)
{
	check("1 entry main.main 100 1000\n1 state - 0x703 1010\n"
	      "2 entry main.idle 100 1000\n2 entry main.inner 200 1000\n2 state - 0x703 1001\n"
	      "2 state - 1 10900\n2 exit main.inner 200 10950\n2 exit main.idle 100 10960\n2 end - 0 10970\n"
	      "1 state - 1 10980\n1 exit main.main 100 11000\n",
	      (const uint64_t[]){ 10000, 10, 0, 9950 }, NULL);
}

/* Requests that hang since a moment ago are no leak, though none of them goes on. */
TEST(stall)
{
	char events[4096] = "1 entry main.main 100 1000\n";
	size_t n = strlen(events);

	for (int i = 0; i < 5; i++)
		n += (size_t)snprintf(events + n, sizeof(events) - n,
				      "%d entry main.work 100 %d\n%d state - 0x703 %d\n", 10 + i,
				      9000 + i, 10 + i, 9001 + i);
	snprintf(events + n, sizeof(events) - n, "1 exit main.main 100 11000\n");
	check(events, (const uint64_t[]){ 10000, 0, 5 * 2000 - 10, 0 }, NULL);
}

/* Who has left a place for another one is not parked there. */
TEST(gone_on)
{
	check("1 entry main.main 100 1000\n2 entry main.idle 100 1000\n2 state - 0x703 1010\n"
	      "2 state - 1 10900\n2 entry main.inner 200 10900\n2 state - 0x1303 10910\n"
	      "1 exit main.main 100 11000\n",
	      (const uint64_t[]){ 10000, 9900, 0, 100 }, NULL);
}

/* The main of a server waits for connections to the end. */
TEST(main_serves)
{
	check("1 entry main.main 100 1000\n1 state - 0x703 1010\n"
	      "4 entry main.work 100 1000\n4 exit main.work 100 11000\n",
	      (const uint64_t[]){ 10, 0, 10000, 0 },
	      "left out: 9.99us of 1 parked goroutine (--parked shows it): 1 of main.main (chan receive)");
}

/* A program that does nothing but wait still says for what. */
TEST(nothing_else)
{
	check("1 entry main.main 100 1000\n1 state - 0x703 1010\n"
	      "2 entry main.idle 100 1000\n2 state - 0x703 1010\n"
	      "3 entry main.work 100 10990\n3 exit main.work 100 11000\n",
	      (const uint64_t[]){ 10000, 10000, 10, 0 }, NULL);
}

/* A goroutine for each request: it waits for most of its life, but others do so after it. */
TEST(requests)
{
	char events[4096] = "1 entry main.main 100 1000\n";
	size_t n = strlen(events);

	for (int i = 0; i < 10; i++) {
		int from = 1000 + 1000 * i, id = 10 + i;

		n += (size_t)snprintf(events + n, sizeof(events) - n,
				      "%d entry main.work 100 %d\n%d state - 0x703 %d\n", id, from,
				      id, from + 10);
		if (i < 9) /* the last one is still at it */
			n += (size_t)snprintf(
				events + n, sizeof(events) - n,
				"%d state - 1 %d\n%d exit main.work 100 %d\n%d end - 0 %d\n", id,
				from + 980, id, from + 990, id, from + 995);
	}
	snprintf(events + n, sizeof(events) - n, "1 exit main.main 100 11000\n");
	check(events, (const uint64_t[]){ 10000, 0, 9 * 990 + 1000, 0 }, NULL);
}

/* A leak: each request leaves a goroutine behind, and none of them ever goes on. */
TEST(leak)
{
	char events[4096] = "1 entry main.main 100 1000\n";
	size_t n = strlen(events);

	for (int i = 0; i < 10; i++)
		n += (size_t)snprintf(events + n, sizeof(events) - n,
				      "%d entry main.idle 100 %d\n%d state - 0x703 %d\n", 10 + i,
				      1000 + 1000 * i, 10 + i, 1001 + 1000 * i);
	snprintf(events + n, sizeof(events) - n, "1 exit main.main 100 11000\n");
	check(events, (const uint64_t[]){ 10000, 10, 0, 0 },
	      "left out: 55.0us of 10 parked goroutines (--parked shows it): 10 of main.idle (chan receive)");
}

/* Goroutines 2 and 3 call main.work again and again, and wait there for 4000 ns each time. Their
 * own functions, which call it, are not recorded. */
static void long_requests(const char *state, uint64_t work_ns, const char *said)
{
	char events[4096] = "1 entry main.main 100 1000\n";
	size_t n = strlen(events);

	for (int g = 2; g < 4; g++) {
		n += (size_t)snprintf(events + n, sizeof(events) - n,
				      "%d entry main.work 100 1000\n%d exit main.work 100 1001\n",
				      g, g);
		for (int i = 0; i < 3; i++) {
			const int t = 1002 + 4000 * i;

			n += (size_t)snprintf(events + n, sizeof(events) - n,
					      "%d entry main.work 200 %d\n%d state - %s %d\n", g, t,
					      g, state, t);
			if (i < 2)
				n += (size_t)snprintf(events + n, sizeof(events) - n,
						      "%d state - 1 %d\n%d exit main.work 200 %d\n",
						      g, t + 3999, g, t + 4000);
		}
	}
	snprintf(events + n, sizeof(events) - n, "1 exit main.main 100 11000\n");
	check(events, (const uint64_t[]){ 10000, 0, work_ns, 0 }, said);
}

/* A goroutine that is in its third long request is not parked. Where the calls read from a
 * connection, they wait for the next request. */
TEST(requests_last_long)
{
	long_requests("0x703", 2 * 9999, NULL);
	long_requests("0x1303", 2 * 9999, NULL);
	long_requests(
		"0x203", 2 * 3,
		"left out: 20.0us of 2 parked goroutines (--parked shows it): 2 of main.work (IO wait)");
}

/* Nobody is idle at a lock. It is the fault itself that keeps all others waiting to the end. */
TEST(locked_to_the_end)
{
	check("1 entry main.main 100 1000\n"
	      "2 entry main.idle 100 1000\n2 state - 0x1603 1010\n"
	      "3 entry main.work 100 1000\n3 exit main.work 100 9000\n"
	      "1 exit main.main 100 11000\n",
	      (const uint64_t[]){ 10000, 10000, 8000, 0 }, NULL);
}

/* Who is woken often is at work, however little it does. */
TEST(woken_often)
{
	char events[4096] = "1 entry main.main 100 1000\n2 entry main.work 100 1000\n";
	size_t n = strlen(events);

	for (int i = 0; i < 10; i++)
		n += (size_t)snprintf(events + n, sizeof(events) - n,
				      "2 state - 0x703 %d\n2 state - 1 %d\n", 1001 + 1000 * i,
				      2000 + 1000 * i);
	snprintf(events + n, sizeof(events) - n, "1 exit main.main 100 11000\n");
	check(events, (const uint64_t[]){ 10000, 0, 10000, 0 }, NULL);
}

/* Goroutine 2 waits for 0.3 s again and again, after `enters`, for the reason of `state`. Goroutine
 * `waker` ends the waits. */
static void waits_long_for(const char *enters, const char *state, int waker, uint64_t work_ns,
			   uint64_t inner_ns, const char *said)
{
	char events[4096];
	size_t n = (size_t)snprintf(events, sizeof(events), "1 entry main.main 100 1000\n%s",
				    enters);

	for (unsigned long ns = 1000; ns < 3000000000; ns += 300000000)
		n += (size_t)snprintf(events + n, sizeof(events) - n,
				      "%d wake - 2 %lu\n2 state - 1 %lu\n2 state - %s %lu\n", waker,
				      ns, ns, state, ns);
	snprintf(events + n, sizeof(events) - n, "1 exit main.main 100 3000001000\n");
	check(events, (const uint64_t[]){ 3000000000, 0, work_ns, inner_ns }, said);
}

static void waits_long(const char *enters, const char *state, uint64_t work_ns, uint64_t inner_ns,
		       const char *said)
{
	waits_long_for(enters, state, 1, work_ns, inner_ns, said);
}

/* Who waits for work in a loop of its own, and gets some now and then, is parked. Who sleeps there,
 * or waits in a call below, may wait for something that takes long. */
TEST(woken_seldom)
{
	const char *work = "2 entry main.work 100 1000\n",
		   *inner = "2 entry main.work 100 1000\n2 entry main.inner 200 1000\n";

	waits_long(
		work, "0x703", 0, 0,
		"left out: 3.00s of 1 parked goroutine (--parked shows it): 1 of main.work (chan receive)");
	waits_long(work, "0x1303", 3000000000, 0, NULL);
	waits_long(inner, "0x703", 0, 3000000000, NULL);
}

/* Who waits in a call below for what others put into a queue is parked. Who waits there until
 * others like itself are done is not. */
TEST(waits_for_condition)
{
	waits_long_for(
		"2 entry main.work 100 1000\n2 entry main.inner 200 1000\n", "0x1803", 1, 0, 0,
		"left out: 3.00s of 1 parked goroutine (--parked shows it): 1 of main.work (sync.Cond.Wait)");
	waits_long_for(
		"2 entry main.work 100 1000\n2 entry main.inner 200 1000\n3 entry main.work 100 1000\n",
		"0x1803", 3, 3000000000, 3000000000, NULL);
}

/* One request on a connection: its time counts, the wait for the next one does not. */
TEST(connection)
{
	check("1 entry main.main 100 1000\n"
	      "2 entry main.idle 100 1000\n2 state - 0x703 1010\n2 state - 1 1200\n"
	      "2 entry main.work 200 1200\n2 state - 0x1303 1210\n2 state - 1 1290\n"
	      "2 exit main.work 200 1300\n2 state - 0x703 1310\n"
	      "1 exit main.main 100 11000\n",
	      (const uint64_t[]){ 10000, 20, 100, 0 },
	      "left out: 9.88us of 1 parked goroutine (--parked shows it): 1 of main.idle (chan receive)");
}

/* Who accepts connections waits for work, however many come; who asks for something waits for it.
 */
TEST(network)
{
	for (int accepts = 0; accepts < 2; accepts++) {
		char events[4096] = "1 entry main.main 100 1000\n2 entry main.idle 100 1000\n";
		size_t n = strlen(events);

		for (int i = 0; i < 10; i++) {
			n += (size_t)snprintf(events + n, sizeof(events) - n,
					      "2 state - 0x203 %d\n", 1001 + 1000 * i);
			if (i == 9)
				break; /* it waits for the next one */
			n += (size_t)snprintf(events + n, sizeof(events) - n, "2 state - 1 %d\n",
					      1991 + 1000 * i);
			if (accepts)
				n += (size_t)snprintf(
					events + n, sizeof(events) - n,
					"2 create - 0 %d arg0=%d arg1=0x401000 arg2=0x402000\n",
					1995 + 1000 * i, 10 + i);
		}
		snprintf(events + n, sizeof(events) - n, "1 exit main.main 100 11000\n");
		check(events, (const uint64_t[]){ 10000, accepts ? 1 + 9 * 10 : 10000, 0, 0 },
		      accepts ? "left out: 9.91us of 1 parked goroutine (--parked shows it): 1 of main.idle (IO wait)"
			      : NULL);
	}
}

TESTS(they_wait_to_the_end, main_ends, others_end, stall, gone_on, main_serves, nothing_else,
      requests, requests_last_long, locked_to_the_end, leak, woken_often, woken_seldom,
      waits_for_condition, connection, network)
