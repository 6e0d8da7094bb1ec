// SPDX-License-Identifier: BSD-2-Clause
/* Which calls the answer is about, why they take long, and who held the lock. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "analysis/answer.h"
#include "analysis/trace_fixture.h"
#include "analysis/trace_load.h"

#define HEAD                                                                           \
	"@set states 1\n@set states.reason.7 chan receive\n"                           \
	"@set states.reason.22 sync.Mutex.Lock\n@set states.reason.19 sleep\n"         \
	"@set states.reason.23 sync.RWMutex.RLock\n"                                   \
	"@set states.reason.2 IO wait\n@set states.reason.8 chan send\n"               \
	"@set states.reason.24 sync.Cond.Wait\n"                                       \
	"@func main.main\n@func main.serve\n@func main.get\n@func main.evict\n"        \
	"@func main.get.deferwrap1\n@func sync.(*Mutex).lockSlow\n@func main.worker\n" \
	"@func main.serve.gowrap1\n@func main.(*T).Run-fm\n@func main.(*T).Run\n"

enum { NETWORK = 2, RECEIVE = 7, CONDITION = 0x18 };

/* Events as text, put together. */
static char events[1 << 16];
static size_t at;

static void put(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void put(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	at += (size_t)vsnprintf(events + at, sizeof(events) - at, fmt, ap);
	va_end(ap);
	assert_true(at < sizeof(events));
}

static void begin(void)
{
	at = 0;
	put(HEAD);
}

static void check_of(const char *request, const char *said)
{
	const struct trace_view leave_out = { .leave_out_parked = true,
					      .said = true,
					      .request = request };
	struct trace_watch watch = { .wakes = true, .holds = true };
	char path[TRACE_PATH_BYTES];
	struct loaded_trace t;
	struct answer a;

	fixture_write_text(events, true, path);
	struct trace_reader *r = trace_reader_open(path);

	assert_non_null(r);
	assert_int_equal(trace_load(&t, r, &leave_out, &watch), 0);
	assert_int_equal(answer_find(&a, &t), 0);
	char *text = answer_say(&a, t.info);

	assert_string_equal(text, said);
	free(text);
	trace_unload(&t);
	trace_reader_close(r);
	unlink(path);
}

static void check(const char *said)
{
	check_of(NULL, said);
}

/* Two goroutines: one holds the lock while it evicts, the other waits for the lock. */
static void contend(int i, int wait_depth)
{
	int t = 1000 + 1000 * i;

	put("10 entry main.serve 100 %d\n10 entry main.get 200 %d\n"
	    "10 entry main.evict 300 %d\n10 state - 0x1303 %d\n",
	    t, t + 10, t + 20, t + 21);
	put("11 entry main.serve 100 %d\n11 entry main.get 200 %d\n", t + 30, t + 40);
	if (wait_depth > 200)
		put("11 entry sync.(*Mutex).lockSlow %d %d\n", wait_depth, t + 45);
	put("11 state - 0x1603 %d\n10 state - 1 %d\n10 exit main.evict 300 %d\n", t + 50, t + 820,
	    t + 821);
	put("10 entry main.get.deferwrap1 300 %d\n10 wake - 11 %d\n"
	    "10 exit main.get.deferwrap1 300 %d\n",
	    t + 825, t + 830, t + 835);
	put("10 exit main.get 200 %d\n10 exit main.serve 100 %d\n11 state - 1 %d\n", t + 840,
	    t + 850, t + 860);
	if (wait_depth > 200)
		put("11 exit sync.(*Mutex).lockSlow %d %d\n", wait_depth, t + 861);
	put("11 exit main.get 200 %d\n11 exit main.serve 100 %d\n", t + 870, t + 880);
}

TEST(lock)
{
	/* with package sync traced, too: it acts for its callers */
	for (int traced = 0; traced < 2; traced++) {
		begin();
		for (int i = 0; i < 10; i++)
			contend(i, traced ? 300 : 0);
		check(traced ? "main.serve waits 46% of its time for a lock and sleeps 47% (20 calls, mean 850ns, together 17.0us in 9.88us)\n"
			       "  where     main.get, sync.Mutex.Lock (46%)\n"
			       "  ended by  main.get 100%\n"
			       "  held by   main.get, 10 times, mean 820ns or less, longest 820ns, 98% of it in main.evict\n"
			       "  there     main.evict sleeps 100% of its time\n"
			     : "main.serve waits 46% of its time for a lock and sleeps 47% (20 calls, mean 850ns, together 17.0us in 9.88us)\n"
			       "  where     main.get, sync.Mutex.Lock (46%)\n"
			       "  ended by  main.get 100%\n"
			       "  held by   main.get, 10 times, mean 820ns or less, longest 820ns, 98% of it in main.evict\n"
			       "  there     main.evict sleeps 100% of its time\n");
	}
}

/* A holder that waited for the lock itself held it since then only. */
TEST(held_since_the_wait)
{
	begin();
	for (int i = 0; i < 10; i++) {
		int t = 1000 + 1000 * i;

		put("10 entry main.serve 100 %d\n10 entry main.get 200 %d\n10 state - 0x1603 %d\n"
		    "11 entry main.serve 100 %d\n11 state - 0x1603 %d\n",
		    t, t + 1, t + 2, t + 3, t + 4);
		put("- wake - 10 %d\n10 state - 1 %d\n10 wake - 11 %d\n11 state - 1 %d\n", t + 700,
		    t + 701, t + 900, t + 901);
		put("10 exit main.get 200 %d\n10 exit main.serve 100 %d\n11 exit main.serve 100 %d\n",
		    t + 910, t + 911, t + 912);
	}
	check("main.serve waits 88% of its time for a lock (20 calls, mean 910ns, together 18.2us in 9.91us)\n"
	      "  where     main.serve, sync.Mutex.Lock (49%)\n"
	      "  ended by  main.get 56%, [runtime] 44%\n"
	      "  held by   main.get, 10 times, mean 200ns or less, longest 200ns\n"
	      "  there     main.get runs 100% of its time, apart from waits for locks\n");
}

/* One release ends the waits of three readers. That is one hold. The holder waited for the lock
 * itself, before its first release. */
TEST(readers_together)
{
	begin();
	for (int i = 0; i < 10; i++) {
		int t = 1000 + 1000 * i;

		put("10 entry main.evict 100 %d\n10 state - 0x1603 %d\n", t, t + 1);
		for (int g = 11; g < 14; g++)
			put("%d entry main.serve 100 %d\n%d state - 0x1703 %d\n", g, t + 2, g,
			    t + 3);
		put("- wake - 10 %d\n10 state - 1 %d\n", t + 100, t + 101);
		for (int g = 11; g < 14; g++)
			put("10 wake - %d %d\n%d state - 1 %d\n", g, t + 890 + g, g, t + 900 + g);
		put("10 exit main.evict 100 %d\n", t + 920);
		for (int g = 11; g < 14; g++)
			put("%d exit main.serve 100 %d\n", g, t + 930);
	}
	check("main.serve waits 97% of its time for a lock (30 calls, mean 928ns, together 27.8us in 9.93us)\n"
	      "  where     main.serve, sync.RWMutex.RLock (97%)\n"
	      "  ended by  main.evict 100%\n"
	      "  held by   main.evict, 10 times, mean 801ns or less, longest 801ns\n"
	      "  there     main.evict runs 100% of its time, apart from waits for locks\n");
}

/* Calls of serve hand work to one worker, from `waits` ns on with reason 7 or 8: that takes long.
 */
static void hand_over(int waits, int reason)
{
	for (int i = 0; i < 10; i++) {
		int t = 1000 + 1000 * i;

		put("10 entry main.serve 100 %d\n20 entry main.evict 200 %d\n10 state - 0x%d03 %d\n"
		    "20 exit main.evict 200 %d\n20 wake - 10 %d\n10 state - 1 %d\n"
		    "10 exit main.serve 100 %d\n",
		    t + 1, t + 3, reason, t + waits, t + 900, t + 910, t + 920, t + 930);
	}
}

TEST(worker)
{
	begin();
	put("20 entry main.worker 100 1000\n");
	hand_over(4, 8);
	check("main.serve waits 98% of its time for other goroutines (10 calls, mean 929ns, together 9.29us in 9.93us)\n"
	      "  where     main.serve, chan send (98%)\n"
	      "  ended by  main.worker 100%\n"
	      "  there     main.worker runs 100% of its time, most of it in main.evict\n");
}

/* The worker's loop began before the recording. Its last call names it. */
TEST(worker_before)
{
	begin();
	hand_over(200, 7);
	check("main.serve waits 76% of its time for other goroutines (10 calls, mean 929ns, together 9.29us in 9.93us)\n"
	      "  where     main.serve, chan receive (76%)\n"
	      "  ended by  main.evict 100%\n"
	      "  there     main.evict runs 100% of its time\n");
}

/* Ten calls of main.serve call main.get eight times each, every 100 ns. main.get is in `state` for
 * `wait` ns, and returns at the time `end` of the 100. */
static void serve_many(const char *state, int wait, int end)
{
	begin();
	for (int i = 0; i < 10; i++) {
		int t = 1000 + 1000 * i;

		put("10 entry main.serve 100 %d\n", t);
		for (int k = 0; k < 8; k++)
			put("10 entry main.get 200 %d\n10 state - %s %d\n10 state - 1 %d\n"
			    "10 exit main.get 200 %d\n",
			    t + 100 * k + 1, state, t + 100 * k + 2, t + 100 * k + 2 + wait,
			    t + 100 * k + end);
		put("10 exit main.serve 100 %d\n", t + 900);
	}
}

TEST(many)
{
	serve_many("0x203", 90, 93);
	check("main.serve waits 80% of its time for the network (10 calls, mean 900ns, together 9.00us in 9.90us)\n"
	      "  where     main.get, IO wait (80%)\n"
	      "  calls     main.get 8 times in each call\n");
}

/* On a full machine each of these calls waits for a processor, so many calls wait long. */
TEST(many_on_a_full_machine)
{
	serve_many("2", 70, 98);
	check("main.serve runs 38% of its time and waits 62% for a processor (10 calls, mean 900ns, together 9.00us in 9.90us)\n"
	      "  where     main.get (24%)\n"
	      "  calls     main.get 8 times in each call\n"
	      "  meanwhile on average 0.4 goroutines ran, 0.6 waited for Go's scheduler; main.get ran most\n");
}

/* main.serve waits for a lock and gives each of two workers something to write. A worker's call
 * waits for that in main.get, for this reason, and writes in main.evict. */
static void serve_by_writers(int reason)
{
	begin();
	for (int i = 0; i < 12; i++) {
		int t = 1000 + 1000 * i;

		for (int g = 20; g < 22; g++)
			put("%d entry main.worker 100 %d\n%d entry main.get 200 %d\n"
			    "%d state - 0x%x03 %d\n",
			    g, t + g, g, t + g + 2, g, (unsigned)reason, t + g + 4);
		put("10 entry main.serve 100 %d\n10 state - 0x1603 %d\n10 state - 1 %d\n", t + 100,
		    t + 110, t + 870);
		for (int g = 20; g < 22; g++)
			put("%d wake - %d %d\n%d state - 1 %d\n%d exit main.get 200 %d\n",
			    reason == NETWORK ? 0 : 10, g, t + 860 + g, g, t + 870 + g, g,
			    t + 872 + g);
		for (int g = 20; g < 22; g++)
			put("%d entry main.evict 200 %d\n%d exit main.evict 200 %d\n", g,
			    t + 880 + g, g, t + 905 + g);
		put("10 exit main.serve 100 %d\n", t + 950);
		for (int g = 20; g < 22; g++)
			put("%d exit main.worker 100 %d\n", g, t + 940 + g);
	}
}

/* Calls that wait for the next request, or for what a request gives them, are no requests,
 * however long. Who waits for a channel may wait for a reply. */
TEST(waits_for_calls)
{
	static const int reasons[] = { CONDITION, NETWORK };

	for (size_t i = 0; i < 2; i++) {
		serve_by_writers(reasons[i]);
		check("main.serve waits 89% of its time for a lock (12 calls, mean 850ns, together 10.2us in 11.9us)\n"
		      "  where     main.serve, sync.Mutex.Lock (89%)\n"
		      "  held by   not recorded\n");
	}
	serve_by_writers(RECEIVE);
	check("main.worker waits 91% of its time for other goroutines (24 calls, mean 940ns, together 22.6us in 11.9us)\n"
	      "  where     main.get, chan receive (91%)\n"
	      "  ended by  main.serve 100%\n"
	      "  there     main.serve waits 89% of its time for a lock\n");
}

/* A loop of the program's own that only waits is no request, however long; nor is the wait of a
 * connection for the next one. */
TEST(who_waits_for_work)
{
	begin();
	put("20 entry main.worker 100 1000\n21 entry main.main 100 1000\n22 entry main.main 100 1000\n");
	for (int i = 0; i < 10; i++) {
		int t = 1000 + 1000 * i;

		put("20 entry main.evict 200 %d\n20 state - 0x703 %d\n", t + 1, t + 2);
		for (int g = 21; g < 23; g++)
			put("%d entry main.get 200 %d\n%d state - 0x203 %d\n", g, t + g, g, t + g);
		put("20 state - 1 %d\n20 exit main.evict 200 %d\n", t + 700, t + 701);
		for (int g = 21; g < 23; g++)
			put("%d state - 1 %d\n%d exit main.get 200 %d\n%d entry main.serve 200 %d\n"
			    "%d exit main.serve 200 %d\n",
			    g, t + 702 + 50 * (g - 21), g, t + 703 + 50 * (g - 21), g,
			    t + 704 + 50 * (g - 21), g, t + 920 + 50 * (g - 21));
	}
	check("main.serve runs 100% of its time (20 calls, mean 216ns, together 4.32us in 9.97us)\n"
	      "  where     main.serve (100%)\n");
}

/* Each of four goroutines makes three calls of main.serve, a third of the recording each, and its
 * own function is not recorded. A call waits for a value from main.worker. Short calls of main.get
 * do more work meanwhile. */
TEST(long_requests)
{
	begin();
	for (int i = 0; i < 3; i++) {
		int t = 1000 + 3000 * i;

		for (int g = 10; g < 14; g++)
			put("%d entry main.serve 100 %d\n%d state - 0x703 %d\n", g, t + g, g,
			    t + g + 2);
		for (int k = 0; k < 12; k++)
			put("15 entry main.get 100 %d\n15 exit main.get 100 %d\n",
			    t + 100 + 100 * k, t + 150 + 100 * k);
		put("20 entry main.worker 100 %d\n", t + 2900);
		for (int g = 10; g < 14; g++)
			put("20 wake - %d %d\n", g, t + 2900 + g);
		put("20 exit main.worker 100 %d\n", t + 2920);
		for (int g = 10; g < 14; g++)
			put("%d state - 1 %d\n%d exit main.serve 100 %d\n", g, t + 2930 + g, g,
			    t + 2950 + g);
	}
	check("main.serve waits 98% of its time for other goroutines (12 calls, mean 2.95us, together 35.4us in 8.95us)\n"
	      "  where     main.serve, chan receive (98%)\n"
	      "  ended by  main.worker 100%\n"
	      "  there     main.worker runs 100% of its time\n");
}

/* Calls that wait for the machine's or the scheduler's processors while another goroutine runs. */
static void short_of_processors(int ready_ns)
{
	begin();
	put("@set host.cpus 2\n30 entry main.evict 100 1000\n");
	for (int i = 0; i < 10; i++) {
		int t = 1000 + 1000 * i;

		put("10 entry main.serve 100 %d\n10 state - 2 %d\n10 state - 1 %d\n"
		    "10 state - 6 %d\n10 state - 1 %d\n10 exit main.serve 100 %d\n",
		    t + 1, t + 10, t + 10 + ready_ns, t + 20 + ready_ns, t + 900, t + 901);
	}
	put("30 exit main.evict 100 11000\n");
}

/* Threads without a processor look like processors of the scheduler that are not there. */
TEST(scheduler_or_machine)
{
	short_of_processors(800);
	check("main.serve waits 98% of its time for a processor (10 calls, mean 900ns, together 9.00us in 10.0us)\n"
	      "  where     main.serve (98%)\n"
	      "  meanwhile on average 1.1 goroutines ran on 1 of 2 processors (GOMAXPROCS), 0.8 waited for Go's scheduler, 0.1 waited for a processor; main.evict ran most\n");
	short_of_processors(100);
	check("main.serve waits 98% of its time for a processor (10 calls, mean 900ns, together 9.00us in 10.0us)\n"
	      "  where     main.serve (98%)\n"
	      "  meanwhile on average 1.1 goroutines ran on 2 processors, 0.1 waited for Go's scheduler, 0.8 waited for a processor; main.evict ran most\n");
}

/* A request that only waits is one where its caller waits between requests, whatever else that
 * calls. */
TEST(requests_that_wait)
{
	begin();
	put("21 entry main.main 100 1000\n22 entry main.main 100 1000\n");
	for (int i = 0; i < 10; i++)
		for (int g = 21; g < 23; g++) {
			int t = 1000 + 1000 * i + 10 * (g - 21);

			put("%d state - 0x203 %d\n%d state - 1 %d\n%d entry main.serve 200 %d\n"
			    "%d state - 0x203 %d\n",
			    g, t + 1, g, t + 80, g, t + 81, g, t + 82);
			put("%d state - 1 %d\n%d exit main.serve 200 %d\n%d entry main.get 200 %d\n"
			    "%d exit main.get 200 %d\n",
			    g, t + 880, g, t + 881, g, t + 882, g, t + 890);
		}
	check("main.serve waits 100% of its time for the network (20 calls, mean 800ns, together 16.0us in 9.90us)\n"
	      "  where     main.serve, IO wait (100%)\n");
}

/* A wait whose caller is not recorded is nobody's request: a connection's for the next one, say. */
TEST(waits_of_nobody)
{
	static const char *const idle[] = { "internal/poll.runtime_pollWait", "time.Sleep",
					    "net/http.(*connReader).backgroundRead" };

	for (size_t k = 0; k < sizeof(idle) / sizeof(idle[0]); k++) {
		at = 0;
		put("@set states 1\n@set states.reason.2 IO wait\n@set states.reason.19 sleep\n"
		    "@func %s\n@func main.serve\n",
		    idle[k]);
		for (int i = 0; i < 10; i++) {
			int t = 1000 + 1000 * i;

			put("20 entry %s 100 %d\n10 entry main.serve 100 %d\n20 state - 0x203 %d\n",
			    idle[k], t, t + 1, t + 2);
			put("10 state - 0x1303 %d\n10 state - 1 %d\n10 exit main.serve 100 %d\n"
			    "20 state - 1 %d\n20 exit %s 100 %d\n",
			    t + 20, t + 600, t + 640, t + 900, idle[k], t + 960);
		}
		check("main.serve sleeps 91% of its time (10 calls, mean 639ns, together 6.39us in 9.96us)\n"
		      "  where     main.serve, sleep (91%)\n");
	}
}

/* Who ended the waits that the answer names, as --by=reason says: not those for another reason. */
TEST(wakers_of_the_reason)
{
	begin();
	for (int i = 0; i < 10; i++) {
		int t = 1000 + 1000 * i;

		put("10 entry main.serve 100 %d\n10 state - 0x803 %d\n30 wake - 10 %d\n"
		    "10 state - 1 %d\n10 state - 0x703 %d\n11 entry main.evict 100 %d\n",
		    t, t + 10, t + 500, t + 501, t + 510, t + 520);
		put("11 wake - 10 %d\n11 exit main.evict 100 %d\n10 state - 1 %d\n"
		    "10 exit main.serve 100 %d\n",
		    t + 800, t + 810, t + 815, t + 900);
	}
	check("main.serve waits 87% of its time for other goroutines (10 calls, mean 900ns, together 9.00us in 9.90us)\n"
	      "  where     main.serve, mostly chan send (87%)\n"
	      "  ended by  goroutines whose functions are not recorded 100%\n");
}

/* Where it is known of few waits who ended them, nobody ended most. */
TEST(wakers_of_few)
{
	begin();
	for (int i = 0; i < 20; i++) {
		int t = 1000 + 1000 * i;

		put("10 entry main.serve 100 %d\n10 state - 0x803 %d\n", t, t + 10);
		if (!i)
			put("11 entry main.evict 100 %d\n11 wake - 10 %d\n11 exit main.evict 100 %d\n",
			    t + 500, t + 850, t + 860);
		put("10 state - 1 %d\n10 exit main.serve 100 %d\n", t + 870, t + 900);
	}
	check("main.serve waits 95% of its time for other goroutines (20 calls, mean 900ns, together 18.0us in 19.9us)\n"
	      "  where     main.serve, chan send (95%)\n");
}

/* A caller of a recursive function calls it once. */
TEST(recursion)
{
	begin();
	for (int i = 0; i < 10; i++) {
		int t = 1000 + 1000 * i;

		put("10 entry main.serve 100 %d\n", t);
		for (int k = 0; k < 8; k++)
			put("10 entry main.get %d %d\n10 entry main.evict %d %d\n", 200 + 20 * k,
			    t + 10 * k + 1, 210 + 20 * k, t + 10 * k + 2);
		for (int k = 7; k >= 0; k--)
			put("10 exit main.evict %d %d\n10 exit main.get %d %d\n", 210 + 20 * k,
			    t + 800 - 10 * k, 200 + 20 * k, t + 801 - 10 * k);
		put("10 exit main.serve 100 %d\n", t + 900);
	}
	check("main.serve runs 100% of its time (10 calls, mean 900ns, together 9.00us in 9.90us)\n"
	      "  where     main.evict (87%)\n");
}

/* Where no function ended the wait, the goroutines that the call started are explained. A waker
 * that waited itself says for what. */
TEST(through_others)
{
	for (int known = 0; known < 2; known++) {
		begin();
		for (int i = 0; i < 10; i++) {
			int t = 1000 + 1000 * i, g = 30 + i;

			put("10 entry main.serve 100 %d\n10 create - 0 %d arg0=%d arg1=0x401000 arg2=0x402000\n"
			    "%d state - 1 %d\n",
			    t, t + 5, g, g, t + 6);
			put("%d entry main.worker 100 %d\n10 state - 0x703 %d\n%d state - 0x203 %d\n"
			    "%d state - 1 %d\n",
			    g, t + 7, t + 10, g, t + 20, g, t + 800);
			put("%d wake - 10 %d\n%d exit main.worker 100 %d\n", known ? g : 99,
			    t + 810, g, t + 811);
			put("%d end - 0 %d\n10 state - 1 %d\n10 exit main.serve 100 %d\n", g,
			    t + 815, t + 820, t + 900);
		}
		check(known ? "main.serve waits 89% of its time for other goroutines that wait for the network (10 calls, mean 900ns, together 9.00us in 9.90us)\n"
			      "  where     main.serve, chan receive (89%)\n"
			      "  ended by  main.worker 100%\n"
			      "  there     main.worker waits 97% of its time for the network\n"
			    : "main.serve waits 89% of its time for other goroutines (10 calls, mean 900ns, together 9.00us in 9.90us)\n"
			      "  where     main.serve, chan receive (89%)\n"
			      "  ended by  goroutines whose functions are not recorded 100%\n"
			      "  started   main.worker waits 97% of its time for the network\n");
	}
}

enum inside { ONCE, TWICE, ANOTHER, WAITS, WAKES, NOTHING };

/* Each call of serve starts `wrapper`, and waits for it. That calls `callee`. */
static void start_wrapper(const char *wrapper, const char *callee, enum inside inside)
{
	begin();
	for (int i = 0; i < 10; i++) {
		int t = 1000 + 1000 * i, g = 30 + i;

		put("10 entry main.serve 100 %d\n10 create - 0 %d arg0=%d arg1=0x401000 arg2=0x402000\n"
		    "%d state - 1 %d\n%d entry %s 100 %d\n10 state - 0x703 %d\n",
		    t, t + 5, g, g, t + 6, g, wrapper, t + 7, t + 10);
		if (inside == WAITS)
			put("%d state - 0x1303 %d\n%d state - 1 %d\n", g, t + 11, g, t + 12);
		if (inside == TWICE || inside == ANOTHER)
			put("%d entry %s 200 %d\n%d exit %s 200 %d\n", g,
			    inside == TWICE ? callee : "main.get", t + 13, g,
			    inside == TWICE ? callee : "main.get", t + 14);
		if (inside != NOTHING)
			put("%d entry %s 200 %d\n", g, callee, t + 15);
		put("%d state - 0x203 %d\n%d state - 1 %d\n", g, t + 20, g, t + 800);
		if (inside != NOTHING)
			put("%d exit %s 200 %d\n", g, callee, t + 805);
		put("%d wake - 10 %d\n%d exit %s 100 %d\n%d end - 0 %d\n", inside == WAKES ? g : 99,
		    t + 806, g, wrapper, t + 807, g, t + 808);
		put("10 state - 1 %d\n10 exit main.serve 100 %d\n", t + 810, t + 900);
	}
}

static void started_is(const char *name, const char *waits)
{
	char said[512];

	snprintf(
		said, sizeof(said),
		"main.serve waits 88%% of its time for other goroutines (10 calls, mean 900ns, together 9.00us in 9.90us)\n"
		"  where     main.serve, chan receive (88%%)\n"
		"  ended by  goroutines whose functions are not recorded 100%%\n"
		"  started   %s %s\n",
		name, waits);
	check(said);
}

/* The answer names what a wrapper of the compiler calls, if the wrapper does nothing else. */
TEST(wrappers)
{
	static const char wrapper[] = "main.serve.gowrap1", worker[] = "main.worker",
			  bound[] = "main.(*T).Run-fm", run[] = "main.(*T).Run";

	start_wrapper(wrapper, worker, ONCE);
	started_is(worker, "waits 98% of its time for the network");
	start_wrapper(wrapper, worker, TWICE);
	started_is(wrapper, "waits 98% of its time for the network, most of it in main.worker");
	start_wrapper(wrapper, worker, ANOTHER);
	started_is(wrapper, "waits 98% of its time for the network, most of it in main.worker");
	start_wrapper(wrapper, worker, WAITS);
	started_is(wrapper, "waits 98% of its time for the network, most of it in main.worker");
	start_wrapper(wrapper, worker, NOTHING);
	started_is(wrapper, "waits 98% of its time for the network");
	/* what it wraps may be a wrapper */
	start_wrapper(wrapper, bound, ONCE);
	started_is(run, "waits 98% of its time for the network");
	start_wrapper(bound, worker, ONCE);
	started_is(worker, "waits 98% of its time for the network");
	start_wrapper(bound, worker, NOTHING);
	started_is(run, "waits 98% of its time for the network");
	/* numbers of calls are those of the function that the sentence names */
	start_wrapper(wrapper, worker, ONCE);
	check_of(
		"*.gowrap1",
		"main.worker waits 98% of its time for the network (10 calls, mean 800ns, together 8.00us in 9.90us)\n"
		"  where     main.worker, IO wait (98%)\n");
	put("99 entry main.worker 100 10910\n99 exit main.worker 100 10911\n");
	check_of(
		"*.gowrap1",
		"main.serve.gowrap1 waits 98% of its time for the network (10 calls, mean 800ns, together 8.00us in 9.91us)\n"
		"  where     main.worker, IO wait (98%)\n");
	/* code that was inlined ends the wait: the wrapper is no mere one */
	start_wrapper(wrapper, worker, WAKES);
	check("main.serve waits 88% of its time for other goroutines that wait for the network (10 calls, mean 900ns, together 9.00us in 9.90us)\n"
	      "  where     main.serve, chan receive (88%)\n"
	      "  ended by  main.serve.gowrap1 100%\n"
	      "  there     main.serve.gowrap1 waits 98% of its time for the network, most of it in main.worker\n");
}

/* A program that ends: its main, unless that leaves all to others. */
TEST(tool)
{
	begin();
	put("1 entry main.main 100 1000\n");
	for (int i = 0; i < 10; i++)
		put("1 entry main.get 200 %d\n1 exit main.get 200 %d\n", 1000 + 100 * i,
		    1090 + 100 * i);
	put("1 exit main.main 100 2000\n");
	check("main.main runs 100% of its time (1 call, 1.00us of 1.00us)\n"
	      "  where     main.get (90%)\n");
}

/* --request names the subject, also where there would be none. */
TEST(request)
{
	begin();
	put("1 entry main.main 100 1000\n1 entry main.get 200 1100\n1 exit main.get 200 1200\n"
	    "1 exit main.main 100 2000\n");
	check_of("main.g*", "main.get runs 100% of its time (1 call, 100ns of 1.00us)\n"
			    "  where     main.get (100%)\n");
}

/* Workers that idle are no requests, though no call of theirs is seen. */
TEST(idle_workers)
{
	begin();
	for (int i = 0; i < 12; i++)
		put("%d entry main.worker 100 1000\n%d state - 0x703 1010\n", 30 + i, 30 + i);
	for (int t = 2000; t < 22000; t += 1000)
		put("%d state - 1 %d\n%d state - 0x703 %d\n10 entry main.serve 100 %d\n"
		    "10 exit main.serve 100 %d\n",
		    30 + t / 1000 % 3, t, 30 + t / 1000 % 3, t + 100, t + 100, t + 900);
	check("main.serve runs 100% of its time (20 calls, mean 800ns, together 16.0us in 20.9us)\n"
	      "  where     main.serve (100%)\n");
}

/* Nothing is known of a program without a call. */
TEST(empty)
{
	begin();
	put("1 entry main.main 100 1000\n");
	check("");
}

/* What stands for a part of the waits is not said to be all of them. */
TEST(two_reasons)
{
	begin();
	for (int i = 0; i < 10; i++) {
		int t = 1000 + 1000 * i;

		put("10 entry main.serve 100 %d\n10 state - 0x0803 %d\n10 state - 1 %d\n"
		    "10 state - 0x0703 %d\n10 state - 1 %d\n10 exit main.serve 100 %d\n",
		    t, t + 10, t + 610, t + 620, t + 920, t + 950);
	}
	check("main.serve waits 95% of its time for other goroutines (10 calls, mean 950ns, together 9.50us in 9.95us)\n"
	      "  where     main.serve, mostly chan send (95%)\n");
}

TESTS(long_requests, two_reasons, scheduler_or_machine, readers_together, lock, held_since_the_wait,
      worker, many, many_on_a_full_machine, tool, who_waits_for_work, waits_for_calls, empty,
      request, worker_before, requests_that_wait, waits_of_nobody, wakers_of_the_reason,
      wakers_of_few, recursion, through_others, wrappers, idle_workers)
