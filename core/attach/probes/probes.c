// SPDX-License-Identifier: BSD-2-Clause
#include "attach/probes/probes.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static int refuse_rings(const struct probes_options *opt, const struct cpu_rings *r, int err)
{
	log_line(error_level(opt), "no ring buffer of %zu bytes for CPU %u: %s; try a smaller -m",
		 r->ring_bytes, r->failed, strerror(-err));
	return err;
}

/* Those that were made before, or new ones. 0 or -errno, which is to be told after what keeps the
 * programs from being loaded: that may be the reason. */
static int take_rings(struct probes *p, const struct probes_options *opt)
{
	if (!opt->rings || opt->rings->map < 0)
		return cpu_rings_make(&p->rings, opt->ring_bytes, opt->ring_bytes_sum);
	p->rings = *opt->rings;
	*opt->rings = (struct cpu_rings){ .map = -1 };
	return 0;
}

static int map_shared(struct probes *p, const struct probes_options *opt)
{
	p->counters = embedded_bpf_map(p->object, BPF_NAME(probes, counters),
				       p->n_cpus * sizeof(*p->counters));
	if (p->counters)
		p->state = embedded_bpf_map(p->object, ".bss", sizeof(*p->state));
	p->lost_goids_fd = bpf_object__find_map_fd_by_name(p->object, BPF_NAME(probes, lost_goids));
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
	struct probe_config *config = embedded_bpf_config(p->object, sizeof(*config));

	if (!config)
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
		{ BPF_NAME(probes, entry_multi), BPF_NAME(probes, exit_multi),
		  BPF_NAME(probes, runtime_multi) },
		{ BPF_NAME(probes, entry_perf), BPF_NAME(probes, exit_perf),
		  BPF_NAME(probes, runtime_perf) },
		{ BPF_NAME(probes, entry_values_multi), BPF_NAME(probes, exit_values_multi),
		  BPF_NAME(probes, runtime_multi) },
		{ BPF_NAME(probes, entry_values_perf), BPF_NAME(probes, exit_values_perf),
		  BPF_NAME(probes, runtime_perf) },
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
	struct bpf_map *rings = bpf_object__find_map_by_name(p->object, BPF_NAME(probes, rings));
	struct bpf_map *counters = bpf_object__find_map_by_name(p->object,
								BPF_NAME(probes, counters));
	if (!rings || !counters)
		return -ENOENT;
	int err = opt->values ? site_values_size(p->object, opt->values) : 0;

	if (!err && p->rings.map >= 0)
		err = bpf_map__reuse_fd(rings, p->rings.map);
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

	*p = (struct probes){ .n_cpus = n > 0 ? n : 1, .lost_goids_fd = -1, .rings.map = -1 };
	embedded_bpf_log();
	const int no_rings = take_rings(p, opt);

	p->object = bpf_object__open_mem(bpf_probes_start, bpf_probes_end - bpf_probes_start,
					 &open_opts);
	if (!p->object) {
		err = -errno;
		log_line(error_level(opt), "the embedded BPF object cannot be opened: %s",
			 strerror(-err));
		probes_unload(p);
		return err;
	}
	err = choose_programs(p, opt);
	if (!err)
		err = configure(p, opt);
	if (!err && (err = bpf_object__load(p->object)))
		log_load_failure(opt, err);
	if (!err && no_rings)
		err = refuse_rings(opt, &p->rings, no_rings);
	if (!err && opt->values && (err = site_values_fill(p->object, opt->values)))
		log_line(error_level(opt),
			 "how to read arguments cannot be put into a map of the BPF programs: %s",
			 strerror(-err));
	if (!err)
		err = map_shared(p, opt);
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
	cpu_rings_close(&p->rings);
	bpf_object__close(p->object);
	*p = (struct probes){ .lost_goids_fd = -1, .rings.map = -1 };
}
