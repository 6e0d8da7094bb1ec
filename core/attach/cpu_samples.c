// SPDX-License-Identifier: BSD-2-Clause
#include "attach/cpu_samples.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "attach/kernel/measurement_cache.h"
#include "attach/stack_funcs.h"
#include "attach/probes/beside.h"
#include "attach/probes/embedded_bpf.h"
#include "base/clock.h"
#include "base/log.h"
#include "trace/keys.h"

/* Many at first, so that a short program has some. But samples cost at most a hundredth of the
 * time: an interrupt takes two microseconds, in a virtual machine below another one fifteen. */
#define FIRST_PERIOD_NS 100000
#define FIRST_NS        500000000
#define PERIOD_NS       500000
#define MOST_PERIOD_NS  4000000
#define PART            100

/* ---- taking them */

static int load(struct cpu_samples *s, const struct gobin *b)
{
	int64_t tls_g;
	void *state;

	if (gobin_tls_g(b, &tls_g))
		tls_g = TLS_G_UNKNOWN;
	int err = beside_load(&s->object, &state, sizeof(*s->state), s->probes, tls_g,
			      BPF_OBJECT(cpu_samples));

	if (!err)
		s->state = state;
	return err;
}

/* No two processors in step with each other, nor with a program. */
static uint64_t vary(uint64_t period_ns, unsigned cpu)
{
	return period_ns + (clock_monotonic_ns() / 7 + 7919 * cpu) % (period_ns / 20);
}

/* ---- what one costs */

#define MEASURE_PERIOD_NS 50000
#define MEASURE_WORK_NS   1000000
#define MEASURE_TIMES     5
#define INTERRUPT_MIN_NS  2000 /* a busy machine may hide all of it */

static uint64_t thread_cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Processor time that so many turns of a loop take. */
static uint64_t work_ns(uint64_t turns)
{
	uint64_t start = thread_cpu_ns();

	for (volatile uint64_t k = 0; k < turns; k++)
		;
	return thread_cpu_ns() - start;
}

static void set_period(struct cpu_samples *s, uint64_t period_ns)
{
	for (unsigned i = 0; i < s->n_fds; i++) {
		uint64_t varied_ns = vary(period_ns, i);

		if (ioctl(s->fds[i], PERF_EVENT_IOC_PERIOD, &varied_ns))
			log_debug("the rate of samples cannot be set: %s", strerror(errno));
	}
}

static uint64_t allowed_period(const struct cpu_samples *s, uint64_t wanted_ns)
{
	uint64_t runs = s->state->runs, program_ns = runs ? s->state->run_ns / runs : 0;
	uint64_t least_ns = PART * (s->interrupt_ns + program_ns);

	wanted_ns = least_ns > wanted_ns ? least_ns : wanted_ns;
	return wanted_ns < MOST_PERIOD_NS ? wanted_ns : MOST_PERIOD_NS;
}

static void switch_events(const struct cpu_samples *s, unsigned long how)
{
	for (unsigned i = 0; i < s->n_fds; i++)
		ioctl(s->fds[i], how, 0);
}

/* What an interrupt of the clocks takes from a thread: the shortest of several tries with and
 * without them, by turns, since a processor may change its speed. */
static void measure_interrupt(struct cpu_samples *s)
{
	if (measurement_cache_get(MEASUREMENT_CACHE_DIR, "interrupt", &s->interrupt_ns,
				  sizeof(s->interrupt_ns))) {
		set_period(s, allowed_period(s, FIRST_PERIOD_NS));
		return;
	}
	uint64_t turns = 1000, once_ns = work_ns(turns), with_ns = UINT64_MAX, ns = UINT64_MAX;

	turns = once_ns ? turns * MEASURE_WORK_NS / once_ns : turns;
	set_period(s, MEASURE_PERIOD_NS);
	for (int i = 0; i < MEASURE_TIMES; i++) {
		uint64_t with = work_ns(turns), without;

		switch_events(s, PERF_EVENT_IOC_DISABLE);
		without = work_ns(turns);
		switch_events(s, PERF_EVENT_IOC_ENABLE);
		with_ns = with < with_ns ? with : with_ns;
		ns = without < ns ? without : ns;
	}
	if (with_ns > ns)
		s->interrupt_ns = (with_ns - ns) * MEASURE_PERIOD_NS / with_ns;
	if (s->interrupt_ns < INTERRUPT_MIN_NS)
		s->interrupt_ns = INTERRUPT_MIN_NS;
	else
		measurement_cache_put(MEASUREMENT_CACHE_DIR, "interrupt", &s->interrupt_ns,
				      sizeof(s->interrupt_ns));
	set_period(s, allowed_period(s, FIRST_PERIOD_NS));
}

/* ---- opening them */

/* A processor that is offline has none. */
static int open_event(unsigned cpu, uint64_t period_ns, int program_fd)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = period_ns,
		.sample_type = PERF_SAMPLE_IP,
	};
	int fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, program_fd)) {
		int err = -errno;

		close(fd);
		return err;
	}
	return fd;
}

static int open_events(struct cpu_samples *s)
{
	int n = libbpf_num_possible_cpus();
	int program_fd = bpf_program__fd(
		bpf_object__find_program_by_name(s->object, BPF_NAME(cpu_samples, on_clock)));

	s->fds = n > 0 ? calloc(n, sizeof(*s->fds)) : NULL;
	if (!s->fds)
		return -ENOMEM;
	for (int cpu = 0; cpu < n; cpu++) {
		int fd = open_event(cpu, vary(FIRST_PERIOD_NS, cpu), program_fd);

		if (fd < 0 && fd != -ENODEV)
			return fd;
		if (fd >= 0)
			s->fds[s->n_fds++] = fd;
	}
	return s->n_fds ? 0 : -ENODEV;
}

void cpu_samples_open(struct cpu_samples *s, const struct probes *probes, const struct gobin *b)
{
	/* To measure what they cost: not where gotrace has more rights than who calls it. */
	const char *wanted = secure_getenv("GOTRACE_CPU_SAMPLES");

	*s = (struct cpu_samples){ .probes = probes };
	if (wanted && !strcmp(wanted, "0"))
		return;
	int err = load(s, b);

	if (!err)
		err = open_events(s);
	if (!err)
		measure_interrupt(s);
	if (err) {
		log_debug("the target's processor time cannot be sampled: %s", strerror(-err));
		cpu_samples_close(s);
	}
}

void cpu_samples_on(struct cpu_samples *s, bool on)
{
	if (!s->state)
		return;
	s->state->on = on;
	s->slower_ns = on ? clock_monotonic_ns() + FIRST_NS : 0;
}

int cpu_samples_place(struct cpu_samples *s, const struct probing *p)
{
	if (!s->state)
		return 0;
	const unsigned image = atomic_load(&s->placed) ? 1 : 0;

	probe_places_free(&s->places[image]);
	int err = probe_places_find(&s->places[image], p->plan, p->in_stub);
	if (err)
		return err;
	atomic_store(&s->image, image);
	atomic_store(&s->placed, true);
	return 0;
}

void cpu_samples_look(struct cpu_samples *s, uint64_t now_ns)
{
	if (!s->slower_ns || now_ns < s->slower_ns)
		return;
	s->slower_ns = 0;
	set_period(s, allowed_period(s, PERIOD_NS));
}

void cpu_samples_close(struct cpu_samples *s)
{
	for (unsigned i = 0; i < s->n_fds; i++)
		close(s->fds[i]);
	free(s->fds);
	embedded_bpf_unmap(s->state, sizeof(*s->state));
	bpf_object__close(s->object);
	probe_places_free(&s->places[0]);
	probe_places_free(&s->places[1]);
	*s = (struct cpu_samples){ 0 };
}

/* ---- what they say */

/* Only the thread that collects writes them, another reads. */
static void add(uint64_t *counter, uint64_t n)
{
	__atomic_store_n(counter, *counter + n, __ATOMIC_RELAXED);
}

void cpu_samples_walk(struct cpu_samples *s, struct event_ext *wire,
		      const struct cpu_sample_record *record)
{
	uint32_t funcs[SAMPLED_FUNCS] = { 0 };

	if (atomic_load(&s->placed) && wire->arg[1] & SAMPLE_WIRE_STACK)
		stack_funcs(&s->places[atomic_load(&s->image)], s->probes->state->text_bias, record,
			    funcs);
	wire->arg[1] |= (uint64_t)funcs[0] << 32;
	wire->arg[3] = (uint64_t)funcs[2] << 32 | funcs[1];
}

bool cpu_samples_resolve(struct cpu_samples *s, struct event_ext *ev, const struct event_ext *wire)
{
	uint64_t weight_ns = wire->arg[0], pc = wire->arg[2], bias = s->probes->state->text_bias;

	if (!atomic_load(&s->placed)) {
		s->n_unplaced++;
		return false;
	}
	struct probe_places *places = &s->places[atomic_load(&s->image)];
	unsigned what = probe_places_sampled(places, pc, bias, (uint32_t)wire->arg[1]);
	bool probes = what == SAMPLED_STUB || what == SAMPLED_TRAP;
	uint64_t inner = wire->arg[1] >> 32;

	if (!inner)
		inner = (uint32_t)(probe_places_func(places, pc - bias) + 1); /* 0: TRACE_NONE */
	*ev = *wire;
	ev->arg[1] = what;
	ev->arg[2] = 0;
	ev->arg[3] = pc - bias;
	if (!probes) {
		ev->arg[1] |= wire->arg[3] >> 32 << 32;
		ev->arg[2] = wire->arg[3] << 32 | inner;
	}
	s->n++;
	add(&s->n_probes, probes);
	add(&s->ns, weight_ns);
	add(&s->probe_ns, probes ? weight_ns : 0);
	return true;
}

struct cpu_samples_seen cpu_samples_seen(const struct cpu_samples *s)
{
	return (struct cpu_samples_seen){
		.ns = __atomic_load_n(&s->ns, __ATOMIC_RELAXED),
		.probe_ns = __atomic_load_n(&s->probe_ns, __ATOMIC_RELAXED),
		.n_probes = __atomic_load_n(&s->n_probes, __ATOMIC_RELAXED),
	};
}

int cpu_samples_describe(const struct cpu_samples *s, struct trace_info *end)
{
	const struct {
		const char *key;
		uint64_t n;
	} counts[] = {
		{ KEY_END_CPU_SAMPLES, s->n },
		{ KEY_END_CPU_SAMPLES_PROBES, s->n_probes },
		{ KEY_END_CPU_SAMPLES_NS, s->ns },
		{ KEY_END_CPU_SAMPLES_PROBES_NS, s->probe_ns },
		{ KEY_END_CPU_SAMPLES_LOST, s->state ? s->state->lost + s->n_unplaced : 0 },
		{ KEY_END_CPU_SAMPLES_COST_NS,
		  s->state ? s->state->run_ns + s->state->runs * s->interrupt_ns : 0 },
	};
	int err = 0;

	for (size_t i = 0; s->n && !err && i < sizeof(counts) / sizeof(*counts); i++)
		err = trace_info_setf(end, counts[i].key, "%" PRIu64, counts[i].n);
	return err;
}
