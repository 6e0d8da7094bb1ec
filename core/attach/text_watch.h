/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether the probes are still in the text of the traced process. A program that remaps its text,
 * drops its pages by madvise or writes over them takes the probes away without anybody being told:
 * calls are missing from then on. So the text is looked at every now and then, and at the end.
 * Where it writes other code there, as libraries for mocking do, calls go where that leads.
 */
#ifndef GOTRACE_TEXT_WATCH_H
#define GOTRACE_TEXT_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/probing.h"
#include "attach/target/text_patch.h"
#include "trace/trace.h"

#define TEXT_WATCH_SENTENCE 512

struct text_watch {
	/* given; pointers are borrowed */
	const struct probing *probing;
	const bool *released; /* by function of the plan: its probes are gone; NULL: none is */
	pid_t pid;
	int exe_fd; /* the binary */
	/* found out */
	struct text_patch text; /* of the image; plan NULL: not open */
	bool patched;           /* the image is the one that has the jumps to stubs */
	size_t next;            /* where the next look begins */
	unsigned looks;
	uint64_t start_ns, next_ns, apart_ns; /* clock_monotonic_ns */
	/* probes that were found missing, and those that other code was written over; 0: none ever
	 */
	size_t n_gone, n_replaced;
	char gone[TEXT_WATCH_SENTENCE], replaced[TEXT_WATCH_SENTENCE]; /* which */
};

/* The image that the process executes now is about to get the jumps to stubs. It must not run, or
 * not have executed another image before its jumps are written. */
void text_watch_patched(struct text_watch *w);

/* Recording begins; the first look is soon. */
void text_watch_start(struct text_watch *w, uint64_t now_ns);

/* The longest that may be waited until the next look, ms; `ms` or less. */
int text_watch_wait_ms(const struct text_watch *w, uint64_t now_ns, int ms);

/* Looks at some of the probes when it is time, in turn, and at all of them when one is missing;
 * says so, once, on stderr. */
void text_watch_look(struct text_watch *w, uint64_t now_ns);

/* Looks at all of them, before any is taken out; nothing when the process has ended. */
void text_watch_end(struct text_watch *w, uint64_t now_ns);

/* Adds what was found to the end's keys. 0 or -ENOMEM. */
int text_watch_describe(const struct text_watch *w, struct trace_info *end);

void text_watch_close(struct text_watch *w);

#endif
