/* SPDX-License-Identifier: BSD-2-Clause */
/* Who else was sent a signal that reached gotrace: its launched command too? */
#ifndef GOTRACE_SIGNAL_WATCH_H
#define GOTRACE_SIGNAL_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/event.h"

struct signal_watch {
	struct bpf_object *object;
	struct bpf_link *fork, *signal;
	struct signals_state *state; /* shared with the programs; NULL: nothing is seen */
};

/* Watches signals (bit N: signal N) to this process and to the one that it launches next. Where the
 * kernel has no type information (BTF), or refuses the programs, nothing is seen; only a debug line
 * is logged. */
void signal_watch_open(struct signal_watch *w, uint32_t signals);

/* Around the fork of the command. */
void signal_watch_launching(struct signal_watch *w, bool now);

/*
 * When `sender` (si_pid, 0: the kernel) last sent this process `signo`, CLOCK_MONOTONIC ns; 0: it
 * is not known. Whoever sends to a whole process group has to be waited for (signals.c).
 */
uint64_t signal_watch_received_ns(const struct signal_watch *w, int signo, uint32_t sender);

/* Whether the same sender has sent it to the launched command as well, since `since_ns`. */
bool signal_watch_target_got(const struct signal_watch *w, int signo, uint32_t sender,
			     uint64_t since_ns);

void signal_watch_close(struct signal_watch *w);

#endif
