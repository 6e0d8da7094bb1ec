// SPDX-License-Identifier: BSD-2-Clause
#include "attach/caps.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/aside.h"
#include "attach/probes.h"
#include "base/clock.h"
#include "base/log.h"

/*
 * Code of our own to probe: one instruction that the kernel emulates and one
 * that it single-steps, each alone in a function.
 */
extern const unsigned char caps_emulated_site[], caps_step_site[];
__asm__(".text\n"
	".global caps_emulated_site, caps_step_site\n"
	"caps_emulated_site: push %rbp\n"
	"	pop %rbp\n"
	"	ret\n"
	"caps_step_site: ret\n");

static void run_site(const unsigned char *site)
{
	__asm__ volatile("call *%0" : : "r"(site) : "memory", "cc");
}

/* File offset of an address of this executable, 0 when it is not found. */
static uint64_t own_file_off(const void *at)
{
	uint64_t addr = (uintptr_t)at, start, end, off, found = 0;
	char line[512];
	FILE *f = fopen("/proc/self/maps", "re");

	while (f && !found && fgets(line, sizeof(line), f))
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " r-x%*c %" SCNx64, &start, &end, &off) == 3 &&
		    addr >= start && addr < end)
			found = addr - start + off;
	if (f)
		fclose(f);
	return found;
}

static void read_capabilities(struct caps *c)
{
	char line[256];
	uint64_t effective = 0;
	FILE *f = fopen("/proc/self/status", "re");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "CapEff: %" SCNx64, &effective) == 1)
			break;
	if (f)
		fclose(f);
	c->sys_admin = effective >> CAP_SYS_ADMIN & 1;
	c->bpf = c->sys_admin || (effective >> CAP_BPF & 1);
	c->perfmon = c->sys_admin || (effective >> CAP_PERFMON & 1);
}

/* Both sites in one link: taking a link down costs a grace period. */
static struct bpf_link *attach_own(struct probes *p)
{
	unsigned long offs[] = { own_file_off(caps_emulated_site), own_file_off(caps_step_site) };
	LIBBPF_OPTS(bpf_uprobe_multi_opts, opts, .offsets = offs, .cnt = 2);

	if (!offs[0] || !offs[1]) {
		errno = ENOENT;
		return NULL;
	}
	return bpf_program__attach_uprobe_multi(p->hit, getpid(), "/proc/self/exe", NULL, &opts);
}

static void *run_in_thread(void *site)
{
	run_site(site);
	return NULL;
}

/* Hits of a thread that is not the process's first. */
static bool other_thread_counts(struct probes *p)
{
	uint64_t before = probes_counters(p).hits;
	pthread_t thread;

	if (pthread_create(&thread, NULL, run_in_thread, (void *)(uintptr_t)caps_emulated_site))
		return false;
	pthread_join(thread, NULL);
	return probes_counters(p).hits > before;
}

/* ---- cost */

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Nanoseconds a call of `site`: median of rounds. */
static uint64_t time_site(const unsigned char *site, unsigned calls)
{
	enum { ROUNDS = 9 };
	uint64_t round[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t start = clock_monotonic_ns();

		for (unsigned k = 0; k < calls; k++)
			run_site(site);
		round[i] = (clock_monotonic_ns() - start) / calls;
	}
	qsort(round, ROUNDS, sizeof(*round), by_value);
	return round[ROUNDS / 2];
}

static int load_hit(struct probes *p, enum attach_kind kind)
{
	const struct probes_options opt = { .kind = kind };

	return probes_load_quietly(p, &opt);
}

static void write_result(const struct caps *c, int fd)
{
	if (fd >= 0 && write(fd, c, sizeof(*c)) != (ssize_t)sizeof(*c))
		log_debug("what the kernel allows could not be handed over: %s", strerror(errno));
}

static struct bpf_link *attach_own_perf(struct probes *p, const unsigned char *site)
{
	LIBBPF_OPTS(bpf_uprobe_opts, opts, .attach_mode = PROBE_ATTACH_MODE_LINK);

	return bpf_program__attach_uprobe_opts(p->hit, getpid(), "/proc/self/exe", own_file_off(site), &opts);
}

static void measure(struct caps *c)
{
	c->emulated_ns = time_site(caps_emulated_site, 200);
	c->step_ns = time_site(caps_step_site, 20);
}

/* The same over perf-event links; taking those down is what is slow. */
static void probe_perf(struct caps *c, int fd)
{
	struct bpf_link *emulated, *step;
	struct probes p;

	c->perf_err = c->load_err = load_hit(&p, ATTACH_PERF);
	if (c->load_err) {
		write_result(c, fd);
		return;
	}
	emulated = attach_own_perf(&p, caps_emulated_site);
	c->perf_err = emulated ? 0 : -errno;
	step = emulated ? attach_own_perf(&p, caps_step_site) : NULL;
	if (step)
		measure(c);
	write_result(c, fd);
	bpf_link__destroy(emulated);
	bpf_link__destroy(step);
	probes_unload(&p);
}

/* Fills c; when it is known, and before anything slow, writes it to fd unless that is -1. */
static void probe(struct caps *c, int fd)
{
	struct probes p;

	*c = (struct caps){ .perf_err = -ENOTSUP };
	read_capabilities(c);
	c->btf = access("/sys/kernel/btf/vmlinux", R_OK) == 0;
	c->load_err = load_hit(&p, ATTACH_MULTI);
	c->multi_err = c->load_err;
	if (c->load_err) {
		/* The attach type itself may be what this kernel does not know. */
		probe_perf(c, fd);
		return;
	}
	struct bpf_link *link = attach_own(&p);
	c->multi_err = link ? 0 : -errno;
	if (!link) { /* a kernel before 6.6 loads the program and knows no such link */
		probes_unload(&p);
		probe_perf(c, fd);
		return;
	}
	c->pid_filter_per_process = other_thread_counts(&p);
	measure(c);
	write_result(c, fd);
	bpf_link__destroy(link);
	probes_unload(&p);
}

void caps_probe(struct caps *c)
{
	probe(c, -1);
}

void caps_probe_aside(struct caps *c)
{
	int fds[2] = { -1, -1 };
	pid_t child = pipe2(fds, O_CLOEXEC) ? -1 : aside_fork(&(int){ fds[1] }, 1);

	if (child == 0) {
		struct caps own;

		probe(&own, fds[1]);
		_exit(0);
	}
	ssize_t n = -1;
	if (fds[1] >= 0)
		close(fds[1]);
	if (child > 0)
		do
			n = read(fds[0], c, sizeof(*c));
		while (n < 0 && errno == EINTR);
	if (fds[0] >= 0)
		close(fds[0]);
	if (n != (ssize_t)sizeof(*c)) /* it died: find out here, or die of the same */
		caps_probe(c);
}
