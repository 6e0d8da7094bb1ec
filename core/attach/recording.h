/* SPDX-License-Identifier: BSD-2-Clause */
/* One recording from the held target to the finished trace file. */
#ifndef GOTRACE_RECORDING_H
#define GOTRACE_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include "attach/kernel/caps.h"
#include "attach/probes/children.h"
#include "attach/collect/collect.h"
#include "attach/probes/probes.h"
#include "attach/target/target.h"
#include "binary/gobin.h"
#include "plan/plan.h"
#include "trace/trace.h"

/* Why tracing ended; the value of the trace's key end.reason. */
enum end_reason {
	END_EXITED,      /* the target ended */
	END_DURATION,    /* -d */
	END_SIZE,        /* --max-size */
	END_INTERRUPTED, /* Ctrl-C or a signal to gotrace */
	END_WRITE_ERROR, /* disk full and the like */
	END_NOT_STARTED, /* the exec failed */
};
const char *end_reason_name(enum end_reason r);

struct recording {
	/* given */
	const struct gobin *binary;
	const struct golayout *layout;
	struct plan *plan; /* sites whose stub is not used lose it */
	int exe_fd;
	/* the plan's stubs, open in the held target as well; -1: none */
	int stub_fd;
	struct caps caps;      /* as caps_probe_in_child found them */
	enum attach_kind kind; /* AUTO is resolved by recording_prepare */
	size_t ring_bytes, ring_bytes_sum;
	uint64_t duration_ns, max_bytes; /* 0: none */
	bool perform_ret;                /* programs perform the RETs that they are on */
	bool springboard_asked;          /* by name: what stands in its way is worth a warning */
	const char *why;                 /* this way of probing, a clause, static */
	bool show_progress;              /* a line on stderr, rewritten */
	struct target *target;           /* held, or running */
	/* signalfd of SIGINT, SIGTERM, SIGHUP, SIGQUIT, all blocked */
	int signal_fd;
	/* found out on the way */
	struct probes probes;
	struct children children;
	struct links *links;
	bool *left;          /* by site: has a stub that could not be used */
	uint8_t *site_class; /* by site: enum cost_class */
	/* other processes of the binary hit the probes too; programs filter */
	bool open_to_all;
	uint64_t interrupt_ns; /* when SIGINT came last */
	struct collector *collector;
	struct trace_writer *writer;
	enum end_reason reason;
	int end_signal; /* END_INTERRUPTED: by which */
	uint64_t attach_ns, patch_ns, detach_ns, target_end_ns;
	/* sites that were to have a stub, and that are probed in the text after all */
	size_t n_stubs, n_stubs_left;
	int exec_err; /* END_NOT_STARTED: -errno */
};

/* Resolves the attach kind, loads the programs, attaches. 0 or -errno (logged).
 * The target does not run yet, or runs traced but unheard. */
int recording_prepare(struct recording *r);

/* Adds to `info` what recording_prepare found out: attach kind, costs. 0 or -ENOMEM. */
int recording_describe(const struct recording *r, struct trace_info *info);

/*
 * Takes over `writer`, lets the target go and collects until something ends it. The trace is
 * finished and closed on return; the target may still run. 0, or -errno of the
 * trace (what was written is readable).
 */
int recording_run(struct recording *r, struct trace_writer *writer);

/* Waits for a launched target that tracing has left behind, passing signals on. */
void recording_wait(struct recording *r);

/* Takes down what is still up. To be called in every case. */
void recording_close(struct recording *r);

#endif
