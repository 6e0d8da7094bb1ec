// SPDX-License-Identifier: BSD-2-Clause
#include "sample/attaching.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"

/* Looks at the threads at most so often before recording begins. */
#define LOOKS 200

int sampling_open_thread(struct sampling *s, pid_t tid, const struct thread_has *has)
{
	const struct scope scope = scope_thread(tid);
	int err = side_band_open(&s->side, scope, has ? has->n_side : 0);

	return err ? err : sample_events_open(&s->events, scope, has ? has->events : 0, !has);
}

/* *n_new: how many threads lacked something. */
static int open_missing(struct sampling *s, pid_t pid, size_t *n_new)
{
	int err = thread_events_read(&s->threads, pid);

	*n_new = 0;
	if (err)
		log_error("the threads of process %d are not known: %s", pid, strerror(-err));
	else if (s->threads.n)
		err = sample_bpf_follow(&s->bpf, s->threads.at);
	/* The newest first: it is the likeliest to start another one meanwhile. */
	for (size_t i = s->threads.n; i && !err; i--) {
		const struct thread_has *has = &s->threads.at[i - 1];

		if (side_band_complete(&s->side, has->n_side) &&
		    sample_events_complete(&s->events, has->events))
			continue;
		err = sampling_open_thread(s, (pid_t)has->tid, has);
		if (err == -ESRCH)
			err = 0;
		else
			*n_new += !err;
	}
	return err;
}

/*
 * What a thread starts inherits the events that it has at that moment, and events come one after
 * the other: a new thread may have all, some or none. So the kernel is asked, the rest is opened,
 * and again, until nothing is missing: from then on all that begins inherits all. A thread that is
 * started and not seen by one look, as its number is below where the look has come to and who
 * started it has ended, is seen by the next: two looks have to agree.
 */
static int attach_process(struct sampling *s, pid_t pid)
{
	size_t n_new = 0, opened = 0;
	int err = 0, complete = 0;

	for (unsigned i = 0; i < LOOKS && !err && complete < 2; i++) {
		err = open_missing(s, pid, &n_new);
		opened += n_new;
		complete = n_new ? 0 : complete + 1;
	}
	if (!err && complete < 2)
		s->behind = true;
	if (!err && !opened) {
		log_error("process %d has ended", pid);
		err = -ESRCH;
	}
	return err;
}

int sampling_attach(struct sampling *s)
{
	struct threads_config config = { 0 };

	if (s->host.on)
		return host_attach(s);
	side_band_describe(&config);
	sample_events_describe(&s->events, &config);
	int err = thread_events_load(&s->threads, &config);

	/* There is a trace to name them in. */
	for (size_t i = 0; i < s->given->n_targets && !err; i++) {
		processes_add_running(&s->processes, s->given->targets[i].pid,
				      clock_monotonic_ns());
		err = attach_process(s, s->given->targets[i].pid);
	}
	return err;
}

void sampling_attach_again(struct sampling *s)
{
	size_t n_new, sum = 0;
	int err = 0;

	if (s->host.on)
		host_attach_again(s);
	else if (!cpu_events_complete(&s->cpus))
		cpu_events_open_again(&s->cpus, &s->events, scope_host(-1));
	if (!s->behind)
		return;
	for (size_t i = 0; i < s->given->n_targets && !err; i++) {
		err = open_missing(s, s->given->targets[i].pid, &n_new);
		sum += n_new;
	}
	s->late += sum;
	s->missed = err != 0;
	s->behind = sum && !err;
}
