/* SPDX-License-Identifier: BSD-2-Clause */
/* The instructions that gotrace probes of its own, to measure. A folder beside this file has those
 * of one processor. */
#ifndef GOTRACE_HOST_BENCH_CODE_H
#define GOTRACE_HOST_BENCH_CODE_H

#include <stdbool.h>
#include <stdint.h>

/* The instructions to probe. Each is in a separate function. */
enum bench_site {
	BENCH_PUSH,
	BENCH_JUMP,
	BENCH_NOP5,  /* 0f 1f 44 00 00: Linux 6.18 rewrites a probed one to a call */
	BENCH_NOP10, /* 66 2e 0f 1f 84 ...: so does 7.2; others refuse its segment prefix */
	BENCH_STEP,  /* a RET, which no kernel emulates */
	BENCH_RET,   /* a RET that the program may perform */
	BENCH_SITES,
};

/* Their addresses. All lie side by side in one mapping, BENCH_PUSH first. */
extern const unsigned char *const host_bench_sites[BENCH_SITES];

/* Calls one of them, with g in its register as in Go code. */
uint64_t host_bench_call(const unsigned char *site, const void *g);
/* Leaves the same return address on the stack twice and returns how much of it is still there: 8
 * bytes if the RET was executed once, by whomever. */
uint64_t host_bench_ret_leaves(const unsigned char *site, const void *g);
/* Returns true if the kernel has replaced the nop at `site` by a call, which it does at the first
 * hit. */
bool host_bench_became_call(enum bench_site site);

/* A function for an inline stub, whose first bytes are displaced; breakpoints fill what is around
 * it. */
#define HOST_BENCH_FUNCTION  6
#define HOST_BENCH_DISPLACED 5
#define HOST_BREAKPOINT      0xcc
extern const uint8_t host_bench_function[HOST_BENCH_FUNCTION];
/* Calls `fn` n times in a row, with g in its register. */
void host_bench_calls(const void *fn, const void *g, uint64_t n);

/* Where the program counter and the stack pointer are in the struct pt_regs of a BPF program. */
extern const int16_t host_pt_regs_pc, host_pt_regs_sp;

#endif
