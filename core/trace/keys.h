/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The keys of a trace (struct trace_kv). They say which program was traced, how, and how it ended.
 * Values are text, and numbers are decimal. A key is left out when its value is not known.
 * FORMAT.md lists the same keys; trace/keys_test.c compares.
 */
#ifndef GOTRACE_KEYS_H
#define GOTRACE_KEYS_H

/* ---- the traced program */
#define KEY_COMMAND         "command"         /* its words joined by blanks */
#define KEY_USER            "user"            /* user name under which it ran */
#define KEY_PID             "pid"             /* process id */
#define KEY_BINARY_PATH     "binary.path"     /* absolute where it could be resolved */
#define KEY_BINARY_BUILD_ID "binary.build_id" /* Go build id */
#define KEY_GO_VERSION      "go.version"      /* from .go.buildinfo, for example go1.26.0 */
#define KEY_GO_MODULE       "go.module"       /* path of the main module */
#define KEY_GO_LAYOUT       "go.layout"       /* source of the offsets in g and m: dwarf or table */
#define KEY_TARGET_PIE      "target.pie"      /* 1: position independent, else 0 */

/* ---- the recorder and its host */
#define KEY_GOTRACE_VERSION    "gotrace.version"    /* the recorder's version */
#define KEY_HOST_KERNEL        "host.kernel"        /* system and release */
#define KEY_HOST_ARCH          "host.arch"          /* GOARCH of the processor: amd64, arm64 */
#define KEY_HOST_CPU           "host.cpu"           /* model name */
#define KEY_HOST_CPUS          "host.cpus"          /* number of CPUs online */
#define KEY_HOST_MEMORY_BYTES  "host.memory_bytes"  /* physical memory */
#define KEY_CLOCK_MONOTONIC_NS "clock.monotonic_ns" /* both clocks, read at once at the start */
#define KEY_CLOCK_REALTIME_NS  "clock.realtime_ns"
#define KEY_CLOCK_UNCHECKED    "clock.unchecked" /* 1: for tests; the counter may be no clock */

/* ---- samples */
#define KEY_MODE             "mode" /* MODE_SAMPLES; a trace of events has no such key */
#define KEY_SAMPLE_FREQUENCY "sample.frequency" /* wanted samples a second and thread */
#define KEY_SAMPLE_COUNT     "sample.count"     /* -c: events of one sample */
#define KEY_SAMPLE_EVENT     "sample.event"     /* the counted event, in perf's words: cpu-clock */
#define KEY_SAMPLE_KERNEL    "sample.kernel"    /* 1: stacks have kernel frames */
#define KEY_SAMPLE_WALL      "sample.wall"      /* 1: some samples have states, from snapshots */
#define KEY_SAMPLE_LABELS    "sample.labels"    /* 1: goroutines' labels were read */
#define KEY_SAMPLE_PIDS      "sample.pids"      /* --pid, as given */
#define KEY_SAMPLE_HOST      "sample.host"      /* -a: HOST_ALL; --cgroup: its name, as given */
#define KEY_SAMPLE_SERVICE   "sample.service"   /* the service of an agent's profile */
#define KEY_SAMPLE_LABELS_OF "sample.labels_of" /* that profile's labels, an object of JSON */
#define HOST_ALL             "all"
#define MODE_SAMPLES         "samples"
#define KEY_RECORD_SIGNALS   "record.signals" /* 1: stacks of processes that die are recorded */
/* Samples that were recorded, and samples lost because there was no room. Then recorded samples
 * whose stack was too deep, was not readable from some frame on, or has an address without a
 * symbol. */
#define KEY_END_SAMPLES            "end.samples"
#define KEY_END_SAMPLES_LOST       "end.samples_lost"
#define KEY_END_SAMPLES_CUT        "end.samples_cut"
#define KEY_END_SAMPLES_UNREADABLE "end.samples_unreadable"
#define KEY_END_SAMPLES_UNRESOLVED "end.samples_unresolved"
/* labels that could not be read, or whose records had no room; records of processes' mappings that
 * had no room */
#define KEY_END_LABELS_LOST "end.labels_lost"
#define KEY_END_MAPS_LOST   "end.maps_lost"
/* threads of running processes whose events could be opened only after recording had begun */
#define KEY_END_THREADS_LATE "end.threads_late"
/* threads of dying processes whose stacks are in the trace, and those that had no room */
#define KEY_END_DEATHS      "end.deaths"
#define KEY_END_DEATHS_LOST "end.deaths_lost"
/* samples with a label that was too long, was cut and ends in "..." */
#define KEY_END_LABELS_CUT "end.labels_cut"
/* Samples taken before the process's executable was known. Their stacks were walked by frame
 * pointer alone, and they have no goroutine and no labels. */
#define KEY_END_SAMPLES_NO_BINARY "end.samples_no_binary"
/* With --wall: the number of snapshots. The next three are sums over all snapshots. DRAWN:
 * goroutines whose state was read. LISTED: goroutines in the runtime's list. TORN: read goroutines
 * that kept changing. RUNNING_NS: the time of goroutines that ran. IDLE_NS: the time in which
 * goroutines of Go's runtime waited for work. NOT_GO: processes without snapshots. */
#define KEY_END_SNAPSHOTS            "end.snapshots"
#define KEY_END_SNAPSHOTS_DRAWN      "end.snapshots_drawn"
#define KEY_END_SNAPSHOTS_LISTED     "end.snapshots_listed"
#define KEY_END_SNAPSHOTS_TORN       "end.snapshots_torn"
#define KEY_END_SNAPSHOTS_RUNNING_NS "end.snapshots_running_ns"
#define KEY_END_SNAPSHOTS_IDLE_NS    "end.snapshots_idle_ns"
#define KEY_END_SNAPSHOTS_NS         "end.snapshots_ns"     /* the time up to the last one */
#define KEY_END_SNAPSHOTS_GAP_NS     "end.snapshots_gap_ns" /* the longest time between two */
#define KEY_END_SNAPSHOTS_NOT_GO     "end.snapshots_not_go"
/* processes whose memory did not answer */
#define KEY_END_SNAPSHOTS_SILENT "end.snapshots_silent"
/* the corresponding numbers of threads that execute no goroutines */
#define KEY_END_THREADS_SNAPSHOTS  "end.threads_snapshots"
#define KEY_END_THREADS_DRAWN      "end.threads_drawn"
#define KEY_END_THREADS_LISTED     "end.threads_listed"
#define KEY_END_THREADS_TORN       "end.threads_torn"
#define KEY_END_THREADS_RUNNING_NS "end.threads_running_ns"
/* the kernel's account of the sampled threads' processor time while they were recorded */
#define KEY_END_SAMPLED_CPU_NS "end.sampled_cpu_ns"

/* ---- the selection; lists have one key an entry: PREFIX.0, PREFIX.1, ... */
#define KEY_SELECT_PACKAGE  "select.package"  /* list: -p */
#define KEY_SELECT_FUNCTION "select.function" /* list: -f */
#define KEY_SELECT_EXCLUDE  "select.exclude"  /* list: -x */
#define KEY_SELECT_KEY      "select.key"
#define KEY_SELECT_PRESETS  "select.presets"  /* the given ones of "waits,net,db" */
#define KEY_SELECT_WRAPPERS "select.wrappers" /* 1: with --wrappers */
#define KEY_PLAN_SELECTED   "plan.selected"   /* number of functions selected */
#define KEY_PLAN_PROBED     "plan.probed"     /* selected functions that are probed */
#define KEY_PLAN_INLINED    "plan.inlined"    /* selected functions inlined away somewhere */
#define KEY_PLAN_FATE       "plan.fate."      /* + plan_fate_name: functions with that fate */

/* ---- the part that gets into the trace */
#define KEY_KEEP_DEPTH    "keep.depth"    /* only calls inside fewer others */
#define KEY_KEEP_TRIGGER  "keep.trigger"  /* list: only events inside these functions */
#define KEY_KEEP_ONE_IN   "keep.one_in"   /* only one of so many of their outermost calls */
#define KEY_KEEP_DELAY_NS "keep.delay_ns" /* only events after that time */
#define KEY_KEEP_LAST     "keep.last"     /* only the last events: time or size, as given */
#define KEY_KEEP_WHEN     "keep.when"     /* ... written when this holds, as given */
#define KEY_KEEP_RESTS    "keep.rests"    /* 1: probes rested while recording was off */
#define KEY_KEEP_TOGGLE   "keep.toggle"   /* off or on at the start; signals switch it */

/* ---- the probes */
#define KEY_PROBE_STRATEGY     "probe.strategy" /* thesis, emulated, springboard or inline */
#define KEY_PROBE_WHY          "probe.why"      /* a clause: the reason for that strategy */
#define PROBE_WHY_ASKED        "asked for"
#define KEY_PROBE_RET          "probe.ret"          /* RET_*: how a probed RET is executed */
#define KEY_ATTACH_KIND        "attach.kind"        /* multi or perf: the kind of uprobes */
#define KEY_ATTACH_OPEN_TO_ALL "attach.open_to_all" /* 1: other processes hit the probes too */
#define KEY_ATTACH_TIME_NS     "attach.time_ns"     /* time it took to attach the probes */
#define KEY_RING_BYTES         "ring.bytes"         /* size of one CPU's ring buffer */

#define KEY_INLINE_RINGS      "inline.rings"      /* rings of inline stubs, one for each P */
#define KEY_INLINE_RING_BYTES "inline.ring_bytes" /* size of each */
#define KEY_INLINE_OVERFLOW   "inline.overflow"   /* throttle or drop, when a ring is full */
/* The most that probing may take of the processor time; 0.2 is a fifth. */
#define KEY_MAX_COST "max_cost"

/* The share of the processor time above which a function was released for its traps; 0.05 is a
 * twentieth. It holds when no share was given. */
#define KEY_MAX_COST_TRAPS "max_cost.traps"

#define KEY_STATES        "states"        /* 1: the trace has EV_STATE and EV_WAKE */
#define KEY_STATES_REASON "states.reason" /* list: texts of the reasons, by their numbers */
#define KEY_STATES_SITES  "states.sites"  /* functions of the runtime probed for them, and how */

/* OFF_CPU_TOLD: events report when a goroutine ran and its thread had no processor. Otherwise a
 * clause with the reason why they do not. */
#define KEY_STATES_OFF_CPU "states.off_cpu"
#define OFF_CPU_TOLD       "told"

#define KEY_SUMMARY         "summary"         /* SUMMARY_*: a summary has counts and sums */
#define KEY_MIN_DURATION_NS "min_duration_ns" /* single calls have at least this duration */

#define SUMMARY_ALONE "alone" /* the trace has no events */
#define SUMMARY_CALLS "calls" /* the trace has events of some calls */

#define RET_PERFORMED "performed" /* the BPF program performs it, one trap */
#define RET_STEPPED   "stepped"   /* the kernel steps over it, two traps */

/* ---- the measured cost of one event, ns, for each way in which the kernel executes the probed
 * instruction */
#define KEY_COST_EMULATED_NS "cost.emulated_ns" /* the kernel emulates it */
#define KEY_COST_STEP_NS     "cost.step_ns"     /* the kernel single-steps it */
#define KEY_COST_JUMP_NS     "cost.jump_ns"     /* the kernel emulates a stub's jump */
#define KEY_COST_NOP_NS      "cost.nop_ns"      /* a stub's nop, replaced by a call */
#define KEY_COST_RET_NS      "cost.ret_ns"      /* the BPF program performs a RET */

#define KEY_COST_BEFORE_NS "cost.before_ns" /* the part of a trap before its time stamp */
/* how much slower code is after a trap, and after a single step */
#define KEY_COST_AFTER_NS      "cost.after_ns"
#define KEY_COST_AFTER_STEP_NS "cost.after_step_ns"
#define KEY_COST_INLINE_NS     "cost.inline_ns" /* a stub writes the event without a trap */

/* ---- warnings: every key with this prefix is a sentence that every report repeats */
#define KEY_WARN                "warn."
#define KEY_WARN_RINGS          KEY_WARN "rings"  /* a ring of inline stubs was disabled */
#define KEY_WARN_STUBS          KEY_WARN "stubs"  /* some sites could not be moved to stubs */
#define KEY_WARN_FILES          KEY_WARN "files"  /* files of images could not be kept open */
#define KEY_WARN_MEMORY         KEY_WARN "memory" /* gotrace dropped data to stay within its limit */
#define KEY_WARN_REFUSED        KEY_WARN "symbols.refused" /* for that reason files were not read */
#define KEY_WARN_SYMBOLS        KEY_WARN "symbols"         /* addresses of samples have no name */
#define KEY_WARN_KERNEL_SYMBOLS KEY_WARN "kernel_symbols"  /* the kernel hides its symbols */
#define KEY_WARN_LEFT_ALONE     KEY_WARN "left_alone" /* functions in another gotrace's stubs */
#define KEY_WARN_LOAD           KEY_WARN "load"       /* a few functions' sites cost most */
#define KEY_WARN_IMAGE          KEY_WARN "image" /* an image that the process executed was not patched */
#define KEY_WARN_LABELS         KEY_WARN "labels"    /* some samples' labels are not known */
#define KEY_WARN_PROCESSES      KEY_WARN "processes" /* some processes were not sampled */
#define KEY_WARN_THREADS        KEY_WARN "threads"   /* some threads were sampled late */
#define KEY_WARN_CPUS           KEY_WARN "cpus"      /* some CPUs were sampled late */
#define KEY_WARN_LOST_OF        KEY_WARN "lost_of"  /* it is not known which process lost samples */
#define KEY_WARN_LEFT_OUT       KEY_WARN "left_out" /* profiles of a store cannot be read */
#define KEY_WARN_CUT            KEY_WARN "cut"      /* profiles of a store were cut off */
#define KEY_WARN_MAPS           KEY_WARN "maps"     /* some mappings are not known */
#define KEY_WARN_NATIVES        KEY_WARN "natives"  /* no room for all unwinding tables */
#define KEY_WARN_FRAMES         KEY_WARN "frames"   /* Python frames were lost */
#define KEY_WARN_DEATHS         KEY_WARN "deaths"   /* stacks of threads that died are missing */
#define KEY_WARN_TEXT           KEY_WARN "text"     /* probes were gone from the program's text */
/* the program wrote other code over probes */
#define KEY_WARN_REPLACED KEY_WARN "replaced"

/* ---- the end; stated right before the trace's end record */
#define KEY_END_REASON           "end.reason"           /* REASON_* */
#define KEY_END_STATUS           "end.status"           /* its exit status, if launched */
#define KEY_END_SIGNAL           "end.signal"           /* number of the signal that killed it */
#define KEY_END_TARGET_WALL_NS   "end.target_wall_ns"   /* from its exec to its end */
#define KEY_END_TARGET_CPU_NS    "end.target_cpu_ns"    /* processor time while recorded */
#define KEY_END_TARGET_SYSTEM_NS "end.target_system_ns" /* the part of it in the kernel */
#define KEY_END_OWN_CPU_NS       "end.own_cpu_ns"       /* gotrace's processor time meanwhile */
/* the time, of all threads together, in which threads of the target would run but had no
 * processor */
#define KEY_END_TARGET_RUN_DELAY_NS "end.target_run_delay_ns"
/* how often they got a processor meanwhile */
#define KEY_END_TARGET_RUN_DELAYS "end.target_run_delays"
/* The times, of all processors of the machine together, in which they executed something and in
 * which they had nothing to do. */
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
#define KEY_END_SAMPLES_EARLY         "end.samples_early" /* samples whose process was not known yet */
/* begin and end of the time in which samples were taken, in CLOCK_REALTIME */
#define KEY_END_STRETCH_FROM_NS "end.stretch_from_ns"
#define KEY_END_STRETCH_TO_NS   "end.stretch_to_ns"
#define KEY_END_DETACH_NS       "end.detach_ns" /* time it took to detach the probes */
/* the time from gotrace's start until recording began, and its parts: "plan_ns" ... */
#define KEY_END_SET_UP_NS "end.set_up_ns"
#define KEY_END_PHASE     "end.phase."
#define KEY_END_PATCH_NS  "end.patch_ns" /* time for which the exec was held for the stubs */
/* For a running process, the stops of all its threads to change its text: the longest one, their
 * number and their sum. Then the stops to change it back. */
#define KEY_END_PAUSE_NS              "end.pause_ns"
#define KEY_END_PAUSES                "end.pauses"
#define KEY_END_PAUSE_SUM_NS          "end.pause_sum_ns"
#define KEY_END_PUT_BACK_PAUSE_NS     "end.put_back_pause_ns"
#define KEY_END_PUT_BACK_PAUSES       "end.put_back_pauses"
#define KEY_END_PUT_BACK_PAUSE_SUM_NS "end.put_back_pause_sum_ns"
#define KEY_END_STUBS                 "end.stubs" /* number of sites probed in a stub */
#define KEY_END_STUBS_LEFT            "end.stubs_left" /* sites planned in a stub but probed in the text */
#define KEY_END_IMAGES                "end.images" /* process images seen (runtime.main entered) */
#define KEY_END_CHILDREN              "end.children" /* processes that the target started */
#define KEY_END_EXECS                 "end.execs"    /* programs that it executed, with the first */
/* how often it executed the traced binary and no event was recorded */
#define KEY_END_MISSED_IMAGES "end.missed_images"
/* The number of checks of the text. Then the most probes that were gone from it, and the most that
 * the program had overwritten with other code. */
#define KEY_END_TEXT_LOOKS   "end.text_looks"
#define KEY_END_TEXT_GONE    "end.text_gone"
#define KEY_END_REPLACED     "end.text_replaced"
#define KEY_END_LAYOUT_WRONG "end.layout_wrong" /* 1: events contradict the offsets in g, m */

#define KEY_END_EVENTS          "end.events"          /* number of events recorded */
#define KEY_END_EVENTS_EMULATED "end.events_emulated" /* by class, as in cost.*_ns */
#define KEY_END_EVENTS_STEP     "end.events_step"
#define KEY_END_EVENTS_JUMP     "end.events_jump"
#define KEY_END_EVENTS_NOP      "end.events_nop"
#define KEY_END_EVENTS_RET      "end.events_ret"
#define KEY_END_EVENTS_INLINE   "end.events_inline"
#define KEY_END_EVENTS_VALUES   "end.events_values" /* traps that also read values */
#define KEY_END_VALUES_NS       "end.values_ns" /* the time to read these values, without the traps */
#define KEY_END_WINDOW_NS       "end.window_ns"     /* with keep.last, the time in the trace */
#define KEY_END_WINDOW_EVENTS   "end.window_events" /* with keep.last, its events */
#define KEY_END_WINDOW_FULL     "end.window_full"   /* 1: the wanted time had no room */
#define KEY_END_KEPT            "end.kept"          /* events in the trace, see keep.* */
#define KEY_END_TRIGGER_SEEN    "end.trigger_seen"  /* outermost calls of the trigger */
#define KEY_END_TRIGGER_KEPT    "end.trigger_kept"  /* the recorded ones of these */
#define KEY_END_LOST_EVENTS     "end.lost_events"   /* number of events lost */
#define KEY_END_LOST_RECORDS    "end.lost_records"  /* EV_LOSS records that report them */
/* hits that the BPF program did not record */
#define KEY_END_DROPPED_SIGNAL_STACK  "end.dropped_signal_stack"  /* on a signal stack */
#define KEY_END_DROPPED_OUTSIDE_STACK "end.dropped_outside_stack" /* rsp outside the stack of g */
#define KEY_END_DROPPED_FAULT         "end.dropped_fault"         /* g could not be read */
/* switches of threads that no event reports */
#define KEY_END_OFF_CPU_MISSED "end.off_cpu_missed"
/* the time in which threads of the target would have run but gotrace had their processor */
#define KEY_END_OFF_CPU_GOTRACE_NS "end.off_cpu_gotrace_ns"

/* numbers of inline stubs */
#define KEY_END_INLINE_TRAPS        "end.inline_traps"    /* traps for want of room or a ring */
#define KEY_END_RELEASED            "end.released"        /* released functions, see KEY_MAX_COST */
#define KEY_END_RELEASED_HITS       "end.released_hits"   /* their hits after that */
#define KEY_END_RING_MOST_BYTES     "end.ring_most_bytes" /* most bytes that waited in a ring */
#define KEY_END_RING_LATE           "end.ring_late"       /* events after their time */
#define KEY_END_RINGS_DISABLED      "end.rings_disabled"  /* rings with impossible contents */
#define KEY_END_SIGNALS_IN_STUBS    "end.signals_in_stubs"    /* signals while pc was in a stub */
#define KEY_END_SIGNALS_ROLLED_BACK "end.signals_rolled_back" /* those that restarted an event */
#define KEY_END_STUB_FAULTS         "end.stub_faults"    /* faults while a stub wrote an event */
#define KEY_END_CLOCK_WORST_NS      "end.clock_worst_ns" /* largest difference of the clocks */
#define KEY_END_CLOCK_JUMPS         "end.clock_jumps"    /* how often it was too large */

/* Values of end.reason, the reason why recording ended. */
#define REASON_EXITED      "exited"      /* the program ended */
#define REASON_INTERVAL    "interval"    /* samples go on in another trace */
#define REASON_DURATION    "duration"    /* --duration */
#define REASON_SIZE        "size"        /* --max-size */
#define REASON_INTERRUPTED "interrupted" /* a signal to gotrace */
#define REASON_WRITE_ERROR "write-error" /* the trace could not be written any further */
#define REASON_NOT_STARTED "not-started" /* the command could not be executed */
#define REASON_WHEN        "when"        /* --when held for the last time */
#define REASON_WINDOW      "window"      /* this is a part of a longer recording (--keep-last) */
#define REASON_COST        "cost"        /* --max-cost could not be kept */
#define REASON_FAILED      "failed"      /* gotrace could not wait for the program any longer */

#endif
