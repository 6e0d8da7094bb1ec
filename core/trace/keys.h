/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The keys of a trace: what was traced, how, and how it ended (struct
 * trace_kv). Values are text; numbers are decimal; a key is left out when its
 * value is not known. FORMAT.md lists the same keys; trace/keys_test.c compares.
 */
#ifndef GOTRACE_KEYS_H
#define GOTRACE_KEYS_H

/* ---- the traced program */
#define KEY_COMMAND         "command"         /* the command's words joined by blanks */
#define KEY_USER            "user"            /* user name under which it ran */
#define KEY_PID             "pid"             /* process id */
#define KEY_BINARY_PATH     "binary.path"     /* absolute where it could be resolved */
#define KEY_BINARY_BUILD_ID "binary.build_id" /* Go build id */
#define KEY_GO_VERSION      "go.version"      /* as in .go.buildinfo, such as go1.26.0 */
#define KEY_GO_MODULE       "go.module"       /* path of the main module */
#define KEY_GO_LAYOUT       "go.layout"       /* source of the offsets in g and m: dwarf or table */
#define KEY_TARGET_PIE      "target.pie"      /* 1: position independent, else 0 */

/* ---- the recorder and its host */
#define KEY_GOTRACE_VERSION    "gotrace.version"    /* of the recorder */
#define KEY_HOST_KERNEL        "host.kernel"        /* system and release */
#define KEY_HOST_CPU           "host.cpu"           /* model name */
#define KEY_HOST_CPUS          "host.cpus"          /* number of CPUs online */
#define KEY_HOST_MEMORY_BYTES  "host.memory_bytes"  /* physical memory */
#define KEY_CLOCK_MONOTONIC_NS "clock.monotonic_ns" /* both clocks at one moment at the start */
#define KEY_CLOCK_REALTIME_NS  "clock.realtime_ns"
#define KEY_CLOCK_UNCHECKED    "clock.unchecked" /* 1: for tests, the counter may be no clock */

/* ---- samples */
#define KEY_MODE "mode" /* MODE_SAMPLES, else events */
#define KEY_SAMPLE_FREQUENCY \
	"sample.frequency"                    /* samples a second and thread that were asked for */
#define KEY_SAMPLE_COUNT     "sample.count"   /* -c: events for each sample */
#define KEY_SAMPLE_EVENT     "sample.event"   /* what was counted, as perf calls it: cpu-clock */
#define KEY_SAMPLE_KERNEL    "sample.kernel"  /* 1: stacks have kernel frames */
#define KEY_SAMPLE_WALL      "sample.wall"    /* 1: there are samples with states, of snapshots */
#define KEY_SAMPLE_LABELS    "sample.labels"  /* 1: goroutines' labels were read */
#define KEY_SAMPLE_PIDS      "sample.pids"    /* --pid, as given */
#define KEY_SAMPLE_HOST      "sample.host"    /* -a: HOST_ALL; --cgroup: its name, as given */
#define KEY_SAMPLE_SERVICE   "sample.service" /* of a profile of gotrace agent */
#define KEY_SAMPLE_LABELS_OF "sample.labels_of" /* its labels, an object of JSON */
#define HOST_ALL             "all"
#define MODE_SAMPLES         "samples"
#define KEY_RECORD_SIGNALS   "record.signals" /* 1: stacks of processes that die are recorded */
/* of them: recorded, lost for want of room, and those recorded whose stack is cut off as it was too
 * deep, could not be read from some frame on, or has an address that no symbol is known of */
#define KEY_END_SAMPLES            "end.samples"
#define KEY_END_SAMPLES_LOST       "end.samples_lost"
#define KEY_END_SAMPLES_CUT        "end.samples_cut"
#define KEY_END_SAMPLES_UNREADABLE "end.samples_unreadable"
#define KEY_END_SAMPLES_UNRESOLVED "end.samples_unresolved"
/* label records for which there was no room, and labels that could not be read; records of what
 * processes map for which there was no room */
#define KEY_END_LABELS_LOST "end.labels_lost"
#define KEY_END_MAPS_LOST   "end.maps_lost"
/* threads of running processes whose events could be opened only after recording had begun */
#define KEY_END_THREADS_LATE "end.threads_late"
/* threads of dying processes whose stacks are in the trace, and those that had no room */
#define KEY_END_DEATHS      "end.deaths"
#define KEY_END_DEATHS_LOST "end.deaths_lost"
/* samples with a label that is longer than what is recorded of it, and ends in "..." therefore */
#define KEY_END_LABELS_CUT "end.labels_cut"
/* samples taken before the process's executable was known: walked by frame pointer alone, without
 * goroutine and labels */
#define KEY_END_SAMPLES_NO_BINARY "end.samples_no_binary"
/* of --wall: snapshots, and in all of them together goroutines that were looked at, of how many in
 * the runtime's list, and those that kept changing; time of goroutines that ran, and of those that
 * work for Go's runtime; processes of which there are none */
#define KEY_END_SNAPSHOTS            "end.snapshots"
#define KEY_END_SNAPSHOTS_DRAWN      "end.snapshots_drawn"
#define KEY_END_SNAPSHOTS_LISTED     "end.snapshots_listed"
#define KEY_END_SNAPSHOTS_TORN       "end.snapshots_torn"
#define KEY_END_SNAPSHOTS_RUNNING_NS "end.snapshots_running_ns"
#define KEY_END_SNAPSHOTS_IDLE_NS    "end.snapshots_idle_ns"
#define KEY_END_SNAPSHOTS_NS         "end.snapshots_ns"     /* up to the last one */
#define KEY_END_SNAPSHOTS_GAP_NS     "end.snapshots_gap_ns" /* the longest between two */
#define KEY_END_SNAPSHOTS_NOT_GO     "end.snapshots_not_go"
#define KEY_END_SNAPSHOTS_SILENT     "end.snapshots_silent" /* their memory did not answer */
/* likewise of threads that execute no goroutines */
#define KEY_END_THREADS_SNAPSHOTS  "end.threads_snapshots"
#define KEY_END_THREADS_DRAWN      "end.threads_drawn"
#define KEY_END_THREADS_LISTED     "end.threads_listed"
#define KEY_END_THREADS_TORN       "end.threads_torn"
#define KEY_END_THREADS_RUNNING_NS "end.threads_running_ns"
/* processor time of the sampled threads, as the kernel accounts for it, while they were recorded */
#define KEY_END_SAMPLED_CPU_NS "end.sampled_cpu_ns"

/* ---- the selection; lists have one key an entry: PREFIX.0, PREFIX.1, ... */
#define KEY_SELECT_PACKAGE  "select.package"  /* list: -p */
#define KEY_SELECT_FUNCTION "select.function" /* list: -f */
#define KEY_SELECT_EXCLUDE  "select.exclude"  /* list: -x */
#define KEY_SELECT_KEY      "select.key"
#define KEY_SELECT_PRESETS  "select.presets"  /* "waits,net,db": of those that were given */
#define KEY_SELECT_WRAPPERS "select.wrappers" /* 1: with --wrappers */
#define KEY_PLAN_SELECTED   "plan.selected"   /* number of functions selected */
#define KEY_PLAN_PROBED     "plan.probed"     /* of them probed */
#define KEY_PLAN_INLINED    "plan.inlined"    /* selected functions inlined away somewhere */
#define KEY_PLAN_FATE       "plan.fate."      /* + plan_fate_name: functions not probed for it */

/* ---- what of it gets into the trace */
#define KEY_KEEP_DEPTH    "keep.depth"    /* calls below so many others do not */
#define KEY_KEEP_TRIGGER  "keep.trigger"  /* list: only what happens inside these functions */
#define KEY_KEEP_ONE_IN   "keep.one_in"   /* of so many of their outermost calls one does */
#define KEY_KEEP_DELAY_NS "keep.delay_ns" /* what happens after that time */
#define KEY_KEEP_LAST     "keep.last"     /* only what came last: time or size, as given */
#define KEY_KEEP_WHEN     "keep.when"     /* ... written when this holds, as given */
#define KEY_KEEP_RESTS    "keep.rests"    /* 1: while recording was off, calls were not seen */
#define KEY_KEEP_TOGGLE   "keep.toggle"   /* off or on: at the start; then as signals switched it */

/* ---- the probes */
#define KEY_PROBE_STRATEGY     "probe.strategy" /* thesis, emulated, springboard or inline */
#define KEY_PROBE_WHY          "probe.why"      /* why that strategy: a clause */
#define PROBE_WHY_ASKED        "asked for"
#define KEY_PROBE_RET          "probe.ret"          /* RET_*: who executes a probed RET */
#define KEY_ATTACH_KIND        "attach.kind"        /* multi or perf: the kind of uprobes */
#define KEY_ATTACH_OPEN_TO_ALL "attach.open_to_all" /* 1: other processes hit the probes too */
#define KEY_ATTACH_TIME_NS     "attach.time_ns"     /* time it took to attach the probes */
#define KEY_RING_BYTES         "ring.bytes"         /* size of one CPU's ring buffer */

#define KEY_INLINE_RINGS      "inline.rings"      /* rings of inline stubs, one for each P */
#define KEY_INLINE_RING_BYTES "inline.ring_bytes" /* size of each */
#define KEY_INLINE_OVERFLOW   "inline.overflow"   /* throttle or drop: when a ring is full */
#define KEY_MAX_COST                                                                 \
	"max_cost" /* 0.2: probing was to take a fifth of the processor time at most \
		    */

#define KEY_MAX_COST_TRAPS                                                                       \
	"max_cost.traps" /* 0.05: functions whose traps took a twentieth of it were released, as \
			  * nobody had set a share */

#define KEY_STATES        "states"        /* 1: there are EV_STATE and EV_WAKE */
#define KEY_STATES_REASON "states.reason" /* list: texts of the reasons, by their numbers */
#define KEY_STATES_SITES  "states.sites"  /* what of the runtime is probed for them, and how */

/* OFF_CPU_TOLD: events say when a goroutine ran and had no processor; else why they do not: a
 * clause */
#define KEY_STATES_OFF_CPU "states.off_cpu"
#define OFF_CPU_TOLD       "told"

#define KEY_SUMMARY         "summary"         /* SUMMARY_*: counts and sums are in a summary */
#define KEY_MIN_DURATION_NS "min_duration_ns" /* single calls are those that last so long */

#define SUMMARY_ALONE "alone" /* there are no events besides */
#define SUMMARY_CALLS "calls" /* there are events of some calls */

#define RET_PERFORMED "performed" /* the BPF program performs it, one trap */
#define RET_STEPPED   "stepped"   /* the kernel steps over it, two traps */

/* ---- what one event costs, ns, measured; by how the kernel executes the probed instruction */
#define KEY_COST_EMULATED_NS "cost.emulated_ns" /* it emulates it */
#define KEY_COST_STEP_NS     "cost.step_ns"     /* it single-steps it */
#define KEY_COST_JUMP_NS     "cost.jump_ns"     /* it emulates a stub's jump */
#define KEY_COST_NOP_NS      "cost.nop_ns"      /* a stub's nop, replaced by a call */
#define KEY_COST_RET_NS      "cost.ret_ns"      /* the BPF program performs a RET */

#define KEY_COST_BEFORE_NS "cost.before_ns" /* of a trap: how much is before the time stamp */
/* How much slower code is behind a trap, and behind a single step. */
#define KEY_COST_AFTER_NS      "cost.after_ns"
#define KEY_COST_AFTER_STEP_NS "cost.after_step_ns"
#define KEY_COST_INLINE_NS     "cost.inline_ns" /* a stub writes the event itself: no trap */

/* ---- warnings: every key with this prefix is a sentence that every report repeats */
#define KEY_WARN                "warn."
#define KEY_WARN_RINGS          KEY_WARN "rings"  /* a ring of inline stubs was disabled */
#define KEY_WARN_STUBS          KEY_WARN "stubs"  /* some sites could not be moved to stubs */
#define KEY_WARN_FILES          KEY_WARN "files"  /* files of images could not be kept open */
#define KEY_WARN_MEMORY         KEY_WARN "memory" /* what gotrace gave up to stay within its own */
#define KEY_WARN_REFUSED        KEY_WARN "symbols.refused" /* likewise: files not to be read */
#define KEY_WARN_SYMBOLS        KEY_WARN "symbols"         /* addresses of samples have no name */
#define KEY_WARN_KERNEL_SYMBOLS KEY_WARN "kernel_symbols"  /* the kernel hides its own */
#define KEY_WARN_LEFT_ALONE     KEY_WARN "left_alone" /* functions in another gotrace's stubs */
#define KEY_WARN_LOAD           KEY_WARN "load" /* a few functions' sites were dear to probe */
#define KEY_WARN_IMAGE          KEY_WARN "image" /* an image that the process executed was not patched */
#define KEY_WARN_LABELS         KEY_WARN "labels"   /* some samples' labels are not known */
#define KEY_WARN_THREADS        KEY_WARN "threads"  /* some threads were sampled late */
#define KEY_WARN_CPUS           KEY_WARN "cpus"     /* some CPUs were sampled late */
#define KEY_WARN_LOST_OF        KEY_WARN "lost_of"  /* whose the lost samples were is not known */
#define KEY_WARN_LEFT_OUT       KEY_WARN "left_out" /* profiles of a store cannot be read */
#define KEY_WARN_CUT            KEY_WARN "cut"      /* profiles of a store were cut off */
#define KEY_WARN_MAPS           KEY_WARN "maps"     /* some of what was mapped is not known */
#define KEY_WARN_NATIVES        KEY_WARN "natives"  /* no room for all unwinding tables */
#define KEY_WARN_DEATHS         KEY_WARN "deaths"   /* stacks of threads that died are missing */
#define KEY_WARN_TEXT           KEY_WARN "text"     /* probes were gone from the program's text */
/* the program wrote other code over probes */
#define KEY_WARN_REPLACED KEY_WARN "replaced"

/* ---- the end; stated right before the trace's end record */
#define KEY_END_REASON           "end.reason"           /* REASON_* */
#define KEY_END_STATUS           "end.status"           /* exit status of the launched program */
#define KEY_END_SIGNAL           "end.signal"           /* number of the signal that killed it */
#define KEY_END_TARGET_WALL_NS   "end.target_wall_ns"   /* from its exec to its end */
#define KEY_END_TARGET_CPU_NS    "end.target_cpu_ns"    /* processor time it took while recorded */
#define KEY_END_TARGET_SYSTEM_NS "end.target_system_ns" /* the part of it in the kernel */
#define KEY_END_OWN_CPU_NS       "end.own_cpu_ns"       /* processor time gotrace took meanwhile */
/* threads of the target would run and had no processor: for how long, all threads together */
#define KEY_END_TARGET_RUN_DELAY_NS "end.target_run_delay_ns"
/* all processors of the machine together: they executed something, and they had nothing to do */
#define KEY_END_HOST_BUSY_NS "end.host_busy_ns"
#define KEY_END_HOST_IDLE_NS "end.host_idle_ns"
/* samples of the target's processor time while it was recorded, and those in its probes */
#define KEY_END_CPU_SAMPLES           "end.cpu_samples"
#define KEY_END_CPU_SAMPLES_PROBES    "end.cpu_samples_probes"
#define KEY_END_CPU_SAMPLES_NS        "end.cpu_samples_ns"
#define KEY_END_CPU_SAMPLES_PROBES_NS "end.cpu_samples_probes_ns"
#define KEY_END_CPU_SAMPLES_LOST      "end.cpu_samples_lost"
#define KEY_END_CPU_SAMPLES_COST_NS   "end.cpu_samples_cost_ns"
#define KEY_END_TIME_NS               "end.time_ns"       /* CLOCK_MONOTONIC when recording ended */
#define KEY_END_SAMPLES_EARLY         "end.samples_early" /* their process was not known yet */
/* the stretch of samples, in CLOCK_REALTIME */
#define KEY_END_STRETCH_FROM_NS "end.stretch_from_ns"
#define KEY_END_STRETCH_TO_NS   "end.stretch_to_ns"
#define KEY_END_DETACH_NS       "end.detach_ns" /* time it took to detach the probes */
/* how long it took from gotrace's start until recording began, and its parts: "plan_ns" ... */
#define KEY_END_SET_UP_NS "end.set_up_ns"
#define KEY_END_PHASE     "end.phase."
#define KEY_END_PATCH_NS  "end.patch_ns" /* how long the exec was held for the stubs */
/* of a running process: the longest that all its threads were stopped to change its text, how
 * often and how long in all; and to change it back */
#define KEY_END_PAUSE_NS              "end.pause_ns"
#define KEY_END_PAUSES                "end.pauses"
#define KEY_END_PAUSE_SUM_NS          "end.pause_sum_ns"
#define KEY_END_PUT_BACK_PAUSE_NS     "end.put_back_pause_ns"
#define KEY_END_PUT_BACK_PAUSES       "end.put_back_pauses"
#define KEY_END_PUT_BACK_PAUSE_SUM_NS "end.put_back_pause_sum_ns"
#define KEY_END_STUBS                 "end.stubs"      /* number of sites probed in a stub */
#define KEY_END_STUBS_LEFT            "end.stubs_left" /* sites meant for one, probed in the text */
#define KEY_END_IMAGES                "end.images" /* process images seen (runtime.main entered) */
#define KEY_END_CHILDREN              "end.children" /* processes that the target started */
#define KEY_END_EXECS                 "end.execs"    /* programs it executed, the first included */
/* of them of the traced binary, and not recorded */
#define KEY_END_MISSED_IMAGES "end.missed_images"
/* how often the text was looked at, the most probes that were gone from it, and the most that the
 * program had written other code over */
#define KEY_END_TEXT_LOOKS   "end.text_looks"
#define KEY_END_TEXT_GONE    "end.text_gone"
#define KEY_END_REPLACED     "end.text_replaced"
#define KEY_END_LAYOUT_WRONG "end.layout_wrong" /* 1: events contradict the offsets in g, m */

#define KEY_END_EVENTS          "end.events"          /* number of events recorded */
#define KEY_END_EVENTS_EMULATED "end.events_emulated" /* of them, by class as in cost.*_ns */
#define KEY_END_EVENTS_STEP     "end.events_step"
#define KEY_END_EVENTS_JUMP     "end.events_jump"
#define KEY_END_EVENTS_NOP      "end.events_nop"
#define KEY_END_EVENTS_RET      "end.events_ret"
#define KEY_END_EVENTS_INLINE   "end.events_inline"
#define KEY_END_EVENTS_VALUES   "end.events_values" /* traps in which values were read */
#define KEY_END_VALUES_NS       "end.values_ns"     /* which took so long beside the trap, in all */
#define KEY_END_WINDOW_NS       "end.window_ns"     /* keep.last: how much time that is */
#define KEY_END_WINDOW_EVENTS   "end.window_events" /* and how many events */
#define KEY_END_WINDOW_FULL     "end.window_full"   /* 1: there was no room for the time */
#define KEY_END_KEPT            "end.kept"          /* of them, in the trace: see keep.* */
#define KEY_END_TRIGGER_SEEN    "end.trigger_seen"  /* outermost calls of the trigger */
#define KEY_END_TRIGGER_KEPT    "end.trigger_kept"  /* of them recorded */
#define KEY_END_LOST_EVENTS     "end.lost_events"   /* number of events lost */
#define KEY_END_LOST_RECORDS    "end.lost_records"  /* EV_LOSS records that say so */
/* hits that the BPF program did not record */
#define KEY_END_DROPPED_SIGNAL_STACK  "end.dropped_signal_stack"  /* on a signal stack */
#define KEY_END_DROPPED_OUTSIDE_STACK "end.dropped_outside_stack" /* rsp outside the stack of g */
#define KEY_END_DROPPED_FAULT         "end.dropped_fault"         /* g could not be read */
/* switches of threads that no event tells */
#define KEY_END_OFF_CPU_MISSED "end.off_cpu_missed"
/* for which threads of the target would have gone on and gotrace had their processor */
#define KEY_END_OFF_CPU_GOTRACE_NS "end.off_cpu_gotrace_ns"

/* of inline stubs */
#define KEY_END_INLINE_TRAPS        "end.inline_traps"        /* trapped: no room, no ring */
#define KEY_END_RELEASED            "end.released"            /* functions, see KEY_MAX_COST */
#define KEY_END_RELEASED_HITS       "end.released_hits"       /* of them, after that */
#define KEY_END_RING_MOST_BYTES     "end.ring_most_bytes"     /* most that waited in a ring */
#define KEY_END_RING_LATE           "end.ring_late"           /* events after their time */
#define KEY_END_RINGS_DISABLED      "end.rings_disabled"      /* with impossible contents */
#define KEY_END_SIGNALS_IN_STUBS    "end.signals_in_stubs"    /* came while pc was in a stub */
#define KEY_END_SIGNALS_ROLLED_BACK "end.signals_rolled_back" /* of them: event restarted */
#define KEY_END_STUB_FAULTS         "end.stub_faults"         /* while an event was written */
#define KEY_END_CLOCK_WORST_NS      "end.clock_worst_ns"      /* most that the clocks were off */
#define KEY_END_CLOCK_JUMPS         "end.clock_jumps"         /* times they were off too far */

/* Values of end.reason: why recording ended. */
#define REASON_EXITED      "exited"      /* the program ended */
#define REASON_INTERVAL    "interval"    /* samples go on in another trace */
#define REASON_DURATION    "duration"    /* --duration */
#define REASON_SIZE        "size"        /* --max-size */
#define REASON_INTERRUPTED "interrupted" /* a signal to gotrace */
#define REASON_WRITE_ERROR "write-error" /* the trace could not be written any further */
#define REASON_NOT_STARTED "not-started" /* the command could not be executed */
#define REASON_WHEN        "when"        /* --when held for the last time */
#define REASON_WINDOW      "window"      /* recording went on: this is a part of it (--keep-last) */
#define REASON_COST        "cost"        /* --max-cost could not be kept */
#define REASON_FAILED      "failed"      /* gotrace could not wait for it any longer */

#endif
