/* SPDX-License-Identifier: BSD-2-Clause */
/* Breakpoints in and out: the sites of a plan, attached to one process. */
#ifndef GOTRACE_LINKS_H
#define GOTRACE_LINKS_H

#include <stdbool.h>
#include <sys/types.h>

#include "attach/probes/probes.h"
#include "plan/plan.h"

struct links {
	struct bpf_link **link[LINKS];
	size_t n[LINKS], cap[LINKS];
};

struct links_options {
	int exe_fd;            /* the binary, opened */
	int stub_fd;           /* the plan's stubs; -1: all sites are probed in the text */
	pid_t pid;             /* -1: any process that maps the binary */
	enum attach_kind kind; /* MULTI or PERF */
};

/*
 * Attaches all sites of `plan`: exits first, then the runtime's, entries last, so that
 * no call is half armed. All or nothing. 0 or -errno after logging one line.
 */
int links_attach(struct links *l, const struct probes *p, const struct plan *plan,
		 const struct links_options *opt);

/* Adds to the links, in the text, the sites i that have a stub which is not used: left[i]. 0 or
 * -errno after logging one line; what was attached before stays. */
int links_attach_left(struct links *l, const struct probes *p, const struct plan *plan,
		      const struct links_options *opt, const bool *left);

/*
 * Takes them out; the programs must have been told to stop (probe_state.paused)
 * or calls are seen by halves. The kernel waits for a grace period, 50 ms and
 * more; with perf events for one a site, 0.1 s each. `nobody_waits`: no process
 * is left that would pay for the probes meanwhile. Then, and with many perf
 * events always, a process of its own takes them out and this returns at once.
 */
void links_detach(struct links *l, enum attach_kind kind, bool nobody_waits);

/* How many descriptors `plan` needs under `kind`. */
size_t links_descriptors(const struct plan *plan, enum attach_kind kind);

/* Raises this process's soft limit on descriptors to hold `n` more. 0, or -EMFILE after
 * logging how many sites fit and what to do. */
int links_raise_limit(size_t n, size_t n_sites);

#endif
