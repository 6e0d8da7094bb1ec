// SPDX-License-Identifier: BSD-2-Clause
#include "attach/times.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "attach/target/target.h"
#include "base/clock.h"
#include "base/log.h"
#include "trace/keys.h"

/* Of the numbers in the line: user, nice, system, idle, iowait, irq, softirq, steal. Guests' time
 * stands behind them, and is in user. */
#define TICKS       8
#define TICK_IDLE   3
#define TICK_IOWAIT 4

struct host_time host_time_parse(const char *stat, uint64_t tick_ns)
{
	struct host_time t = { 0 };
	unsigned long long n[TICKS];

	if (sscanf(stat, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &n[0], &n[1], &n[2], &n[3],
		   &n[4], &n[5], &n[6], &n[7]) != TICKS)
		return t;
	for (int i = 0; i < TICKS; i++)
		*(i == TICK_IDLE || i == TICK_IOWAIT ? &t.idle_ns : &t.busy_ns) += n[i] * tick_ns;
	return t;
}

struct host_time host_time_now(void)
{
	char line[256] = "";
	FILE *f = fopen("/proc/stat", "re");

	if (f && !fgets(line, sizeof(line), f))
		*line = '\0';
	if (f)
		fclose(f);
	return host_time_parse(line, 1000000000ull / (unsigned long)sysconf(_SC_CLK_TCK));
}

void times_open(struct times *t, const struct target *target)
{
	int err = run_delay_open(&t->delay);

	run_delay_look(&t->delay, target->pid);
	if (!t->delay.told)
		log_debug("the kernel does not tell how long threads wait for a processor: %s",
			  err ? strerror(-err) : "CAP_NET_ADMIN is missing?");
}

void times_begin(struct times *t, const struct target *target)
{
	run_delay_look(&t->delay, target->pid);
	t->delay_before_ns = t->delay.ns;
	t->delays_before = t->delay.times;
	t->host_before = host_time_now();
	t->cpu_before_ns = target_cpu_ns(target);
	t->system_before_ns = target_system_ns(target);
	t->own_before_ns = clock_own_cpu_ns();
}

void times_look(struct times *t, const struct target *target, bool ended)
{
	if (ended)
		run_delay_look(&t->delay, target->pid);
	else
		run_delay_look_seldom(&t->delay, target->pid);
}

void times_after(struct times *t, const struct target *target)
{
	t->own_cpu_ns = clock_own_cpu_ns() - t->own_before_ns;
	t->host_after = host_time_now();
	if (!target->ended)
		run_delay_look(&t->delay, target->pid);
}

int times_describe(const struct times *t, struct trace_info *end)
{
	const struct host_time *a = &t->host_before, *b = &t->host_after;
	int err = 0;

	if (t->delay.told && t->delay.ns >= t->delay_before_ns)
		err = trace_info_setf(end, KEY_END_TARGET_RUN_DELAY_NS, "%" PRIu64,
				      t->delay.ns - t->delay_before_ns);
	if (!err && t->delay.told && t->delay.times >= t->delays_before)
		err = trace_info_setf(end, KEY_END_TARGET_RUN_DELAYS, "%" PRIu64,
				      t->delay.times - t->delays_before);
	if (err || b->busy_ns <= a->busy_ns || b->idle_ns < a->idle_ns)
		return err;
	err = trace_info_setf(end, KEY_END_HOST_BUSY_NS, "%" PRIu64, b->busy_ns - a->busy_ns);
	return err ? err
		   : trace_info_setf(end, KEY_END_HOST_IDLE_NS, "%" PRIu64,
				     b->idle_ns - a->idle_ns);
}

void times_close(struct times *t)
{
	run_delay_close(&t->delay);
}
