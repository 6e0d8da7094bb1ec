/* SPDX-License-Identifier: BSD-2-Clause */
/* One recording, from the held or running target to the finished trace file. */
#ifndef GOTRACE_RECORDING_H
#define GOTRACE_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include "attach/kernel/caps.h"
#include "attach/probes/children.h"
#include "attach/probes/off_cpu.h"
#include "attach/collect/collect.h"
#include "attach/cpu_samples.h"
#include "attach/end_reason.h"
#include "attach/exec_guard.h"
#include "attach/load_watch.h"
#include "attach/phases.h"
#include "attach/probes/probes.h"
#include "attach/probing.h"
#include "attach/releasing.h"
#include "attach/signals.h"
#include "attach/target/target.h"
#include "attach/text_watch.h"
#include "attach/times.h"
#include "binary/gobin.h"
#include "trace/trace.h"

/*
 * A second source of records for the trace, beside the calls: the stacks of a process that dies
 * (sample/death_watch.h). It writes before the target runs and after the recording, because others
 * write in between. `s` is `second` of the recording. Each returns 0 or -errno (logged).
 */
struct second_source {
	int (*begin)(void *s, struct target *t, struct trace_writer *writer);
	void (*look)(void *s); /* called now and then while the target runs */
	/* Adds keys to `end`. */
	int (*end)(void *s, struct trace_writer *writer, struct trace_info *end);
};

/* The choices of the caller. Pointers are borrowed. Nothing here changes after recording_prepare
 * but the sink and the hooks, which recording_run reads. */
struct recording_given {
	const struct gobin *binary;
	const struct golayout *layout;
	const struct caps *caps;
	int exe_fd;            /* the binary */
	enum attach_kind kind; /* AUTO is resolved by recording_prepare */
	size_t ring_bytes, ring_bytes_sum;
	struct cpu_rings *cpu_rings;     /* made before; NULL: recording_prepare makes them */
	uint64_t duration_ns, max_bytes; /* 0: no limit */
	/* For max_cost and max_cost_traps, by function of the plan; NULL: any function may be
	 * released. */
	const bool *never_released;
	double max_cost;     /* highest share of probing in the processor time; 0: any */
	bool max_cost_traps; /* instead, releases functions by trap_limit.h */
	bool max_cost_ends;  /* the recording ends if max_cost cannot be kept */
	/* NULL: the calls are the only source. */
	const struct second_source *second_source;
	void *second;
	bool show_progress;            /* a line on stderr, rewritten */
	bool advise;                   /* prints expensive functions on stderr while it runs */
	const struct trace_sink *sink; /* a sink for events; NULL: the trace gets all */
	/* gotrace calls on_ready when all probes are attached: just before it lets a launched
	 * target go, or begins to record a running one. It calls on_begin delay_ns later. NULL: not
	 * wanted. */
	void (*on_ready)(void *ctx);
	void (*on_begin)(void *ctx);
	void *on_start_ctx;
	/* Called about every quarter of a second. Returns true to end the recording (END_WHEN).
	 * NULL: not wanted. */
	bool (*on_tick)(void *ctx);
	void *on_tick_ctx;
	uint64_t delay_ns; /* before duration_ns begins */
};

struct recording_outcome {
	enum end_reason reason;
	int exec_err;              /* END_NOT_STARTED: -errno */
	int refused;               /* a running target got no stubs: -errno, logged */
	uint64_t collect_start_ns; /* when the target was let go or recording began */
	uint64_t target_end_ns;    /* 0: it still ran */
	uint64_t attach_ns, patch_ns, detach_ns;
	const char *no_off_cpu;            /* why it is missing from states, or NULL */
	struct off_cpu_state off_cpu_seen; /* state after its end */
	bool new_image;        /* the target has executed itself anew, without the stubs it had */
	struct trace_info end; /* keys of the end record, after recording_run */
};

struct recording {
	const struct recording_given *given;
	/* live; what the caller owns comes first */
	struct probing *probing; /* chosen; falls back if stubs are impossible */
	struct target *target;   /* held, or running */
	struct signals *signals; /* signals to gotrace; open */
	struct phases *phases;   /* begun; the recording adds its own */
	enum attach_kind kind;   /* never AUTO */
	struct probes probes;
	struct children children;
	struct exec_guard exec_guard;
	struct off_cpu off_cpu;
	struct cpu_samples cpu_samples;
	int begin_err; /* -ENOMEM */
	struct links *links;
	bool open_to_all; /* other processes of the binary hit the probes too; programs filter */
	struct collector *collector;
	struct ring_site *ring_sites; /* by site: records of inline stubs */
	struct load_watch load;
	struct releasing releasing; /* with max_cost, max_cost_traps */
	struct text_watch text_watch;
	unsigned n_own_execs; /* execs of the binary that gotrace has seen */
	bool unprobed;        /* some sites have no probe, so nothing is recorded */
	struct times times;
	size_t n_stubs; /* planned sites in stubs when the target was let go */
	struct recording_outcome outcome;
};

/* The caller fills in `given` and its own parts; the rest is zeroed. Resolves the attach kind,
 * loads the programs and attaches them. Returns 0 or -errno (logged). A launched target does not
 * run yet; events of a running one wait in the rings. */
int recording_prepare(struct recording *r);

/* Adds keys on probing to `info`: attach kind, strategy, costs. The caller calls it after
 * recording_prepare. Returns 0 or -ENOMEM. */
int recording_describe(const struct recording *r, struct trace_info *info);

/*
 * Lets the target go and collects until the recording ends (enum end_reason). Takes ownership of
 * `writer`, and finishes and closes the trace. The target may still run afterwards. Returns 0, or
 * -errno of the trace; then the file is readable up to the error. It also returns -errno with
 * `refused` set; then nothing was recorded.
 */
int recording_run(struct recording *r, struct trace_writer *writer);

/* Waits for a launched target that continues after the recording. Passes signals on. */
void recording_wait(struct target *t, struct signals *s);

/* Detaches all attached programs and frees memory. The caller must call it in every case. */
void recording_close(struct recording *r);

#endif
