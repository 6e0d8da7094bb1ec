/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How a recording probes: by which strategy and why, which sites in stubs, who performs RETs. It is
 * decided here before the process starts, and changed here only: springboard falls back to
 * emulated when stubs turn out to be impossible. The plan stays as it is.
 */
#ifndef GOTRACE_PROBING_H
#define GOTRACE_PROBING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/kernel/caps.h"
#include "attach/target/ring_area.h"
#include "attach/target/running.h"
#include "plan/plan.h"
#include "rings/rings.h"

struct probing_options {
	const struct caps *caps; /* of this kernel */
	bool step_rets;          /* no BPF program may perform a RET */
	bool launched;           /* else the process runs already, pid */
	bool traps;              /* such a process may be made to trap where a stub is impossible */
	bool other_command; /* the program is not the binary: it executes it later, or loads it */
	int exe_fd;         /* the binary */
	pid_t pid;
	unsigned n_rings; /* of inline stubs, a P each; their size is the plan's */
	/* They are made already, and taken over where they are used; fd -1 or NULL: they are not.
	 */
	struct ring_area *rings;
};

struct probing {
	const struct plan *plan;      /* borrowed; plan->strategy is what was asked for */
	enum probe_strategy strategy; /* never AUTO */
	const char *why;              /* a clause, static */
	bool perform_ret;             /* BPF programs perform the plain RETs that they are on */
	int stub_fd;                  /* file with the plan's stubs, owned; -1: none */
	int lock_fd;                  /* of left_behind.h, owned; -1: none */
	struct ring_area rings;       /* of inline stubs, owned; fd -1: none */
	bool *in_stub;                /* by site: it is probed in its stub, else in the text */
	size_t n_in_stub;             /* such sites */
	/* by site: no probe may be there, the bytes of its function are in another gotrace's stubs
	 */
	bool *left_alone;
	size_t n_left_alone;     /* such functions */
	uint8_t *cost_class;     /* by site: enum cost_class */
	struct running *running; /* the stubs are mapped in a process that runs; else NULL */
	bool kept_maps;          /* they could not be unmapped from it */
	/* all its threads were stopped for that: to put jumps in; to take them out, and the stubs
	 */
	struct stop_times stops_in, stops_out;
	/* functions that are not recorded, for the process was executing what would have to change
	 */
	size_t n_left_out;
};

/*
 * Decides. AUTO becomes the best strategy that was seen to work here. SPRINGBOARD becomes EMULATED,
 * with a warning, for a binary that must not be patched. A process that runs is given inline stubs
 * or, without being asked for traps, nothing. To be closed in every case. 0 or -errno (logged):
 * -ENOTSUP when what was asked for cannot be had for this kind of command, or this process.
 */
int probing_choose(struct probing *p, const struct probing_options *opt, const struct plan *plan);

/* Unmaps the stubs from a process that runs, once no probe is in them any more, unless it has
 * ended. Warns when they have to stay. */
void probing_unmap(struct probing *p, bool ended);

/* No stub is used after all; `why` is a clause, static. Warns when springboard was asked for. */
void probing_fall_back(struct probing *p, const char *why);

/* Takes in what became of the stubs at the process's exec: in_stub is cleared for each site that is
 * to be probed in the text after all. `why`, when not NULL: none could be used. Falls back when
 * none is left. */
void probing_patched(struct probing *p, const char *why);

/* What the inline stub of each site writes; to be freed. NULL: no memory. */
struct ring_site *probing_ring_sites(const struct probing *p);

/* The process executes another image of the binary, which has no stubs: from here on every site is
 * probed in the text. n_in_stub stays what it was. */
void probing_new_image(struct probing *p);

/* Likewise for a process that runs, whose stubs are used or nothing is: 0, or -ENOTSUP (logged,
 * with what can be done instead). Functions of which no site was moved are left alone. */
int probing_joined(struct probing *p, const char *why);

void probing_close(struct probing *p);

/* The nop that this kernel turns into a call, for stubs; STUB_JUMP when there is none, or none that
 * is cheaper. */
enum stub_kind probing_nop(const struct caps *caps);

#endif
