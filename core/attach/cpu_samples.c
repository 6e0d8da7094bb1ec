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
#include <unistd.h>

#include "attach/probes/embedded_bpf.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/vec.h"
#include "trace/keys.h"

/* About 500 a second: a fifth of a second of a program tells something, and a sample takes 2 us. */
#define PERIOD_NS      2000000
#define PERIOD_VARY_NS 100000

/* ---- taking them */

static int load(struct cpu_samples *s, const struct target_config *target)
{
	const struct embedded_bpf e = {
		"cpu_samples", bpf_cpu_samples_start, bpf_cpu_samples_end,
		target,        sizeof(*target),       sizeof(*s->state),
	};
	void *state;
	int err = embedded_bpf_load(&e, &s->object, &state);

	if (!err)
		s->state = state;
	return err;
}

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
	int program_fd = bpf_program__fd(bpf_object__find_program_by_name(s->object, "on_clock"));

	s->fds = n > 0 ? calloc(n, sizeof(*s->fds)) : NULL;
	if (!s->fds)
		return -ENOMEM;
	for (int cpu = 0; cpu < n; cpu++) {
		/* No two processors in step with each other, nor with a program. */
		uint64_t vary = (clock_monotonic_ns() / 7 + 7919 * cpu) % PERIOD_VARY_NS;
		int fd = open_event(cpu, PERIOD_NS + vary, program_fd);

		if (fd < 0 && fd != -ENODEV)
			return fd;
		if (fd >= 0)
			s->fds[s->n_fds++] = fd;
	}
	return s->n_fds ? 0 : -ENODEV;
}

void cpu_samples_open(struct cpu_samples *s, const struct target_config *target)
{
	*s = (struct cpu_samples){ 0 };
	int err = load(s, target);

	if (!err)
		err = open_events(s);
	if (err) {
		log_debug("the target's processor time cannot be sampled: %s", strerror(-err));
		cpu_samples_close(s);
	}
}

void cpu_samples_on(struct cpu_samples *s, bool on)
{
	if (s->state)
		s->state->on = on;
}

void cpu_samples_close(struct cpu_samples *s)
{
	for (unsigned i = 0; i < s->n_fds; i++)
		close(s->fds[i]);
	free(s->fds);
	embedded_bpf_unmap(s->state, sizeof(*s->state));
	bpf_object__close(s->object);
	*s = (struct cpu_samples){ 0 };
}

/* ---- which pc is a probe's */

/* Length of an instruction that the kernel emulates (branch_setup_xol_ops, push_setup_xol_ops:
 * arch/x86/kernel/uprobes.c), where its first bytes tell; 0 else. */
static unsigned emulated_bytes(const uint8_t *p)
{
	unsigned rex = (p[0] & 0xf0) == 0x40;

	if ((p[rex] & 0xf8) == 0x50)
		return rex + 1;
	if ((p[0] & 0xf0) == 0x70 || p[0] == 0xeb)
		return 2;
	if (p[0] == 0xe8 || p[0] == 0xe9)
		return 5;
	return p[0] == 0x0f && (p[1] & 0xf0) == 0x80 ? 6 : 0;
}

static int add(struct probe_places *p, uint64_t vaddr)
{
	int err = vec_reserve(&p->at, &p->cap, p->n + 1);

	if (!err)
		p->at[p->n++] = vaddr;
	return err;
}

/* A trap is entered with the pc behind its byte, is handled with it there or at the byte, and goes
 * on behind the instruction. */
static int add_trap(struct probe_places *p, const struct plan_site *s)
{
	const uint8_t *bytes = p->binary ? gobin_bytes(p->binary, s->vaddr, 6) : NULL;
	unsigned len = bytes ? emulated_bytes(bytes) : 0;
	int err = add(p, s->vaddr);

	if (!err)
		err = add(p, s->vaddr + 1);
	if (!err && len > 1)
		err = add(p, s->vaddr + len);
	if (s->kind == EV_EXIT || s->kind == EV_ENTRY_EXIT)
		p->exits_trap = true;
	return err;
}

static int by_address(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

int probe_places_find(struct probe_places *p, const struct plan *plan, const bool *in_stub)
{
	int err = 0;

	*p = (struct probe_places){
		.stubs = plan->stubs.vaddr,
		.stubs_end = plan->stubs.vaddr + plan->stubs.bytes,
		.binary = plan->binary,
	};
	for (size_t i = 0; i < plan->n_sites && !err; i++) {
		const struct plan_site *s = &plan->sites[i];

		if (!in_stub[i])
			err = add_trap(p, s);
		/* The jump back of other stubs is a trap, which ends in the text. */
		else if (!site_is_inline(s) && s->stub.displaced_len)
			err = add(p, s->stub.displaced_vaddr + s->stub.displaced_len);
	}
	if (p->n)
		qsort(p->at, p->n, sizeof(*p->at), by_address);
	return err;
}

void probe_places_free(struct probe_places *p)
{
	free(p->at);
	*p = (struct probe_places){ 0 };
}

/* call rel32; call *REG, *(MEM): ff /2 with nothing, a SIB byte, a displacement behind it. */
static bool follows_call(const struct probe_places *p, uint64_t vaddr)
{
	const uint8_t *b = p->binary ? gobin_bytes(p->binary, vaddr - 7, 7) : NULL;

	if (!b)
		return false;
	if (b[2] == 0xe8)
		return true;
	for (unsigned i = 0; i < 6; i++)
		if (b[i] == 0xff && (b[i + 1] >> 3 & 7) == 2)
			return true;
	return false;
}

bool probe_places_has(const struct probe_places *p, uint64_t vaddr, const struct pc_samples *n)
{
	if (vaddr - p->stubs < p->stubs_end - p->stubs)
		return true;
	if (p->n && bsearch(&vaddr, p->at, p->n, sizeof(*p->at), by_address))
		return true;
	/* A RET that was stepped or performed leaves the pc where it returned to, and most of its
	 * time passes in the kernel; of a call that returned by itself, none. */
	return p->exits_trap && n->kernel >= n->user && follows_call(p, vaddr);
}

/* ---- at the end */

#define PAGE(address) ((address) >> 12)

/* The kernel's code for optimized uprobes is in a page of its own near the text
 * (arch/x86/kernel/uprobes.c: create_uprobe_trampoline, Linux 6.18). */
static bool in_pages(const uint64_t *pages, size_t n, uint64_t pc)
{
	for (size_t i = 0; i < n; i++)
		if (pages[i] == PAGE(pc))
			return true;
	return false;
}

struct pcs {
	uint64_t *pc;
	struct pc_samples *samples;
	size_t n;
};

static void read_pcs(const struct cpu_samples *s, struct pcs *all)
{
	int fd = bpf_object__find_map_fd_by_name(s->object, "pcs");
	uint64_t key, *before = NULL;

	while (all->n < PCS_SAMPLED && !bpf_map_get_next_key(fd, before, &key)) {
		all->pc[all->n] = key;
		before = &all->pc[all->n];
		if (!bpf_map_lookup_elem(fd, &key, &all->samples[all->n]))
			all->n++;
	}
}

static uint64_t count_probes(const struct probe_places *places, const struct pcs *all,
			     uint64_t text_bias)
{
	uint64_t pages[64], n = 0;
	size_t n_pages = 0;

	for (size_t i = 0; i < all->n; i++)
		if (all->samples[i].uprobe_calls && n_pages < 64 &&
		    !in_pages(pages, n_pages, all->pc[i]))
			pages[n_pages++] = PAGE(all->pc[i]);
	for (size_t i = 0; i < all->n; i++)
		if (in_pages(pages, n_pages, all->pc[i]) ||
		    probe_places_has(places, all->pc[i] - text_bias, &all->samples[i]))
			n += all->samples[i].user + all->samples[i].kernel;
	return n;
}

int cpu_samples_describe(const struct cpu_samples *s, const struct probing *p, uint64_t text_bias,
			 struct trace_info *end)
{
	struct probe_places places;
	struct pcs all = { 0 };

	if (!s->state || !s->state->samples)
		return 0;
	int err = probe_places_find(&places, p->plan, p->in_stub);

	all.pc = calloc(PCS_SAMPLED, sizeof(*all.pc));
	all.samples = calloc(PCS_SAMPLED, sizeof(*all.samples));
	if (!all.pc || !all.samples)
		err = -ENOMEM;
	if (!err) {
		read_pcs(s, &all);
		uint64_t n = count_probes(&places, &all, text_bias) + s->state->stepping;

		/* Samples that have no place are left out: they are like the others. */
		err = trace_info_setf(end, KEY_END_CPU_SAMPLES, "%" PRIu64,
				      s->state->samples - s->state->unplaced);
		if (!err)
			err = trace_info_setf(end, KEY_END_CPU_SAMPLES_PROBES, "%" PRIu64, n);
	}
	free(all.pc);
	free(all.samples);
	probe_places_free(&places);
	return err;
}
