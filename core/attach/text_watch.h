/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks that the probes are still in the text of the traced process. A program can remap its text,
 * drop its pages by madvise or write over them. This removes probes without any notice, and calls
 * are missing from then on. So gotrace looks at the text now and then, and at the end. If the
 * program writes other code there, like libraries for mocking, calls go where that code leads.
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
	/* by function of the plan, true if its probes are gone; may be NULL */
	const bool *released;
	pid_t pid;
	int exe_fd; /* the binary */
	/* found out */
	struct text_patch text; /* text of the image; its plan is NULL before it is open */
	bool patched;           /* the image has the jumps to stubs */
	size_t next;            /* start of the next look */
	unsigned looks;
	uint64_t start_ns, next_ns, apart_ns; /* clock_monotonic_ns */
	/* Numbers of probes that were found missing, and of those with other code written over
	 * them. 0: none so far. */
	size_t n_gone, n_replaced;
	/* Sentences with their functions. */
	char gone[TEXT_WATCH_SENTENCE], replaced[TEXT_WATCH_SENTENCE];
};

/* Notes that the present image of the process is about to get the jumps to stubs. The process must
 * not run, or must not execute another image, before its jumps are written. */
void text_watch_patched(struct text_watch *w);

/* Notes that recording begins. The first look follows soon. */
void text_watch_start(struct text_watch *w, uint64_t now_ns);

/* Returns the longest time until the next look in ms, at most `ms`. */
int text_watch_wait_ms(const struct text_watch *w, uint64_t now_ns, int ms);

/* Looks at some of the probes in turn, if a look is due. If one is missing, looks at all of them
 * and prints the result once, on stderr. */
void text_watch_look(struct text_watch *w, uint64_t now_ns);

/* Looks at all probes before any is removed. Does nothing if the process has ended. */
void text_watch_end(struct text_watch *w, uint64_t now_ns);

/* Adds the results to the keys of the end. Returns 0 or -ENOMEM. */
int text_watch_describe(const struct text_watch *w, struct trace_info *end);

void text_watch_close(struct text_watch *w);

#endif
