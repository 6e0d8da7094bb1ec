/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How a recording probes: the strategy and its reason, the sites in stubs, and who performs RETs.
 * This file decides it before the process starts. Only this file changes it later: springboard
 * falls back to emulated if stubs turn out to be impossible. The plan stays unchanged.
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
	const struct caps *caps; /* capabilities of this kernel */
	bool step_rets;          /* no BPF program may perform a RET */
	bool launched;           /* false: process `pid` runs already */
	bool traps;              /* process `pid` may trap where a stub is impossible */
	bool other_command; /* The program is not the binary, but executes it later or loads it. */
	int exe_fd;         /* the binary */
	pid_t pid;
	/* Number of rings of inline stubs, one for each P. The plan has their size. */
	unsigned n_rings;
	/* Rings that exist already. probing_choose takes ownership if it uses them. fd -1 or NULL
	 * means none. */
	struct ring_area *rings;
};

struct probing {
	const struct plan *plan;      /* borrowed; plan->strategy is the user's choice */
	enum probe_strategy strategy; /* never AUTO */
	const char *why;              /* a clause, static */
	bool perform_ret;             /* BPF programs perform the plain RETs at their probes */
	int stub_fd;                  /* file with the plan's stubs, owned, or -1 */
	int lock_fd;                  /* lock of left_behind.h, owned, or -1 */
	struct ring_area rings;       /* rings of inline stubs, owned; fd -1: none */
	bool *in_stub;                /* by site: its probe is in its stub, else in the text */
	size_t n_in_stub;             /* number of sites in stubs */
	/* By site: no probe may be there, because the bytes of its function are in another
	 * gotrace's stubs. */
	bool *left_alone;
	size_t n_left_alone;     /* number of functions left alone */
	uint8_t *cost_class;     /* by site: enum cost_class */
	struct running *running; /* not NULL: stubs are mapped in a process that ran already */
	bool kept_maps;          /* the stubs could not be unmapped from the process */
	/* Times in which all its threads were stopped: to write jumps (in), and to remove jumps and
	 * stubs (out). */
	struct stop_times stops_in, stops_out;
	/* Number of functions that are not recorded, because the process was executing bytes that
	 * had to change. */
	size_t n_left_out;
};

/*
 * Chooses the strategy. AUTO becomes the best strategy that worked on this kernel. SPRINGBOARD
 * becomes EMULATED, with a warning, for a binary that must not be patched. A process that runs gets
 * inline stubs, or nothing if opt->traps is false. The caller must close *p in every case. Returns
 * 0 or -errno (logged). -ENOTSUP: the chosen strategy is impossible for this kind of command or for
 * this process.
 */
int probing_choose(struct probing *p, const struct probing_options *opt, const struct plan *plan);

/* Unmaps the stubs from a process that runs, after all probes in them are gone. `ended`: the
 * process has ended, and nothing is unmapped. Warns if the stubs have to stay. */
void probing_unmap(struct probing *p, bool ended);

/* Uses no stub after all. `why` is a static clause. Warns if the user chose springboard. */
void probing_fall_back(struct probing *p, const char *why);

/* Takes the result of patching at the process's exec. Clears in_stub of sites that are probed in
 * the text after all. If `why` is not NULL, no stub could be used. Falls back if no stub is left.
 */
void probing_patched(struct probing *p, const char *why);

/* Returns for each site the records of its inline stub. The caller frees the array. NULL: no
 * memory. */
struct ring_site *probing_ring_sites(const struct probing *p);

/* Notes that the process executes another image of the binary, which has no stubs. From here on
 * every site is probed in the text. n_in_stub is unchanged. */
void probing_new_image(struct probing *p);

/* Takes the result of patching for a process that ran already. It uses its stubs or records
 * nothing. Leaves alone functions without a moved site. Returns 0, or -ENOTSUP (logged with a
 * remedy). */
int probing_joined(struct probing *p, const char *why);

void probing_close(struct probing *p);

/* Returns the nop for stubs that this kernel turns into a call. STUB_JUMP: there is none, or it is
 * not cheaper. */
enum stub_kind probing_nop(const struct caps *caps);

#endif
