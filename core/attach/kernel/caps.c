// SPDX-License-Identifier: BSD-2-Clause
#include "attach/kernel/caps.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "attach/helper_process.h"
#include "attach/kernel/bench.h"
#include "attach/kernel/measurement_cache.h"
#include "base/log.h"

/* What is tried takes some descriptors. The soft limit of a shell may be too low for it. */
#define TRIED_DESCRIPTORS 64

static void raise_descriptors(void)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim) || lim.rlim_cur >= TRIED_DESCRIPTORS)
		return;
	lim.rlim_cur = lim.rlim_max < TRIED_DESCRIPTORS ? lim.rlim_max : TRIED_DESCRIPTORS;
	setrlimit(RLIMIT_NOFILE, &lim);
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

static void write_result(const struct caps *c, int fd)
{
	if (fd >= 0 && write(fd, c, sizeof(*c)) != (ssize_t)sizeof(*c))
		log_debug("the list of the kernel's abilities could not be handed over: %s",
			  strerror(errno));
}

/* ---- kept for the next recording */

static const char *kept_name(bool nop_stubs)
{
	return nop_stubs ? "kernel-nop" : "kernel";
}

/* Not where something did not work: it may from now on. */
static void keep(const struct caps *c, bool nop_stubs)
{
	if (!c->load_err && !c->multi_err && c->emulated_ns && c->jump_ns && c->step_ns)
		measurement_cache_put(MEASUREMENT_CACHE_DIR, kept_name(nop_stubs), c, sizeof(*c));
}

/* ---- trying */

/* When a probe on a 10-byte nop is tried: refused, as by most kernels, it costs a grace period. */
enum nop10 { NOP10_NEVER, NOP10_FOR_WANT_OF_NOP5, NOP10_ALWAYS };

#define CALLS      100 /* of a round */
#define CALLS_STEP 20

/* With perf-event links each site needs one, and detaching those is slow: only two sites. */
static void probe_perf(struct caps *c, int fd)
{
	struct bench b;

	c->perf_err = c->load_err = bench_open(&b, ATTACH_PERF, false);
	if (!c->load_err)
		c->perf_err = bench_attach(&b, BENCH_BIT(BENCH_PUSH) | BENCH_BIT(BENCH_STEP));
	if (!c->perf_err) {
		c->emulated_ns = c->jump_ns = bench_time(&b, BENCH_PUSH, CALLS);
		c->before_ns = bench_before_ns(&b, BENCH_PUSH);
		c->after_ns = bench_after_ns(&b, BENCH_PUSH);
		c->step_ns = bench_time(&b, BENCH_STEP, CALLS_STEP);
		c->after_step_ns = bench_after_ns(&b, BENCH_STEP);
	}
	write_result(c, fd);
	bench_close(&b);
}

/* All sites are in one link, as detaching a link costs a grace period. */
static void measure(struct caps *c, struct bench *b)
{
	/* First: it is recognised by nothing having been stepped. */
	c->ret_performed = c->regs_write && bench_performs_ret(b);
	if (c->ret_performed)
		c->ret_ns = bench_time(b, BENCH_RET, CALLS);
	c->pid_filter_per_process = bench_sees_threads(b);
	c->emulated_ns = bench_time(b, BENCH_PUSH, CALLS);
	c->before_ns = bench_before_ns(b, BENCH_PUSH);
	c->after_ns = bench_after_ns(b, BENCH_PUSH);
	c->jump_ns = bench_time(b, BENCH_JUMP, CALLS);
	c->nop5_ns = bench_time(b, BENCH_NOP5, CALLS);
	c->nop5_call = host_bench_became_call(BENCH_NOP5);
	c->step_ns = bench_time(b, BENCH_STEP, CALLS_STEP);
	c->after_step_ns = bench_after_ns(b, BENCH_STEP);
}

/* In a separate link: a refusal fails the whole link. */
static void measure_nop10(struct caps *c, struct bench *b)
{
	c->nop10_err = bench_attach(b, BENCH_BIT(BENCH_NOP10));
	if (c->nop10_err)
		return;
	c->nop10_ns = bench_time(b, BENCH_NOP10, CALLS);
	c->nop10_call = host_bench_became_call(BENCH_NOP10);
}

bool caps_has_btf(void)
{
	return access("/sys/kernel/btf/vmlinux", R_OK) == 0;
}

/* Fills c and writes it to fd (-1: not) before the slow detaching. */
static void probe(struct caps *c, enum nop10 nop10, int fd)
{
	struct bench b;

	*c = (struct caps){ .perf_err = -ENOTSUP, .nop10_err = -ENOTSUP };
	raise_descriptors();
	read_capabilities(c);
	c->btf = caps_has_btf();
	c->regs_write = !bench_try_regs_write();
	c->load_err = c->multi_err = bench_open(&b, ATTACH_MULTI, c->regs_write);
	if (!c->load_err)
		c->multi_err = bench_attach(
			&b, BENCH_BIT(BENCH_PUSH) | BENCH_BIT(BENCH_JUMP) | BENCH_BIT(BENCH_NOP5) |
				    BENCH_BIT(BENCH_STEP) | BENCH_BIT(BENCH_RET));
	/* Either this kernel does not know the attach type, or (before 6.6) it loads the program
	 * and does not know the link. */
	if (c->multi_err) {
		bench_close(&b);
		probe_perf(c, fd);
		return;
	}
	measure(c, &b);
	if (nop10 == NOP10_ALWAYS || (nop10 && !c->nop5_call))
		measure_nop10(c, &b);
	write_result(c, fd);
	if (nop10 != NOP10_ALWAYS)
		keep(c, nop10 == NOP10_FOR_WANT_OF_NOP5);
	bench_close(&b);
}

void caps_probe(struct caps *c)
{
	probe(c, NOP10_ALWAYS, -1);
}

static enum nop10 which_nop10(bool nop_stubs)
{
	return nop_stubs ? NOP10_FOR_WANT_OF_NOP5 : NOP10_NEVER;
}

void caps_try_begin(struct caps_try *t, bool nop_stubs)
{
	*t = (struct caps_try){ .fd = -1, .nop_stubs = nop_stubs };
	t->kept = measurement_cache_get(MEASUREMENT_CACHE_DIR, kept_name(nop_stubs), &t->caps,
					sizeof(t->caps));
	if (t->kept)
		return;
	int fds[2] = { -1, -1 };
	pid_t child = pipe2(fds, O_CLOEXEC) ? -1 : helper_process_fork(&(int){ fds[1] }, 1);

	if (child == 0) {
		struct caps own;

		signal(SIGPIPE, SIG_IGN);
		probe(&own, which_nop10(nop_stubs), fds[1]);
		_exit(0);
	}
	t->fd = fds[0];
	if (fds[1] >= 0)
		close(fds[1]);
	if (child < 0)
		caps_try_drop(t);
}

void caps_try_end(struct caps_try *t, struct caps *c)
{
	ssize_t n = -1;

	if (t->kept) {
		*c = t->caps;
		c->btf = caps_has_btf();
		return;
	}
	if (t->fd >= 0)
		do
			n = read(t->fd, c, sizeof(*c));
		while (n < 0 && errno == EINTR);
	caps_try_drop(t);
	if (n != (ssize_t)sizeof(*c)) /* it died: find out here, or die of the same */
		probe(c, which_nop10(t->nop_stubs), -1);
}

void caps_try_drop(struct caps_try *t)
{
	if (t->fd >= 0)
		close(t->fd);
	t->fd = -1;
}
