/* SPDX-License-Identifier: BSD-2-Clause */
/* The features that this kernel and gotrace's privileges allow, found by trying. */
#ifndef GOTRACE_CAPS_H
#define GOTRACE_CAPS_H

#include <stdbool.h>
#include <stdint.h>

struct caps {
	bool bpf, perfmon, sys_admin; /* effective capabilities */
	int load_err;                 /* 0: a BPF program was loaded; otherwise -errno */
	int multi_err;                /* 0: a uprobe_multi link was attached */
	/* The pid filter of such a link passes all threads of the process
	 * (46ba0e49b642: 6.6.35, 6.9.5, 6.10; vendors have it in other versions). */
	bool pid_filter_per_process;
	bool btf; /* /sys/kernel/btf/vmlinux */
	/* 0: a perf-event uprobe was attached. This is tried only if multi_err is not 0. */
	int perf_err;
	/* a BPF program may change the registers of the probed process */
	bool regs_write;
	bool ret_performed; /* a BPF program performed a RET of gotrace */
	/* The cost of a hit in gotrace's own process, by the way the kernel executes the probed
	 * instruction. 0: not measured, or some hits on a nop were not recorded. */
	uint64_t emulated_ns; /* push */
	/* The part of each trap before the time of its event. */
	uint64_t before_ns;
	/* Slowdown of the code behind such a trap, and behind a step. 0: not measured, or none. */
	uint64_t after_ns, after_step_ns;
	uint64_t jump_ns; /* jmp rel32, such as the end of a stub: also emulated */
	uint64_t step_ns; /* single-stepped: a RET that the kernel executes */
	uint64_t ret_ns;  /* a RET that the program performs */
	uint64_t nop5_ns, nop10_ns;
	bool nop5_call, nop10_call; /* the kernel replaced the nop by a call */
	int nop10_err;              /* 0: a probe on a nop10 was attached */
};

/* Returns true if this kernel has type information (caps.btf). It tries nothing. */
bool caps_has_btf(void);

/* Fills in c and logs nothing. It takes some 0.1 s, most of it for detaching (0.5 s without
 * uprobe_multi). */
void caps_probe(struct caps *c);
/*
 * Does the same in a helper process. So the caller can do other work meanwhile, and does not wait
 * for the detaching. Every recording does this. A refusal of a nop10 costs a grace period. So nop10
 * is tried only if `nop_stubs` is set and nop5 does not become a call.
 */
struct caps_try {
	int fd; /* output of the helper; -1: it does not run */
	bool nop_stubs;
	bool kept;        /* an earlier recording has tried it, and no helper runs */
	struct caps caps; /* the earlier result */
};
void caps_try_begin(struct caps_try *t, bool nop_stubs);
/* Waits for the helper and fills in c. Without a helper it tries here. */
void caps_try_end(struct caps_try *t, struct caps *c);
/* Drops the helper and its result. */
void caps_try_drop(struct caps_try *t);

#endif
