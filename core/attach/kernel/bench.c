// SPDX-License-Identifier: BSD-2-Clause
#include "attach/kernel/bench.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "plan/site_cookie.h"

/* Any layout does: it is the bench's own g that is read. This is Go 1.23's. */
static const struct golayout bench_layout = {
	.g_stack_lo = 0,
	.g_stack_hi = 8,
	.g_m = 48,
	.g_goid = 160,
	.g_panic = -1,
	.g_gopc = -1,
	.g_startpc = -1,
	.g_sigcode0 = -1,
	.g_sched_pc = -1,
	.m_g0 = 0,
	.m_curg = 192,
	.m_morebuf_sp = -1,
	.panic_link = -1,
	.panic_sp = -1,
	.panic_start_sp = -1,
	.panic_goexit = -1,
};

/* Holds a round's events, which are taken out between rounds. */
#define RING_BYTES      16384
#define ROUND_CALLS_MAX (RING_BYTES / 2 / (sizeof(struct event) + 8))

static int count_event(void *ctx, void *data, size_t size)
{
	struct bench *b = ctx;

	if (size >= sizeof(struct event))
		b->last_ns = ((const struct event *)data)->ts_ns;
	b->events++;
	return 0;
}

static int open_rings(struct bench *b)
{
	for (unsigned cpu = 0; cpu < b->probes.n_cpus; cpu++) {
		if (b->probes.rings.fds[cpu] < 0)
			continue;
		if (b->rings) {
			int err = ring_buffer__add(b->rings, b->probes.rings.fds[cpu], count_event,
						   b);

			if (err)
				return err;
			continue;
		}
		b->rings = ring_buffer__new(b->probes.rings.fds[cpu], count_event, b, NULL);
		if (!b->rings)
			return -errno;
	}
	return b->rings ? 0 : -ENOENT;
}

int bench_open(struct bench *b, enum attach_kind kind, bool perform_ret)
{
	const struct probes_options opt = {
		.layout = &bench_layout,
		.kind = kind,
		.rets = perform_ret ? RETS_PERFORMED : RETS_STEPPED,
		.exit_only = true,
		.quiet = true,
		.ring_bytes = RING_BYTES,
	};

	*b = (struct bench){ .kind = kind };
	b->g[bench_layout.g_stack_hi / 8] = UINT64_MAX;
	b->g[bench_layout.g_goid / 8] = 1;
	int err = probes_load(&b->probes, &opt);
	return err ? err : open_rings(b);
}

/* File offset of an address of this executable; 0 when it is not found, errno says why. */
static uint64_t own_file_off(const void *at)
{
	uint64_t addr = (uintptr_t)at, start, end, off, found = 0;
	char line[512];

	errno = 0;
	FILE *f = fopen("/proc/self/maps", "re");

	while (f && !found && fgets(line, sizeof(line), f))
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " r-x%*c %" SCNx64, &start, &end, &off) ==
			    3 &&
		    addr >= start && addr < end)
			found = addr - start + off;
	if (f)
		fclose(f);
	return found;
}

static uint64_t cookie_of(enum bench_site site)
{
	const struct plan_site s = {
		.kind = EV_EXIT,
		.plain_ret = site == BENCH_RET,
		.vaddr = (uintptr_t)host_bench_sites[site],
	};

	return site_cookie(&s, false);
}

static struct bpf_link *attach_perf(struct bench *b, enum bench_site site, uint64_t off)
{
	LIBBPF_OPTS(bpf_uprobe_opts, opts, .attach_mode = PROBE_ATTACH_MODE_LINK,
		    .bpf_cookie = cookie_of(site));

	return bpf_program__attach_uprobe_opts(b->probes.program[PROGRAM_EXIT], getpid(),
					       "/proc/self/exe", off, &opts);
}

static struct bpf_link *attach_multi(struct bench *b, const unsigned long *offs,
				     const __u64 *cookies, size_t n)
{
	LIBBPF_OPTS(bpf_uprobe_multi_opts, opts, .offsets = offs, .cookies = cookies, .cnt = n);

	return bpf_program__attach_uprobe_multi(b->probes.program[PROGRAM_EXIT], getpid(),
						"/proc/self/exe", NULL, &opts);
}

int bench_attach(struct bench *b, unsigned mask)
{
	unsigned long offs[BENCH_SITES];
	__u64 cookies[BENCH_SITES];
	struct bpf_link *link;
	size_t n = 0;
	/* All sites lie side by side in one mapping. */
	uint64_t push_off = own_file_off(host_bench_sites[BENCH_PUSH]);

	if (!push_off)
		return errno ? -errno : -ENOENT;
	for (int site = 0; site < BENCH_SITES; site++) {
		uint64_t off = push_off + (host_bench_sites[site] - host_bench_sites[BENCH_PUSH]);

		if (!(mask & BENCH_BIT(site)))
			continue;
		if (b->kind == ATTACH_MULTI) {
			offs[n] = off;
			cookies[n++] = cookie_of(site);
			continue;
		}
		link = attach_perf(b, site, off);
		if (!link)
			return -errno;
		b->link[b->n_links++] = link;
	}
	if (!n)
		return 0;
	link = attach_multi(b, offs, cookies, n);
	if (!link)
		return -errno;
	b->link[b->n_links++] = link;
	return 0;
}

/* The page that instructions are stepped in is mapped at the first one (xol_add_vma()). */
static bool has_stepped(void)
{
	char line[512];
	bool found = false;
	FILE *f = fopen("/proc/self/maps", "re");

	if (!f)
		return true;
	while (!found && fgets(line, sizeof(line), f))
		found = strstr(line, "[uprobes]") != NULL;
	fclose(f);
	return found;
}

bool bench_performs_ret(struct bench *b)
{
	uint64_t before = b->events,
		 left = host_bench_ret_leaves(host_bench_sites[BENCH_RET], b->g);

	ring_buffer__consume(b->rings);
	return b->events == before + 1 && left == 8 && !has_stepped();
}

static void *in_thread(void *b)
{
	host_bench_call(host_bench_sites[BENCH_PUSH], ((struct bench *)b)->g);
	return NULL;
}

bool bench_sees_threads(struct bench *b)
{
	uint64_t before = b->events;
	pthread_t thread;

	if (pthread_create(&thread, NULL, in_thread, b))
		return false;
	pthread_join(thread, NULL);
	ring_buffer__consume(b->rings);
	return b->events > before;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Every recording waits for this; what is stepped in a virtual machine is slow. */
#define ENOUGH_NS (2 * 1000 * 1000)

uint64_t bench_time(struct bench *b, enum bench_site site, unsigned calls)
{
	enum { ROUNDS_MIN = 3, ROUNDS_MAX = 9 };
	uint64_t round[ROUNDS_MAX], spent_ns = 0;
	int n = 0;

	if (calls > ROUND_CALLS_MAX)
		calls = ROUND_CALLS_MAX;
	for (; n < ROUNDS_MIN || (n < ROUNDS_MAX && spent_ns < ENOUGH_NS); n++) {
		uint64_t before = b->events, start = clock_monotonic_ns();

		for (unsigned k = 0; k < calls; k++)
			host_bench_call(host_bench_sites[site], b->g);
		uint64_t took_ns = clock_monotonic_ns() - start;
		spent_ns += took_ns;
		round[n] = took_ns / calls;
		ring_buffer__consume(b->rings);
		if (b->events != before + calls)
			return 0;
	}
	qsort(round, n, sizeof(*round), by_value);
	return round[n / 2];
}

uint64_t bench_before_ns(struct bench *b, enum bench_site site)
{
	enum { HITS = 25 };
	uint64_t before[HITS];

	for (int i = 0; i < HITS; i++) {
		uint64_t start = clock_monotonic_ns();

		host_bench_call(host_bench_sites[site], b->g);
		ring_buffer__consume(b->rings);
		before[i] = b->last_ns > start ? b->last_ns - start : 0;
	}
	qsort(before, HITS, sizeof(*before), by_value);
	return before[HITS / 2];
}

/* The data of a program that fills the smallest first-level cache there is: each line names the
 * next, in an order that no prefetcher guesses. */
#define LINES 512
static struct line {
	_Alignas(64) uint32_t next;
} data[LINES];

static void link_lines(void)
{
	uint32_t at = 0;

	/* It reaches each line: the summand is odd, and the factor is one more than a multiple of
	 * four. */
	for (unsigned i = 0; i < LINES; i++) {
		const uint32_t next = (at * 205 + 129) % LINES;

		data[at].next = next;
		at = next;
	}
}

/* Work of many branches that reads all of the data, ns. */
static uint64_t work_ns(void)
{
	char text[64];
	const uint64_t start = clock_monotonic_ns();
	uint32_t at = 0;

	for (unsigned i = 0; i < LINES; i++)
		at = ((volatile struct line *)data)[at].next;
	snprintf(text, sizeof(text), "%d %s %.3f %" PRIu32, 12345, "some text", 1.5, at);
	return clock_monotonic_ns() - start;
}

uint64_t bench_after_ns(struct bench *b, enum bench_site site)
{
	enum { HITS = 25 };
	uint64_t warm[HITS], behind[HITS];

	link_lines();
	for (int i = 0; i < HITS; i++) {
		work_ns();
		warm[i] = work_ns();
		host_bench_call(host_bench_sites[site], b->g);
		behind[i] = work_ns();
	}
	ring_buffer__consume(b->rings);
	qsort(warm, HITS, sizeof(*warm), by_value);
	qsort(behind, HITS, sizeof(*behind), by_value);
	return behind[HITS / 2] > warm[HITS / 2] ? behind[HITS / 2] - warm[HITS / 2] : 0;
}

void bench_close(struct bench *b)
{
	for (unsigned i = 0; i < b->n_links; i++)
		bpf_link__destroy(b->link[i]);
	b->n_links = 0;
	ring_buffer__free(b->rings);
	b->rings = NULL;
	probes_unload(&b->probes);
}

int bench_try_regs_write(void)
{
	/* What perform_ret of bpf/probes.bpf.c writes. */
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_STX | BPF_MEM | BPF_DW,
		  .dst_reg = BPF_REG_1,
		  .src_reg = BPF_REG_0,
		  .off = host_pt_regs_pc },
		{ .code = BPF_STX | BPF_MEM | BPF_DW,
		  .dst_reg = BPF_REG_1,
		  .src_reg = BPF_REG_0,
		  .off = host_pt_regs_sp },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts);
	int fd = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "regs_write", "Dual BSD/GPL", insns,
			       sizeof(insns) / sizeof(*insns), &opts);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}
