/* SPDX-License-Identifier: BSD-2-Clause */
/* The BPF programs that run at sites, loaded and configured, with their shared maps and counters.
 */
#ifndef GOTRACE_PROBES_H
#define GOTRACE_PROBES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/probes/cpu_rings.h"
#include "binary/gobin.h"
#include "bpf/event.h"
#include "plan/plan.h"

struct bpf_object;
struct bpf_program;

/* The ways to attach sites. */
enum attach_kind {
	ATTACH_AUTO,  /* ATTACH_MULTI where the kernel has it */
	ATTACH_MULTI, /* one uprobe_multi link for all sites of a program: Linux 6.6 */
	ATTACH_PERF,  /* a perf event and a link for each site */
};
const char *attach_kind_name(enum attach_kind k);
int attach_kind_parse(const char *name, enum attach_kind *out); /* 0 or -EINVAL */

struct probes {
	struct bpf_object *object;
	struct bpf_program *program[SITE_PROGRAMS]; /* by enum site_program; NULL if not loaded */
	struct cpu_rings rings;
	unsigned n_cpus;               /* possible ones */
	struct cpu_counters *counters; /* [n_cpus], shared with the programs */
	struct probe_state *state;     /* shared with the programs */
	int lost_goids_fd;
	struct probe_config config; /* copy of the programs' configuration */
};

struct probes_options {
	const struct golayout *layout;
	uint64_t main_vaddr;   /* address of the EV_IMAGE site; 0: none */
	enum attach_kind kind; /* MULTI or PERF */
	struct target_config target;
	bool filter;                      /* the link lets other processes through */
	uint32_t rets;                    /* RETS_* */
	bool exit_only;                   /* load only the program of exits */
	const struct plan *values;        /* read its arguments and results; may be NULL */
	const struct plan_states *states; /* record states of goroutines; may be NULL */
	bool quiet;                       /* log no errors; for finding out whether it works */
	/* Wanted size for each CPU. It becomes a power of two of pages. */
	size_t ring_bytes;
	size_t ring_bytes_sum; /* limit on all rings together */
	/* Rings that the probes take over. NULL, or their map -1: new ones are made by the sizes
	 * above. */
	struct cpu_rings *rings;
};

/* Loads the programs and makes the rings. Returns 0, or -errno after logging one line with the
 * missing feature. */
int probes_load(struct probes *p, const struct probes_options *opt);
void probes_unload(struct probes *p);

/* Returns the counters as sums over the CPUs. */
struct cpu_counters probes_counters(const struct probes *p);

#endif
