/* SPDX-License-Identifier: BSD-2-Clause */
/* What this kernel and our privileges allow, found out by trying. */
#ifndef GOTRACE_CAPS_H
#define GOTRACE_CAPS_H

#include <stdbool.h>
#include <stdint.h>

struct caps {
	bool bpf, perfmon, sys_admin; /* effective capabilities */
	int load_err;                 /* 0: a BPF program could be loaded, else -errno */
	int multi_err;                /* 0: a uprobe_multi link could be attached */
	/* the pid filter of such a link lets all threads of the process through
	 * (46ba0e49b642: 6.6.35, 6.9.5, 6.10; vendors have it in other versions) */
	bool pid_filter_per_process;
	bool btf; /* /sys/kernel/btf/vmlinux */
	/* 0: a perf-event uprobe could be attached; tried only where multi_err is not 0 */
	int perf_err;
	/* a BPF program may change the registers of the probed process */
	bool regs_write;
	bool ret_performed; /* a BPF program performed a RET of ours */
	/* Cost of a hit in our own process, by how the kernel executes the probed instruction; 0:
	 * not measured, or (nops) not every hit was recorded. */
	uint64_t emulated_ns; /* push */
	uint64_t before_ns;   /* the part of it, and of every trap, before the time stamp */
	/* how much slower code is behind such a trap, and behind a step; 0: not measured, or no
	 * slower */
	uint64_t after_ns, after_step_ns;
	uint64_t jump_ns; /* jmp rel32, as at the end of a stub: emulated as well */
	uint64_t step_ns; /* single-stepped: a RET that the kernel executes */
	uint64_t ret_ns;  /* a RET that the program performs */
	uint64_t nop5_ns, nop10_ns;
	bool nop5_call, nop10_call; /* the kernel replaced it by a call */
	int nop10_err;              /* 0: a probe on one could be attached */
};

/* Does this kernel tell its types (caps.btf)? Known without trying. */
bool caps_has_btf(void);

/* Fills c; logs nothing. Takes some 0.1 s, most of it for detaching (0.5 s without
 * uprobe_multi). */
void caps_probe(struct caps *c);
/*
 * The same, tried by a helper process, so that the caller can do something else meanwhile, and does
 * not wait for the detaching. Every recording does this, so nop10 is tried only when `nop_stubs`
 * are asked for and nop5 does not become a call: a refusal costs a grace period.
 */
struct caps_try {
	int fd; /* what it writes; -1: it does not run */
	bool nop_stubs;
	bool kept;        /* it was tried for a recording before: nothing runs */
	struct caps caps; /* if so */
};
void caps_try_begin(struct caps_try *t, bool nop_stubs);
/* Waits for it and fills c. Without a helper process it is tried here. */
void caps_try_end(struct caps_try *t, struct caps *c);
/* Nobody wants to know any more. */
void caps_try_drop(struct caps_try *t);

#endif
