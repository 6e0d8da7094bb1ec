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

/* ---- the selection; lists have one key an entry: PREFIX.0, PREFIX.1, ... */
#define KEY_SELECT_PACKAGE  "select.package"  /* list: -p */
#define KEY_SELECT_FUNCTION "select.function" /* list: -f */
#define KEY_SELECT_EXCLUDE  "select.exclude"  /* list: -x */
#define KEY_SELECT_PRESETS  "select.presets"  /* "waits,net,db": of those that were given */
#define KEY_SELECT_WRAPPERS "select.wrappers" /* 1: with --wrappers */
#define KEY_PLAN_SELECTED   "plan.selected"   /* number of functions selected */
#define KEY_PLAN_PROBED     "plan.probed"     /* of them probed */
#define KEY_PLAN_INLINED    "plan.inlined"    /* selected functions inlined away somewhere */
#define KEY_PLAN_FATE       "plan.fate."      /* + plan_fate_name: functions not probed for it */

/* ---- the probes */
#define KEY_PROBE_STRATEGY     "probe.strategy"     /* thesis, emulated, springboard or inline */
#define KEY_PROBE_WHY          "probe.why"          /* why that strategy: a clause */
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

#define RET_PERFORMED "performed" /* the BPF program performs it, one trap */
#define RET_STEPPED   "stepped"   /* the kernel steps over it, two traps */

/* ---- what one event costs, ns, measured; by how the kernel executes the probed instruction */
#define KEY_COST_EMULATED_NS "cost.emulated_ns" /* it emulates it */
#define KEY_COST_STEP_NS     "cost.step_ns"     /* it single-steps it */
#define KEY_COST_JUMP_NS     "cost.jump_ns"     /* it emulates a stub's jump */
#define KEY_COST_NOP_NS      "cost.nop_ns"      /* a stub's nop, replaced by a call */
#define KEY_COST_RET_NS      "cost.ret_ns"      /* the BPF program performs a RET */

#define KEY_COST_BEFORE_NS "cost.before_ns" /* of a trap: how much is before the time stamp */
#define KEY_COST_INLINE_NS "cost.inline_ns" /* a stub writes the event itself: no trap */

/* ---- warnings: every key with this prefix is a sentence that every report repeats */
#define KEY_WARN            "warn."
#define KEY_WARN_RINGS      KEY_WARN "rings"      /* a ring of inline stubs was disabled */
#define KEY_WARN_STUBS      KEY_WARN "stubs"      /* some sites could not be moved to stubs */
#define KEY_WARN_LEFT_ALONE KEY_WARN "left_alone" /* functions in another gotrace's stubs */
#define KEY_WARN_LOAD       KEY_WARN "load"       /* a few functions' sites were dear to probe */
#define KEY_WARN_IMAGE      KEY_WARN "image" /* an image that the process executed was not patched */

/* ---- the end; stated right before the trace's end record */
#define KEY_END_REASON           "end.reason"           /* REASON_* */
#define KEY_END_STATUS           "end.status"           /* exit status of the launched program */
#define KEY_END_SIGNAL           "end.signal"           /* number of the signal that killed it */
#define KEY_END_TARGET_WALL_NS   "end.target_wall_ns"   /* from its exec to its end */
#define KEY_END_TARGET_CPU_NS    "end.target_cpu_ns"    /* processor time it took while recorded */
#define KEY_END_TARGET_SYSTEM_NS "end.target_system_ns" /* the part of it in the kernel */
#define KEY_END_TIME_NS          "end.time_ns"          /* CLOCK_MONOTONIC when recording ended */
#define KEY_END_DETACH_NS        "end.detach_ns"        /* time it took to detach the probes */
#define KEY_END_PATCH_NS         "end.patch_ns" /* how long the exec was held for the stubs */
/* of a running process: the longest that all its threads were stopped to change its text, how
 * often, and the longest to change it back */
#define KEY_END_PAUSE_NS          "end.pause_ns"
#define KEY_END_PAUSES            "end.pauses"
#define KEY_END_PUT_BACK_PAUSE_NS "end.put_back_pause_ns"
#define KEY_END_STUBS             "end.stubs"      /* number of sites probed in a stub */
#define KEY_END_STUBS_LEFT        "end.stubs_left" /* sites meant for one, probed in the text */
#define KEY_END_IMAGES            "end.images"     /* process images seen (runtime.main entered) */
#define KEY_END_CHILDREN          "end.children"   /* processes that the target started */
#define KEY_END_EXECS             "end.execs"      /* programs it executed, the first included */
/* of them of the traced binary, and not recorded */
#define KEY_END_MISSED_IMAGES "end.missed_images"
#define KEY_END_LAYOUT_WRONG  "end.layout_wrong" /* 1: events contradict the offsets in g, m */

#define KEY_END_EVENTS          "end.events"          /* number of events recorded */
#define KEY_END_EVENTS_EMULATED "end.events_emulated" /* of them, by class as in cost.*_ns */
#define KEY_END_EVENTS_STEP     "end.events_step"
#define KEY_END_EVENTS_JUMP     "end.events_jump"
#define KEY_END_EVENTS_NOP      "end.events_nop"
#define KEY_END_EVENTS_RET      "end.events_ret"
#define KEY_END_EVENTS_INLINE   "end.events_inline"
#define KEY_END_LOST_EVENTS     "end.lost_events"  /* number of events lost */
#define KEY_END_LOST_RECORDS    "end.lost_records" /* EV_LOSS records that say so */
/* hits that the BPF program did not record */
#define KEY_END_DROPPED_SIGNAL_STACK  "end.dropped_signal_stack"  /* on a signal stack */
#define KEY_END_DROPPED_OUTSIDE_STACK "end.dropped_outside_stack" /* rsp outside the stack of g */
#define KEY_END_DROPPED_FAULT         "end.dropped_fault"         /* g could not be read */

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
#define REASON_DURATION    "duration"    /* --duration */
#define REASON_SIZE        "size"        /* --max-size */
#define REASON_INTERRUPTED "interrupted" /* a signal to gotrace */
#define REASON_WRITE_ERROR "write-error" /* the trace could not be written any further */
#define REASON_NOT_STARTED "not-started" /* the command could not be executed */
#define REASON_FAILED      "failed"      /* gotrace could not wait for it any longer */

#endif
