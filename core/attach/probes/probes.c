// SPDX-License-Identifier: BSD-2-Clause
#include "attach/probes/probes.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attach/probes/embedded_bpf.h"
#include "attach/probes/site_values.h"
#include "base/log.h"

const char *attach_kind_name(enum attach_kind k)
{
	return k == ATTACH_AUTO ? "auto" : k == ATTACH_MULTI ? "multi" : "perf";
}

int attach_kind_parse(const char *name, enum attach_kind *out)
{
	for (enum attach_kind k = ATTACH_AUTO; k <= ATTACH_PERF; k++) {
		if (strcmp(name, attach_kind_name(k)) == 0) {
			*out = k;
			return 0;
		}
	}
	return -EINVAL;
}

static enum log_level error_level(const struct probes_options *opt)
{
	return opt->quiet ? LOG_LEVEL_DEBUG : LOG_LEVEL_ERROR;
}

/* Some 0.3 ms: as long as a huge page takes to be made. */
#define G_READ_TRIES 1000

/* Fills the offsets in from the layout; -ENOTSUP when the offset of a field that every event needs
 * is too large. */
static int configure_offsets(struct probe_config *c, const struct probes_options *opt)
{
	const struct golayout *l = opt->layout;
	const int32_t needed[] = { l->g_stack_lo, l->g_stack_hi, l->g_m, l->g_goid };
	uint32_t end = 0;

	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++) {
		if (needed[i] < 0 || needed[i] % 8 || needed[i] + 8 > G_READ_MAX) {
			log_line(
				error_level(opt),
				"runtime.g is laid out in a way that is not understood (a field at %d); "
				"this Go version is not supported yet",
				needed[i]);
			return -ENOTSUP;
		}
		if ((uint32_t)needed[i] + 8 > end)
			end = needed[i] + 8;
	}
	*c = (struct probe_config){
		.g_read_bytes = end,
		.g_read_again = libbpf_probe_bpf_helper(BPF_PROG_TYPE_KPROBE, BPF_FUNC_loop,
							NULL) == 1
					? G_READ_TRIES
					: 0,
		.g_stack_lo = l->g_stack_lo,
		.g_stack_hi = l->g_stack_hi,
		.g_m = l->g_m,
		.g_goid = l->g_goid,
		.g_panic = l->g_panic,
		.g_gopc = l->g_gopc,
		.g_startpc = l->g_startpc,
		/* Every version has the field; up to Go 1.21 it holds the sp of recovery. */
		.g_sigcode0 = l->panic_start_sp < 0 ? l->g_sigcode0 : -1,
		.g_sched_pc = l->g_sched_pc,
		.m_g0 = l->m_g0,
		.m_curg = l->m_curg,
		.m_morebuf_sp = l->m_morebuf_sp,
		.panic_link = l->panic_link,
		.panic_sp = l->panic_sp,
		.panic_start_sp = l->panic_start_sp,
		.panic_goexit = l->panic_goexit,
		.g_waitreason = l->g_waitreason,
		.g_status = l->g_atomicstatus,
	};
	return 0;
}

/* ---- maps */

static size_t ring_size(const struct probes_options *opt, unsigned n_cpus)
{
	size_t page = sysconf(_SC_PAGESIZE), size = page;
	size_t share = opt->ring_bytes_sum / (n_cpus ? n_cpus : 1);
	size_t wanted = opt->ring_bytes < share || !opt->ring_bytes_sum ? opt->ring_bytes : share;

	while (size < wanted && size < (size_t)1 << 31)
		size *= 2;
	return size > wanted && size > page && opt->ring_bytes_sum &&
			       size * n_cpus > opt->ring_bytes_sum
		       ? size / 2
		       : size;
}

/* All at once: each update of such a map waits for a grace period of RCU, 10 ms and more, a batch
 * for one (since Linux 6.7; kernels before take no batch or wait for each). 0 or -errno. */
static int put_rings(int outer, const uint32_t *cpus, const int *fds, uint32_t n)
{
	LIBBPF_OPTS(bpf_map_batch_opts, opts);
	uint32_t count = n;

	if (!bpf_map_update_batch(outer, cpus, fds, &count, &opts))
		return 0;
	for (uint32_t i = 0; i < n; i++)
		if (bpf_map_update_elem(outer, &cpus[i], &fds[i], BPF_ANY))
			return -errno;
	return 0;
}

static int refuse_ring(const struct probes_options *opt, size_t bytes, uint32_t cpu, int err)
{
	log_line(error_level(opt), "no ring buffer of %zu bytes for CPU %u: %s; try a smaller -m",
		 bytes, cpu, strerror(-err));
	return err;
}

/* CPUs that are not there but could be plugged in have no ring: events on them would be counted as
 * lost. CPUs that are offline have one. */
static int fill_rings(struct probes *p, const struct probes_options *opt, int outer, uint32_t *cpus,
		      int *fds)
{
	long present = sysconf(_SC_NPROCESSORS_CONF);
	uint32_t n = 0;

	p->ring_bytes = ring_size(opt, present);
	for (uint32_t cpu = 0; cpu < p->n_cpus; cpu++) {
		char path[64];
		struct stat st;

		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u", cpu);
		if (cpu >= (unsigned)present && stat(path, &st))
			continue;
		p->ring_fds[cpu] = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "ring", 0, 0, p->ring_bytes,
						  NULL);
		if (p->ring_fds[cpu] < 0)
			return refuse_ring(opt, p->ring_bytes, cpu, -errno);
		cpus[n] = cpu;
		fds[n++] = p->ring_fds[cpu];
	}
	int err = put_rings(outer, cpus, fds, n);

	return err ? refuse_ring(opt, p->ring_bytes, cpus[0], err) : 0;
}

static int make_rings(struct probes *p, const struct probes_options *opt)
{
	int outer = bpf_object__find_map_fd_by_name(p->object, "rings");

	if (outer < 0)
		return -ENOENT;
	p->ring_fds = calloc(p->n_cpus, sizeof(int));
	uint32_t *cpus = calloc(p->n_cpus, sizeof(*cpus));
	int *fds = calloc(p->n_cpus, sizeof(*fds));
	int err = p->ring_fds && cpus && fds ? 0 : -ENOMEM;

	if (p->ring_fds)
		memset(p->ring_fds, -1, p->n_cpus * sizeof(int));
	if (!err)
		err = fill_rings(p, opt, outer, cpus, fds);
	free(cpus);
	free(fds);
	return err;
}

static int map_shared(struct probes *p, const struct probes_options *opt)
{
	p->counters = embedded_bpf_map(p->object, "counters", p->n_cpus * sizeof(*p->counters));
	if (p->counters)
		p->state = embedded_bpf_map(p->object, ".bss", sizeof(*p->state));
	p->lost_goids_fd = bpf_object__find_map_fd_by_name(p->object, "lost_goids");
	if (p->counters && p->state && p->lost_goids_fd >= 0)
		return 0;
	int err = errno ? -errno : -EINVAL;
	log_line(error_level(opt), "a map of the BPF programs cannot be mapped: %s",
		 strerror(-err));
	return err;
}

/* ---- loading */

static int configure(struct probes *p, const struct probes_options *opt)
{
	struct bpf_map *rodata = bpf_object__find_map_by_name(p->object, ".rodata");
	struct probe_config *config;
	size_t size = 0;

	config = rodata ? bpf_map__initial_value(rodata, &size) : NULL;
	if (!config || size < sizeof(*config))
		return -EINVAL;
	int err = configure_offsets(config, opt);
	if (err)
		return err;
	config->target = opt->target;
	config->filter = opt->filter;
	config->rets = opt->rets;
	config->main_vaddr = opt->main_vaddr;
	if (opt->states) {
		memcpy(config->state_depth, opt->states->depth, sizeof(opt->states->depth));
		config->state_depth[0] = 1;
	}
	p->config = *config;
	return 0;
}

static int choose_programs(struct probes *p, const struct probes_options *opt)
{
	static const char *const names[4][SITE_PROGRAMS] = {
		{ "entry_multi", "exit_multi", "runtime_multi" },
		{ "entry_perf", "exit_perf", "runtime_perf" },
		{ "entry_values_multi", "exit_values_multi", "runtime_multi" },
		{ "entry_values_perf", "exit_values_perf", "runtime_perf" },
	};
	const char *const *set = names[(opt->kind == ATTACH_PERF) + (opt->values ? 2 : 0)];

	for (int i = 0; i < SITE_PROGRAMS; i++) {
		if (opt->exit_only && i != PROGRAM_EXIT)
			continue;
		p->program[i] = bpf_object__find_program_by_name(p->object, set[i]);
		if (!p->program[i])
			return -ENOENT;
		if (bpf_program__set_autoload(p->program[i], true))
			return -EINVAL;
	}
	struct bpf_map *rings = bpf_object__find_map_by_name(p->object, "rings");
	struct bpf_map *counters = bpf_object__find_map_by_name(p->object, "counters");
	if (!rings || !counters)
		return -ENOENT;
	int err = opt->values ? site_values_size(p->object, opt->values) : 0;

	if (!err)
		err = bpf_map__set_max_entries(rings, p->n_cpus);
	return err ? err : bpf_map__set_max_entries(counters, p->n_cpus);
}

static void log_load_failure(const struct probes_options *opt, int err)
{
	if (err == -EPERM || err == -EACCES)
		log_line(
			error_level(opt),
			"the kernel does not let this user load BPF programs: CAP_BPF and CAP_PERFMON are "
			"missing; run with sudo, or see 'gotrace doctor'");
	else
		log_line(
			error_level(opt),
			"the BPF programs cannot be loaded: %s; 'gotrace doctor' tells what this kernel "
			"has, GOTRACE_DEBUG=1 shows the verifier's words",
			strerror(-err));
}

int probes_load(struct probes *p, const struct probes_options *opt)
{
	LIBBPF_OPTS(bpf_object_open_opts, open_opts, .object_name = "gotrace");
	int n = libbpf_num_possible_cpus(), err;

	*p = (struct probes){ .n_cpus = n > 0 ? n : 1, .lost_goids_fd = -1 };
	embedded_bpf_log();
	p->object = bpf_object__open_mem(bpf_probes_start, bpf_probes_end - bpf_probes_start,
					 &open_opts);
	if (!p->object) {
		err = -errno;
		log_line(error_level(opt), "the embedded BPF object cannot be opened: %s",
			 strerror(-err));
		return err;
	}
	err = choose_programs(p, opt);
	if (!err)
		err = configure(p, opt);
	if (!err && (err = bpf_object__load(p->object)))
		log_load_failure(opt, err);
	if (!err && opt->values && (err = site_values_fill(p->object, opt->values)))
		log_line(error_level(opt),
			 "how to read arguments cannot be put into a map of the BPF programs: %s",
			 strerror(-err));
	if (!err)
		err = map_shared(p, opt);
	if (!err)
		err = make_rings(p, opt);
	if (err)
		probes_unload(p);
	return err;
}

struct cpu_counters probes_counters(const struct probes *p)
{
	struct cpu_counters sum = { 0 };

	for (unsigned i = 0; i < p->n_cpus; i++) {
		const volatile struct cpu_counters *c = &p->counters[i];

		sum.lost_done += c->lost_done;
		sum.dropped_signal += c->dropped_signal;
		sum.dropped_outside += c->dropped_outside;
		sum.dropped_fault += c->dropped_fault;
		sum.layout_wrong += c->layout_wrong;
		sum.values_ns += c->values_ns;
	}
	return sum;
}

void probes_unload(struct probes *p)
{
	embedded_bpf_unmap(p->counters, p->n_cpus * sizeof(*p->counters));
	embedded_bpf_unmap(p->state, sizeof(*p->state));
	for (unsigned i = 0; p->ring_fds && i < p->n_cpus; i++)
		if (p->ring_fds[i] >= 0)
			close(p->ring_fds[i]);
	free(p->ring_fds);
	bpf_object__close(p->object);
	*p = (struct probes){ .lost_goids_fd = -1 };
}
