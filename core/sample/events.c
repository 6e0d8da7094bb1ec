// SPDX-License-Identifier: BSD-2-Clause
#include "sample/events.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

#define SW(name, what)                                                \
	{                                                             \
		name, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##what, false \
	}
#define HW(name, what)                                                \
	{                                                             \
		name, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##what, false \
	}

const struct event_type event_types[] = {
	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, true },
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, true },
	SW("page-faults", PAGE_FAULTS),
	SW("minor-faults", PAGE_FAULTS_MIN),
	SW("major-faults", PAGE_FAULTS_MAJ),
	SW("context-switches", CONTEXT_SWITCHES),
	SW("cpu-migrations", CPU_MIGRATIONS),
	HW("cpu-cycles", CPU_CYCLES),
	HW("instructions", INSTRUCTIONS),
	HW("cache-references", CACHE_REFERENCES),
	HW("cache-misses", CACHE_MISSES),
	HW("branches", BRANCH_INSTRUCTIONS),
	HW("branch-misses", BRANCH_MISSES),
	{ 0 },
};

const struct event_type *event_type_find(const char *name)
{
	for (const struct event_type *t = event_types; t->name; t++)
		if (!strcmp(t->name, name))
			return t;
	return NULL;
}

/* xorshift64*, for periods only */
static double draw(struct sample_events *e)
{
	e->random ^= e->random >> 12;
	e->random ^= e->random << 25;
	e->random ^= e->random >> 27;
	return (double)(e->random * 0x2545f4914f6cdd1dull >> 11) / (double)(1ull << 53);
}

void sample_events_init(struct sample_events *e, const struct event_type *type, unsigned hz,
			unsigned count, bool by_cpu, int program_fd)
{
	*e = (struct sample_events){
		.type = type, .hz = hz, .by_cpu = by_cpu, .program_fd = program_fd
	};
	/* A frequency would be adjusted by bursts, such as at a program's start: what comes after
	 * them is hardly seen. */
	e->count = count ? count : type->type == PERF_TYPE_SOFTWARE && !type->is_clock;
	if (getrandom(&e->random, sizeof(e->random), GRND_NONBLOCK) != sizeof(e->random))
		e->random = clock_monotonic_ns() ^ (uint64_t)getpid() << 32;
	e->random |= 1;
	e->n_sets = type->is_clock ? EVENT_SETS : 1;
	/* From 0.7 to 1.3 of the mean, one in each quarter of that. */
	for (unsigned i = 0; i < e->n_sets; i++)
		e->period[i] = (uint64_t)(1e9 / hz * (0.7 + 0.6 * (i + draw(e)) / e->n_sets));
}

/* No samples are read, but it tells these events from others of gotrace's. */
#define SAMPLE_TYPE PERF_SAMPLE_IP

static bool by_frequency(const struct sample_events *e)
{
	return !e->type->is_clock && !e->count;
}

static uint64_t period_of(const struct sample_events *e, unsigned set)
{
	return by_frequency(e) ? e->hz : e->count ? e->count : e->period[set];
}

static int open_one(const struct sample_events *e, const struct scope *of, unsigned set,
		    bool at_exec)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = e->type->type,
		.config = e->type->config,
		.inherit = scope_is_thread(of),
		.exclude_idle = !scope_is_thread(of),
		.disabled = at_exec || set != e->on,
		.enable_on_exec = at_exec && set == e->on,
		.sample_type = SAMPLE_TYPE,
		.freq = by_frequency(e),
		.sample_period = period_of(e, set), /* a union with sample_freq */
	};
	int fd = syscall(SYS_perf_event_open, &attr, of->pid, of->cpu, -1, of->flags);

	if (fd < 0)
		return -errno;
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, e->program_fd)) {
		int err = -errno;

		close(fd);
		return err;
	}
	return fd;
}

/* Counts what the thread, and what it starts, takes. */
static int open_counter(pid_t tid, bool at_exec)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.inherit = 1,
		.disabled = at_exec,
		.enable_on_exec = at_exec,
	};
	int fd = syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int refuse(const struct sample_events *e, const struct scope *of, int err)
{
	const char *name = e->type->name;

	if (err == (scope_is_thread(of) ? -ESRCH : -ENODEV))
		return err;
	if (err == -ENOENT || err == -EOPNOTSUPP || err == -ENODEV)
		log_error("%s: this machine has no hardware counter for it, or its virtual machine "
			  "passes none on (perf_event_open: %s); -e cpu-clock works everywhere",
			  name, strerror(-err));
	else if (err == -EACCES || err == -EPERM)
		log_error("%s cannot be sampled: %s; run gotrace as root", name, strerror(-err));
	else if (err == -EMFILE)
		log_error("%s cannot be sampled: too many threads for the limit of open files "
			  "(ulimit -n)",
			  name);
	else if (err == -EINVAL && !e->type->is_clock)
		log_error("%s cannot be sampled %u times a second: the kernel allows what "
			  "/proc/sys/kernel/perf_event_max_sample_rate says",
			  name, e->hz);
	else
		log_error("%s cannot be sampled: perf_event_open: %s", name, strerror(-err));
	return err;
}

static int make_room(struct sample_events *e)
{
	if (e->n + e->n_sets + 1 <= e->cap)
		return 0;
	size_t cap = e->cap ? 2 * e->cap : 64;
	int *fds = realloc(e->fds, cap * sizeof(*fds));

	if (!fds)
		return -ENOMEM;
	e->fds = fds;
	e->cap = cap;
	return 0;
}

void sample_events_describe(const struct sample_events *e, struct threads_config *c)
{
	_Static_assert(EVENT_SETS + 1 <= THREAD_EVENTS, "bits of struct thread_has");

	c->n = e->n_sets + 1;
	for (unsigned set = 0; set < e->n_sets; set++)
		c->event[set] = (struct thread_event){ SAMPLE_TYPE, period_of(e, set) };
	c->event[e->n_sets] = (struct thread_event){ 0 };
}

/* The bits of the events that take samples. */
static uint32_t sets_of(const struct sample_events *e)
{
	return (1u << e->n_sets) - 1;
}

bool sample_events_complete(const struct sample_events *e, uint32_t has)
{
	const uint32_t counter = 1u << e->n_sets;

	return has == (e->by_cpu ? counter : counter | sets_of(e));
}

int sample_events_open(struct sample_events *e, struct scope scope, uint32_t has, bool at_exec)
{
	int err = make_room(e);

	if (!scope_is_thread(&scope))
		has |= 1u << e->n_sets;
	else if (e->by_cpu)
		has |= sets_of(e);
	for (unsigned set = 0; set <= e->n_sets && !err; set++) {
		int fd = has & 1u << set   ? -1
			 : set < e->n_sets ? open_one(e, &scope, set, at_exec)
					   : open_counter(scope.pid, at_exec);

		e->fds[e->n + set] = fd;
		if (fd >= 0 || has & 1u << set)
			continue;
		err = fd;
		for (unsigned i = 0; i < set; i++)
			if (e->fds[e->n + i] >= 0)
				close(e->fds[e->n + i]);
	}
	if (err)
		return refuse(e, &scope, err);
	e->n += e->n_sets + 1;
	return 0;
}

static void all_of(const struct sample_events *e, unsigned set, unsigned long what)
{
	for (size_t i = set; i < e->n; i += e->n_sets + 1)
		if (e->fds[i] >= 0)
			ioctl(e->fds[i], what, 0);
}

/* A switch interrupts the threads that run, twice, which takes more of them than a sample does: so
 * there is one for that many samples, and 100 a second at most. Where a period is close to that of
 * the program, so few samples see one phase of it; the next ones begin at another. */
#define SWITCH_SAMPLES  8
#define SWITCH_LEAST_NS 10000000.0
#define SWITCH_IDLE_NS  250000000
#define SWITCH_ONE_IN   50 /* of gotrace's time, switching takes that at most */

uint64_t sample_events_switch(struct sample_events *e)
{
	unsigned next = e->n_sets > 1 ? (unsigned)(draw(e) * (e->n_sets - 1)) : 0;
	uint64_t start, wait;

	if (e->n_sets < 2)
		return SWITCH_IDLE_NS;
	next += next >= e->on; /* another one */
	start = clock_monotonic_ns();
	/* Between the two there may be a sample more, never none for long. */
	all_of(e, next, PERF_EVENT_IOC_ENABLE);
	all_of(e, e->on, PERF_EVENT_IOC_DISABLE);
	e->on = next;
	e->switch_cost_ns = clock_monotonic_ns() - start;
	wait = (uint64_t)(fmax(SWITCH_SAMPLES * 1e9 / e->hz, SWITCH_LEAST_NS) * (0.5 + draw(e)));
	/* With many threads it takes its time. */
	return wait > e->switch_cost_ns * SWITCH_ONE_IN ? wait : e->switch_cost_ns * SWITCH_ONE_IN;
}

void sample_events_close(struct sample_events *e)
{
	uint64_t ns;

	for (size_t i = e->n_sets; i < e->n; i += e->n_sets + 1)
		if (e->fds[i] >= 0 && read(e->fds[i], &ns, sizeof(ns)) == sizeof(ns))
			e->cpu_ns += ns;
	for (size_t i = 0; i < e->n; i++)
		if (e->fds[i] >= 0)
			close(e->fds[i]);
	free(e->fds);
	e->fds = NULL;
	e->n = e->cap = 0;
}
