/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signals to gotrace. With --pid they end the recording. A launched command is to get each of them
 * once.
 *
 * Many senders have reached the command already. Ctrl-C goes to the terminal's foreground process
 * group, `kill 0` and timeout(1) to their own group, systemd to each process of the unit. Others
 * signal gotrace alone: a script's `kill $!`, a supervisor, sudo. siginfo does not distinguish the
 * two kinds. So BPF programs watch the senders and receivers of signals (signal_watch.h).
 */
#ifndef GOTRACE_SIGNALS_H
#define GOTRACE_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "attach/probes/signal_watch.h"
#include "attach/target/target.h"
#include "base/side_job.h"

/* A signal for the command, unless the command turns out to have it. */
struct signal_waiting {
	uint64_t due_ns; /* CLOCK_MONOTONIC; 0: none waits */
	/* If the same sender has sent it to the command after this time, the command has it. */
	uint64_t since_ns;
	uint32_t sender; /* 0: the kernel */
};

struct signals {
	int fd; /* signalfd of the handled signals, all blocked; readable: signals_take */
	bool launches;
	uint32_t ignored; /* bit N: signal N was ignored when gotrace started */
	struct signal_watch watch;
	struct side_job watching; /* opens `watch`, from signals_watch_early on */
	/* Bit N: `watch` reports signal N. 0: it is not open. */
	uint32_t watched;
	struct signal_waiting waiting[32]; /* by signal */
	uint64_t interrupt_ns;             /* time of the last SIGINT */
	uint32_t interrupt_sender;
	/* Bit N: signal N is for gotrace, which calls on_own with it. on_own may be set later. */
	uint32_t own;
	void (*on_own)(void *ctx, int signo);
	void *own_ctx;
	int end_signal; /* the signal for which signals_take returned true */
	uint32_t came;  /* bit N: signal N has come and does not stay ignored */
};

/* Begins to open the watch of signals, which takes a while. The caller calls it before
 * signals_open(s, true, own). It takes no signals. *s is zeroed but for fd. */
void signals_watch_early(struct signals *s, uint32_t own);

/*
 * Blocks and takes SIGINT, SIGTERM, SIGHUP and SIGQUIT. With `launches`, it also takes SIGUSR1 and
 * SIGUSR2, and the caller calls it before it launches the command.
 *
 * An ignored signal (nohup, a background job of a script) is passed on like others, because the
 * command may handle it. But it ends no recording. If a script sends SIGINT or SIGQUIT itself to
 * its background job, the signal counts as not ignored.
 *
 * `own`: for bit N, signal N is taken in any case. It is not passed on and ends nothing. *s is
 * zeroed but for fd, or filled in by signals_watch_early. Returns 0 or -errno (logged).
 */
int signals_open(struct signals *s, bool launches, uint32_t own);

/*
 * Takes the signals that have come. Returns true if the recording is to end, by end_signal. With
 * --pid any signal ends it. A command decides for itself what a signal does, so with a command only
 * Ctrl-C twice in a row ends it.
 */
bool signals_take(struct signals *s, const struct target *t);

/* Passes on signals that are due: gotrace got them, and their sender has not sent them to the
 * command. */
void signals_pass_on(struct signals *s, const struct target *t);

/* Returns the time until a signal is due, at most `most_ms`. -1: no limit. */
int signals_wait_ms(const struct signals *s, int most_ms);

void signals_close(struct signals *s);

#endif
