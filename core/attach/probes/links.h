/* SPDX-License-Identifier: BSD-2-Clause */
/* Attaches the sites of a plan to one process, and detaches them. */
#ifndef GOTRACE_LINKS_H
#define GOTRACE_LINKS_H

#include <stdbool.h>
#include <sys/types.h>

#include "attach/probes/probes.h"
#include "attach/probing.h"

/* With uprobe_multi, for each program: in the text, in the stubs, for the sites left out at the
 * exec, and under jumps. */
#define LINKS_MULTI_MAX (SITE_PROGRAMS * 4)

struct one_link {
	struct bpf_link *link;
	uint32_t site; /* ATTACH_PERF: of that site; else PLAN_NO_SITE */
	bool under;    /* by links_attach_under */
};

struct links {
	struct one_link *at[SITE_PROGRAMS];
	size_t n[SITE_PROGRAMS], cap[SITE_PROGRAMS];
	bool second;   /* links_replace has left links whose cookies have COOKIE_SECOND */
	bool *in_stub; /* by site: it was attached in its stub, and is not probed in the text */
	bool under;    /* links_attach_under has attached all */
};

struct links_options {
	const struct probing *probing; /* the plan's sites, and which are probed in stubs */
	int exe_fd;                    /* the binary, opened */
	pid_t pid;                     /* -1: any process that maps the binary */
	enum attach_kind kind;         /* MULTI or PERF */
	const bool
		*released; /* by function: links_attach_left_out leaves these alone; NULL: none */
	/* Asked before each perf event, of which there may be thousands: 0, or -errno after logging
	 * one line: attaching is to end with it. NULL: never. */
	int (*give_up)(void *ctx);
	void *ctx;
};

/*
 * Attaches all sites of the plan: exits first, then the runtime's, entries last, so that
 * the exit of every recorded entry is recorded. All or nothing. 0 or -errno after logging one line.
 */
int links_attach(struct links *l, const struct probes *p, const struct links_options *opt);

/* Adds links in the text for the sites that were attached in stubs and are not in them any more. 0
 * or -errno after logging one line; what was attached before stays. */
int links_attach_left_out(struct links *l, const struct probes *p, const struct links_options *opt);

/* Adds links in the text for instructions that jumps to stubs lie on (site_jumps_on_probed): they
 * do nothing once the jump is written over their breakpoint, until another tool's probe puts one
 * there again. As links_attach_left_out. */
int links_attach_under(struct links *l, const struct probes *p, const struct links_options *opt);

/* No jump to a stub is in the text any more: what was attached under them are probes like others.
 */
void links_nothing_under(struct links *l);

/*
 * Of functions with released[function] the probes go, all others stay. With uprobe_multi links
 * new ones are attached without them, whose records differ in EVF_WIRE_SECOND from those before;
 * until links_drop has ended hits are recorded by both. `gone` gets what is to be detached, by
 * links_drop, and is empty before. 0 or -errno after logging one line: nothing has changed then.
 */
int links_release(struct links *l, const struct probes *p, const struct links_options *opt,
		  const bool *released, struct links *gone);
/* Detaches what links_release has taken out: 50 ms, with perf events 0.1 s each. In any thread. */
void links_drop(struct links *gone);

/*
 * Detaches all; the programs must be paused (probe_state.paused), or only the entry or the exit of
 * some calls would be recorded. The kernel waits for a grace period, 50 ms and
 * more; with perf events for one a site, 0.1 s each. `target_gone`: no process
 * is left that the probes would slow down. Then, and with many perf events always, a
 * helper process detaches them and this returns at once.
 */
void links_detach(struct links *l, enum attach_kind kind, bool target_gone);

/* AUTO becomes what this kernel has, and the limit on descriptors is raised for it. 0, or -errno
 * after logging what to do. */
int links_choose_kind(enum attach_kind *kind, const struct plan *plan, const struct caps *caps);

/* How many descriptors `plan` needs under `kind`. */
size_t links_descriptors(const struct plan *plan, enum attach_kind kind);

/* Raises this process's soft limit on descriptors to hold `n` more, for `n_sites` sites. 0,
 * -EMFILE after logging what to do, or another -errno. */
int links_raise_limit(size_t n, size_t n_sites);

#endif
