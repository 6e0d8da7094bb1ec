/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signals to gotrace. With --pid they end the recording; a launched command is to get them, each
 * once. Many senders have reached it already: Ctrl-C goes to the terminal's foreground process
 * group, `kill 0` and timeout(1) to their own, systemd to each process of the unit. Others signal
 * gotrace alone: a script's `kill $!`, a supervisor, sudo. siginfo does not tell them apart, so
 * BPF programs watch who was sent what (signal_watch.h).
 */
#ifndef GOTRACE_SIGNALS_H
#define GOTRACE_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "attach/probes/signal_watch.h"
#include "attach/target/target.h"
#include "base/side_job.h"

/* A signal that the command is to get, if it does not turn out that it has. */
struct signal_waiting {
	uint64_t due_ns;   /* CLOCK_MONOTONIC; 0: none waits */
	uint64_t since_ns; /* the command was sent it after that by the same sender: it has it */
	uint32_t sender;   /* 0: the kernel */
};

struct signals {
	int fd; /* signalfd of those that are handled, all blocked; readable: signals_take */
	bool launches;
	uint32_t ignored; /* bit N: signal N was ignored when gotrace started */
	struct signal_watch watch;
	struct side_job watching;          /* opens it, from signals_watch_early on */
	uint32_t watched;                  /* bit N: it tells of signal N; 0: it is not open */
	struct signal_waiting waiting[32]; /* by signal */
	uint64_t interrupt_ns;             /* when SIGINT came last */
	uint32_t interrupt_sender;
	/* bit N: signal N is meant for gotrace, on_own is called with it; may be set later */
	uint32_t own;
	void (*on_own)(void *ctx, int signo);
	void *own_ctx;
	int end_signal; /* that signals_take has returned true for */
	uint32_t came;  /* bit N: signal N has come, and not to stay ignored */
};

/* Begins to look who is sent what, which takes a while, before signals_open(s, true, own) and
 * without taking any. *s is zeroed but for fd. */
void signals_watch_early(struct signals *s, uint32_t own);

/*
 * Blocks and takes SIGINT, SIGTERM, SIGHUP and SIGQUIT, with `launches`, before a command is
 * launched, SIGUSR1 and SIGUSR2 as well. One that was ignored (nohup, a background job of a script)
 * is passed on like others, since the command may want it nevertheless, but ends no recording; a
 * script that sends SIGINT or SIGQUIT by itself to its background job means it. `own`: bit
 * N: signal N is taken in any case, passed on to nobody and ends nothing. *s is zeroed but for fd,
 * or as signals_watch_early left it. 0 or -errno (logged).
 */
int signals_open(struct signals *s, bool launches, uint32_t own);

/*
 * Takes the signals that have come. True: the recording is to end, by end_signal. That is any with
 * --pid; with a command, which decides for itself what a signal does, only Ctrl-C twice in a row.
 */
bool signals_take(struct signals *s, const struct target *t);

/* Passes on what is due: gotrace got it, and nobody has sent it to the command. */
void signals_pass_on(struct signals *s, const struct target *t);

/* How long to wait for something to be due: `most_ms` or less; -1: for ever. */
int signals_wait_ms(const struct signals *s, int most_ms);

void signals_close(struct signals *s);

#endif
