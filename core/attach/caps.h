/* SPDX-License-Identifier: BSD-2-Clause */
/* What this kernel and these privileges allow, found out by trying. */
#ifndef GOTRACE_CAPS_H
#define GOTRACE_CAPS_H

#include <stdbool.h>
#include <stdint.h>

struct caps {
	bool bpf, perfmon, sys_admin;   /* effective capabilities */
	int load_err;                   /* 0: a BPF program could be loaded, else -errno */
	int multi_err;                  /* 0: a uprobe_multi link could be attached */
	bool pid_filter_per_process;    /* its pid filter lets all threads of the process through
	                                   (46ba0e49b642: 6.6.35, 6.9.5, 6.10; vendors carry it elsewhere) */
	bool btf;                       /* /sys/kernel/btf/vmlinux */
	int perf_err;                   /* 0: a perf-event uprobe could be attached; tried only where
	                                   multi_err is not 0 */
	uint64_t emulated_ns, step_ns;  /* cost of a probe on an emulated and on a single-stepped
	                                   instruction, with a program that only counts; 0: not measured */
};

/* Fills c. Some 60 ms, most of it waiting for a link to be taken down (0.5 s without uprobe_multi);
 * logs nothing. */
void caps_probe(struct caps *c);
/* The same by a process of its own: what is slow, taking the link down, then
 * happens behind the caller's back. */
void caps_probe_aside(struct caps *c);

#endif
