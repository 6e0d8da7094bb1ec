/* SPDX-License-Identifier: BSD-2-Clause */
/* What this kernel and these privileges allow, found out by trying. */
#ifndef GOTRACE_CAPS_H
#define GOTRACE_CAPS_H

#include <stdbool.h>
#include <stdint.h>

struct caps {
	bool bpf, perfmon, sys_admin; /* effective capabilities */
	int load_err;                 /* 0: a BPF program could be loaded, else -errno */
	int multi_err;                /* 0: a uprobe_multi link could be attached */
	/* its pid filter lets all threads of the process through
	 * (46ba0e49b642: 6.6.35, 6.9.5, 6.10; vendors carry it elsewhere) */
	bool pid_filter_per_process;
	bool btf; /* /sys/kernel/btf/vmlinux */
	/* 0: a perf-event uprobe could be attached; tried only where multi_err is not 0 */
	int perf_err;
	/* a program may change the registers of the probed process */
	bool regs_write;
	bool ret_performed; /* and so does a RET's work: tried on one of ours */
	/* Cost of a probe by how the kernel executes the probed instruction, an event recorded in
	 * our own process; 0: not measured, or (nops) not every hit is seen. */
	uint64_t emulated_ns; /* push */
	uint64_t jump_ns;     /* emulated as well: where a stub's probe sits */
	uint64_t step_ns;     /* single-stepped: a RET that the kernel executes */
	uint64_t ret_ns;      /* a RET that the program performs */
	uint64_t nop5_ns, nop10_ns;
	bool nop5_call, nop10_call; /* the kernel has made a call of it */
	int nop10_err;              /* 0: a probe on one could be attached */
};

/* Fills c; logs nothing. Takes some 0.1 s, most of it waiting for links to be taken down (0.5 s
 * without uprobe_multi). */
void caps_probe(struct caps *c);
/*
 * The same by a process of its own: what is slow, taking the links down, then
 * happens behind the caller's back. On the path of every recording, so nop10 is tried only for
 * `nop_stubs`, and where nop5 becomes no call: being refused costs a grace period.
 */
void caps_probe_in_child(struct caps *c, bool nop_stubs);

#endif
