/* SPDX-License-Identifier: BSD-2-Clause */
/* Attaches the sites of a plan to one process, and detaches them. */
#ifndef GOTRACE_LINKS_H
#define GOTRACE_LINKS_H

#include <stdbool.h>
#include <sys/types.h>

#include "attach/probes/probes.h"
#include "attach/probing.h"

/* The most links of uprobe_multi. Each program has four: in the text, in the stubs, for the sites
 * left out at the exec, and under jumps. */
#define LINKS_MULTI_MAX (SITE_PROGRAMS * 4)

struct one_link {
	struct bpf_link *link;
	uint32_t site; /* ATTACH_PERF: the link's site; else PLAN_NO_SITE */
	bool under;    /* made by links_attach_under */
};

struct links {
	struct one_link *at[SITE_PROGRAMS];
	size_t n[SITE_PROGRAMS], cap[SITE_PROGRAMS];
	bool second;   /* links_replace has left links whose cookies have COOKIE_SECOND */
	bool *in_stub; /* by site: attached in its stub, not in the text */
	bool under;    /* links_attach_under has attached all */
};

struct links_options {
	const struct probing *probing; /* the plan's sites, and the choice of those in stubs */
	int exe_fd;                    /* the binary, opened */
	pid_t pid;                     /* -1: any process that maps the binary */
	enum attach_kind kind;         /* MULTI or PERF */
	/* By function: links_attach_left_out ignores these. NULL: none. */
	const bool *released;
	/* Called before each perf event, of which there may be thousands. Returns 0, or -errno
	 * after logging one line, which ends attaching with that error. NULL: not called. */
	int (*give_up)(void *ctx);
	void *ctx;
};

/*
 * Attaches all sites of the plan. Exits come first, then the runtime's sites, and entries last, so
 * that the exit of every recorded entry is recorded. It attaches all or none. Returns 0, or -errno
 * after logging one line.
 */
int links_attach(struct links *l, const struct probes *p, const struct links_options *opt);

/* Adds links in the text for sites that were attached in stubs and are not in them any more.
 * Returns 0, or -errno after logging one line; earlier links stay. */
int links_attach_left_out(struct links *l, const struct probes *p, const struct links_options *opt);

/* Adds links in the text for instructions on which jumps to stubs lie (site_jumps_on_probed). These
 * links do nothing once the jump is written over their breakpoint, until another tool's probe puts
 * one there again. Errors are those of links_attach_left_out. */
int links_attach_under(struct links *l, const struct probes *p, const struct links_options *opt);

/* Notes that no jump to a stub is in the text any more. From now on the links under jumps are
 * probes like others. */
void links_nothing_under(struct links *l);

/*
 * Removes the probes of functions with released[function]; all others stay. With uprobe_multi it
 * attaches new links without these functions. Records of the new links differ in EVF_WIRE_SECOND
 * from earlier ones. Until links_drop has ended, both links record hits. `gone` is empty before,
 * and gets the links for links_drop to detach. Returns 0, or -errno after logging one line; then
 * nothing has changed.
 */
int links_release(struct links *l, const struct probes *p, const struct links_options *opt,
		  const bool *released, struct links *gone);
/* Detaches the links that links_release has removed. It takes 50 ms, or with perf events 0.1 s
 * each. Any thread may call it. */
void links_drop(struct links *gone);

/*
 * Detaches all links. The programs must be paused (probe_state.paused). Otherwise only the entry or
 * the exit of some calls would be recorded. The kernel waits for a grace period of 50 ms and more.
 * With perf events it waits for one for each site, 0.1 s each. `target_gone`: the probes slow no
 * process down any more. If it is true, or if there are many perf events, a helper process detaches
 * the links and the function returns at once.
 */
void links_detach(struct links *l, enum attach_kind kind, bool target_gone);

/* Replaces AUTO by a kind that this kernel has, and raises the limit on descriptors for it. Returns
 * 0, or -errno after logging a remedy. */
int links_choose_kind(enum attach_kind *kind, const struct plan *plan, const struct caps *caps);

#endif
