// SPDX-License-Identifier: BSD-2-Clause
#include "attach/signals.h"

#include <errno.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

#define MS 1000000ull

/* A second Ctrl-C within this time of the first means gotrace, not the command. */
#define SECOND_INTERRUPT_NS (2000 * MS)

/*
 * What one sender sends within this time is one request: timeout(1) signals its child and then its
 * process group, systemd each process of a unit.
 */
#define ONE_REQUEST_NS (200 * MS)

static const int taken[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2 };
#define TAKEN_ALWAYS 4 /* the first ones; the rest when a command is launched */

#define BIT(signo) (1u << (signo))

static bool is_taken(size_t i, bool launches, uint32_t own)
{
	return i < TAKEN_ALWAYS || launches || (own & BIT(taken[i]));
}

static uint32_t all_taken(bool launches, uint32_t own)
{
	uint32_t all = 0;

	for (size_t i = 0; i < sizeof(taken) / sizeof(*taken); i++)
		if (is_taken(i, launches, own))
			all |= BIT(taken[i]);
	return all;
}

static void open_watch(void *ctx)
{
	struct signals *s = ctx;

	signal_watch_open(&s->watch, s->watched);
}

void signals_watch_early(struct signals *s, uint32_t own)
{
	s->watched = all_taken(true, own) & ~own;
	side_job_begin(&s->watching, open_watch, s);
}

int signals_open(struct signals *s, bool launches, uint32_t own)
{
	struct sigaction was;
	sigset_t set;

	side_job_end(&s->watching);
	*s = (struct signals){
		.fd = -1, .launches = launches, .own = own, .watch = s->watch, .watched = s->watched
	};
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(taken) / sizeof(*taken); i++) {
		if (!is_taken(i, launches, own))
			continue;
		/* A blocked signal is not dropped when it is ignored: signalfd has it. */
		sigaddset(&set, taken[i]);
		if (!sigaction(taken[i], NULL, &was) && was.sa_handler == SIG_IGN)
			s->ignored |= BIT(taken[i]);
	}
	sigprocmask(SIG_BLOCK, &set, NULL);
	s->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->fd < 0) {
		int err = -errno;

		log_error("signals cannot be read: %s", strerror(-err));
		return err;
	}
	if (launches && !s->watched) {
		s->watched = all_taken(launches, own) & ~own;
		open_watch(s);
	}
	return 0;
}

/* Whether a signal that was ignored from the start stays so. The shell of a script does that to
 * SIGINT and SIGQUIT in a background job, for those from the terminal. */
static bool stays_ignored(const struct signals *s, const struct signalfd_siginfo *i)
{
	bool by_shell = i->ssi_signo == SIGINT || i->ssi_signo == SIGQUIT;

	return (s->ignored & BIT(i->ssi_signo)) && !(by_shell && i->ssi_code <= 0);
}

static bool is_second_interrupt(struct signals *s, const struct signalfd_siginfo *i, uint64_t now)
{
	uint64_t since = now - s->interrupt_ns;

	if (i->ssi_signo != SIGINT || stays_ignored(s, i))
		return false;
	/* A key is pressed each time, a program's signals in a burst are one. */
	if (s->interrupt_ns && i->ssi_pid && i->ssi_pid == s->interrupt_sender &&
	    since < ONE_REQUEST_NS)
		return false;
	if (s->interrupt_ns && since < SECOND_INTERRUPT_NS)
		return true;
	s->interrupt_ns = now;
	s->interrupt_sender = i->ssi_pid;
	return false;
}

static void pass(const struct target *t, int signo)
{
	if (!t->ended && kill(t->pid, signo) && errno != ESRCH)
		log_warn("the command cannot be sent signal %d: %s", signo, strerror(errno));
}

static uint64_t earlier(uint64_t t_ns)
{
	return t_ns > ONE_REQUEST_NS ? t_ns - ONE_REQUEST_NS : 0;
}

/*
 * A sender to a whole process group, the terminal included, holds the kernel's lock on the task
 * list meanwhile, which setpgid takes, too: after this it has reached everybody.
 */
static void wait_for_group_senders(void)
{
	if (setpgid(0, getpgrp()))
		return; /* a session's leader; the lock was taken nevertheless */
}

/* The time for the sender to reach the command has passed. */
static void settle(struct signals *s, const struct target *t, int signo)
{
	struct signal_waiting *w = &s->waiting[signo];

	wait_for_group_senders();
	if (!signal_watch_target_got(&s->watch, signo, w->sender, w->since_ns))
		pass(t, signo);
	w->due_ns = 0;
}

static void pass_later(struct signals *s, const struct target *t, const struct signalfd_siginfo *i,
		       uint64_t now)
{
	struct signal_waiting *w = &s->waiting[i->ssi_signo];
	uint32_t sender = i->ssi_code > 0 ? 0 : i->ssi_pid;
	/* gotrace may have been busy when it came */
	uint64_t received_ns = signal_watch_received_ns(&s->watch, i->ssi_signo, sender);

	if (!s->watch.state) {
		/* The terminal's go to the command as well, as long as it is in our group. */
		if (i->ssi_code <= 0 || getpgid(t->pid) != getpgrp())
			pass(t, i->ssi_signo);
		return;
	}
	if (w->due_ns && w->sender == sender)
		return; /* the same request */
	if (w->due_ns)
		settle(s, t, i->ssi_signo);
	*w = (struct signal_waiting){
		.due_ns = (received_ns ? received_ns : now) + ONE_REQUEST_NS,
		.since_ns = earlier(received_ns ? received_ns : now),
		.sender = sender,
	};
}

bool signals_take(struct signals *s, const struct target *t)
{
	struct signalfd_siginfo i;
	uint64_t now = clock_monotonic_ns();
	bool ends = false;

	while (!ends && read(s->fd, &i, sizeof(i)) == sizeof(i)) {
		if (i.ssi_signo >= 32)
			continue;
		if (s->own & BIT(i.ssi_signo)) {
			if (s->on_own)
				s->on_own(s->own_ctx, (int)i.ssi_signo);
			continue;
		}
		if (!stays_ignored(s, &i))
			s->came |= BIT(i.ssi_signo);
		ends = s->launches ? is_second_interrupt(s, &i, now) : !stays_ignored(s, &i);
		if (ends)
			s->end_signal = i.ssi_signo;
		else if (s->launches)
			pass_later(s, t, &i, now);
	}
	return ends;
}

void signals_pass_on(struct signals *s, const struct target *t)
{
	uint64_t now = clock_monotonic_ns();

	for (int signo = 1; signo < 32; signo++)
		if (s->waiting[signo].due_ns && s->waiting[signo].due_ns <= now)
			settle(s, t, signo);
}

int signals_wait_ms(const struct signals *s, int most_ms)
{
	uint64_t now = clock_monotonic_ns();

	for (int signo = 1; signo < 32; signo++) {
		uint64_t due = s->waiting[signo].due_ns;
		uint64_t ms = due > now ? (due - now) / MS + 1 : 0;

		if (due && (most_ms < 0 || ms < (uint64_t)most_ms))
			most_ms = ms;
	}
	return most_ms;
}

void signals_close(struct signals *s)
{
	side_job_end(&s->watching);
	signal_watch_close(&s->watch);
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}
