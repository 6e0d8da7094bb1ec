// SPDX-License-Identifier: BSD-2-Clause
#include "sample/waiting.h"

#include <poll.h>

#include "base/clock.h"
#include "base/vec.h"

#define LOOK_MS    10 /* where nothing wakes gotrace for a process that begins */
#define BETWEEN_MS 1  /* two looks at processes that begin, at least */

/* Milliseconds, rounded up. */
static int ms_until(uint64_t ns)
{
	const uint64_t now = clock_monotonic_ns();

	return ns > now ? (int)((ns - now) / 1000000) + 1 : 0;
}

/* The signals, what ends and the samples' ring. How many; there is room for them. */
static size_t put_first(const struct sampling *s, struct pollfd *fds)
{
	size_t n = 0;

	fds[n++] = (struct pollfd){ .fd = s->given->signals->fd, .events = POLLIN };
	fds[n++] = (struct pollfd){ .fd = sample_bpf_fd(&s->bpf), .events = POLLIN };
	fds[n++] = (struct pollfd){ .fd = s->given->wake_fd, .events = POLLIN };
	for (size_t i = 0; i < s->given->n_targets; i++)
		if (!s->given->targets[i].ended)
			fds[n++] = (struct pollfd){ .fd = s->given->targets[i].pidfd,
						    .events = POLLIN };
	return n;
}

void sampling_wait_until(struct sampling *s, uint64_t until_ns)
{
	struct pollfd few;
	int ms = ms_until(until_ns);
	bool complete = false;
	size_t n, side = 0;

	if (vec_reserve(&s->fds, &s->cap_fds, 3 + s->given->n_targets + s->side.n_cpus)) {
		few = (struct pollfd){ .fd = s->given->signals->fd, .events = POLLIN };
		poll(&few, 1, signals_wait_ms(s->given->signals, ms < LOOK_MS ? ms : LOOK_MS));
		return;
	}
	n = put_first(s, s->fds);
	if (s->woken) { /* it may do that all the time */
		s->woken = false;
		if (poll(s->fds, n, ms < BETWEEN_MS ? ms : BETWEEN_MS))
			return;
		ms = ms_until(until_ns);
	}
	/* What was read already, and is younger than the look, wakes nobody again. */
	if (side_band_left(&s->side))
		ms = ms < BETWEEN_MS ? ms : BETWEEN_MS;
	complete = side_band_poll(&s->side, s->fds + n, &side);
	if (!complete)
		ms = ms < LOOK_MS ? ms : LOOK_MS;
	poll(s->fds, n + side, signals_wait_ms(s->given->signals, ms));
	s->woken = side_band_polled(&s->side, s->fds + n, side);
}
