// SPDX-License-Identifier: BSD-2-Clause
#include "attach/collect/tsc_source.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attach/host/counter.h"
#include "attach/kernel/measurement_cache.h"
#include "base/clock.h"

/* More than this between two CPUs, and events of one goroutine could change places. */
#define SPREAD_MAX_NS 200
/* The processor does it in 10 to 30 ns, a hypervisor that traps it in a microsecond and more. */
#define READ_MAX_NS 400

struct tsc_pair tsc_source_pair(void)
{
	struct tsc_pair best = { 0 };
	uint64_t best_ticks = UINT64_MAX;

	for (int i = 0; i < 4; i++) {
		uint64_t from = host_counter_read(), ns = clock_monotonic_ns(),
			 to = host_counter_read();

		if (to - from >= best_ticks)
			continue;
		best_ticks = to - from;
		best.tsc = from + best_ticks / 2;
		best.ns = ns;
	}
	/* No counter is faster than 8 GHz nor, as far as this goes, slower than 1. */
	best.doubt_ns = best_ticks / 2 < UINT32_MAX ? (uint32_t)(best_ticks / 2) : UINT32_MAX;
	return best;
}

/* ---- what the system reports about it */

static bool read_line(const char *path, char *line, int size)
{
	FILE *f = fopen(path, "re");
	bool got = f && fgets(line, size, f);

	if (got)
		line[strcspn(line, "\n")] = '\0';
	if (f)
		fclose(f);
	return got;
}

/* How long two CPUs try to meet. A kernel whose clock is the counter has compared the counters and
 * watches them, so a short try is enough. Each busy CPU takes the whole time. */
#define MEETING_NS          (100 * 1000 * 1000)
#define MEETING_COMPARED_NS (10 * 1000 * 1000)

static bool source_fits(struct tsc_check *c, uint64_t *meeting_ns)
{
	char source[64] = "not known";

	read_line("/sys/devices/system/clocksource/clocksource0/current_clocksource", source,
		  sizeof(source));
	bool compared = false;
	bool fits = host_counter_is_source(source, &compared, c->why, sizeof(c->why));

	*meeting_ns = compared ? MEETING_COMPARED_NS : MEETING_NS;
	return fits;
}

/* ---- what is measured */

static double ticks_a_ns(void)
{
	struct tsc_pair a = tsc_source_pair(), b;

	do
		b = tsc_source_pair();
	while (b.ns - a.ns < 1000 * 1000);
	return (double)(b.tsc - a.tsc) / (double)(b.ns - a.ns);
}

static bool fast(struct tsc_check *c, double rate)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 64; i++) {
		uint64_t from = host_counter_read(), to = host_counter_read();

		best = to - from < best ? to - from : best;
	}
	c->read_ns = (uint32_t)((double)best / rate);
	if (c->read_ns <= READ_MAX_NS)
		return true;
	snprintf(c->why, sizeof(c->why),
		 "reading the time stamp counter takes %u ns, because it is trapped here",
		 c->read_ns);
	return false;
}

/* Two threads, each on its CPU, that answer each other with their counters. */
struct meeting {
	_Alignas(64) _Atomic uint64_t question; /* number of the round, 0 before the first */
	_Alignas(64) _Atomic uint64_t answer;   /* the counter there */
	_Atomic bool over;
	unsigned cpu;
	uint64_t most_ns; /* it may take */
};

static bool pin(unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return !sched_setaffinity(0, sizeof(set), &set);
}

static void *answer(void *arg)
{
	struct meeting *m = arg;
	uint64_t seen = 0;

	if (!pin(m->cpu))
		return NULL;
	while (!m->over) {
		uint64_t question = m->question;

		if (question == seen)
			continue;
		seen = question;
		m->answer = host_counter_read();
	}
	return NULL;
}

#define ROUNDS 300

/* Asks until there were enough answers and one came fast, or no longer. Where CPUs are busy, most
 * answers wait for one of them. */
static void ask(struct meeting *m, uint64_t doubt_max, struct tsc_offset *offset)
{
	uint64_t end_ns = clock_monotonic_ns() + m->most_ns;

	for (uint64_t round = 1; round <= ROUNDS || offset->doubt > doubt_max; round++) {
		uint64_t asked, there;

		m->answer = 0;
		asked = host_counter_read();
		m->question = round;
		for (unsigned i = 1; !(there = m->answer); i++)
			if (!(i % 1024) && clock_monotonic_ns() > end_ns)
				return;
		tsc_offset_add(offset, asked, there, host_counter_read());
		if (round > ROUNDS && clock_monotonic_ns() > end_ns)
			return;
	}
}

/* How far a CPU's counter is ahead of the one's that this thread is pinned to, for sure. */
static int64_t compare(unsigned cpu, uint64_t doubt_max, uint64_t meeting_ns)
{
	struct meeting m = { .cpu = cpu, .most_ns = meeting_ns };
	struct tsc_offset offset = { .doubt = UINT64_MAX };
	pthread_t thread;

	if (pthread_create(&thread, NULL, answer, &m))
		return 0;
	ask(&m, doubt_max, &offset);
	m.over = true;
	pthread_join(thread, NULL);
	return tsc_offset_sure(&offset, doubt_max);
}

static void measure_spread(struct tsc_check *c, const cpu_set_t *cpus, double rate,
			   uint64_t meeting_ns)
{
	const uint64_t doubt_max = (uint64_t)(SPREAD_MAX_NS * rate);
	int64_t most = 0, least = 0;
	bool first = true;

	for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, cpus))
			continue;
		if (first) {
			first = false;
			if (!pin(cpu))
				return;
			continue;
		}
		int64_t offset = compare(cpu, doubt_max, meeting_ns);

		most = offset > most ? offset : most;
		least = offset < least ? offset : least;
	}
	c->spread_ns = (uint32_t)((double)(most - least) / rate);
}

/* Kept for the next recording on the same processors. */
struct spread {
	cpu_set_t cpus;
	uint64_t ns;
};

static bool alike(struct tsc_check *c, double rate, uint64_t meeting_ns)
{
	struct spread now = { 0 }, kept;

	if (sched_getaffinity(0, sizeof(now.cpus), &now.cpus))
		return true; /* more CPUs than a set holds: the kernel has compared them */
	if (measurement_cache_get(MEASUREMENT_CACHE_DIR, "clock", &kept, sizeof(kept)) &&
	    CPU_EQUAL(&kept.cpus, &now.cpus)) {
		c->spread_ns = (uint32_t)kept.ns;
		return true;
	}
	measure_spread(c, &now.cpus, rate, meeting_ns);
	sched_setaffinity(0, sizeof(now.cpus), &now.cpus);
	now.ns = c->spread_ns;
	if (c->spread_ns <= SPREAD_MAX_NS) {
		measurement_cache_put(MEASUREMENT_CACHE_DIR, "clock", &now, sizeof(now));
		return true;
	}
	snprintf(c->why, sizeof(c->why),
		 "the time stamp counters of the CPUs differ by %u ns, more than %u", c->spread_ns,
		 SPREAD_MAX_NS);
	return false;
}

struct tsc_check tsc_source_check(void)
{
	const char *unchecked = getenv("GOTRACE_CLOCK_UNCHECKED");
	struct tsc_check c = { 0 };

	if (!host_counter_allowed(c.why, sizeof(c.why))) /* not even for a test */
		return c;
	c.unchecked = unchecked && !strcmp(unchecked, "1");
	if (c.unchecked) {
		c.usable = true;
		return c;
	}
	uint64_t meeting_ns = 0;
	if (!source_fits(&c, &meeting_ns) || !host_counter_steady(c.why, sizeof(c.why)))
		return c;
	double rate = ticks_a_ns();

	c.usable = fast(&c, rate) && alike(&c, rate, meeting_ns);
	return c;
}
