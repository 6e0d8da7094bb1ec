/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds out whether a signal that reached gotrace was also sent to its launched command. */
#ifndef GOTRACE_SIGNAL_WATCH_H
#define GOTRACE_SIGNAL_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/event.h"

struct signal_watch {
	struct bpf_object *object;
	struct bpf_link *fork, *signal;
	struct signals_state *state; /* shared with the programs; NULL if they are not loaded */
};

/* Watches signals (bit N: signal N) to gotrace and to the process that it launches next. If the
 * kernel has no type information (BTF) or refuses the programs, it logs a debug line and sees no
 * signals. */
void signal_watch_open(struct signal_watch *w, uint32_t signals);

/* The caller calls it before (now true) and after (now false) the fork of the command. */
void signal_watch_launching(struct signal_watch *w, bool now);

/*
 * Returns the time (CLOCK_MONOTONIC, ns) at which `sender` last sent `signo` to gotrace, or 0 if it
 * is not known. sender is si_pid, and 0 means the kernel. The caller must first wait for a sender
 * to a whole process group (signals.c).
 */
uint64_t signal_watch_received_ns(const struct signal_watch *w, int signo, uint32_t sender);

/* Returns true if the same sender has also sent it to the launched command since `since_ns`. */
bool signal_watch_target_got(const struct signal_watch *w, int signo, uint32_t sender,
			     uint64_t since_ns);

void signal_watch_close(struct signal_watch *w);

#endif
