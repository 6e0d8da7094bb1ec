// SPDX-License-Identifier: BSD-2-Clause
#include "attach/collect/ring_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/collect/tsc_source.h"
#include "attach/host/counter.h"
#include "attach/target/user.h"
#include "base/log.h"
#include "rings/ring_image.h"
#include "trace/trace.h"

/* What a stub stores may still be on its way to this CPU when it has read the counter. */
#define STORE_DELAY_NS 20000
/* Pairs of clocks are as far apart at least: those that are kept reach back much longer than any
 * ring is waited for, and a pair's own error stays small in the slope. */
#define PAIRS_APART_NS (500 * 1000)
_Static_assert(TSC_SEGMENTS *PAIRS_APART_NS > 2 * RINGS_PATIENCE_NS, "events that waited");

struct ring_source {
	struct tsc_clock clock;
	struct rings *rings;
	struct rings_options opt;
	const char *image; /* to be written at the end; NULL: none */
};

struct ring_source *ring_source_new(const struct rings_options *opt)
{
	struct ring_source *s = calloc(1, sizeof(*s));
	struct tsc_pair pair;

	if (!s)
		return NULL;
	s->opt = *opt;
	s->opt.clock = &s->clock;
	/* For tests: not where gotrace has more rights than who calls it; sudo, which may keep the
	 * variable, does not count as that. */
	s->image = secure_getenv("GOTRACE_RING_IMAGE");
	s->opt.keep = s->image;
	s->rings = rings_new(&s->opt);
	if (!s->rings) {
		free(s);
		return NULL;
	}
	/* No event is earlier. */
	pair = tsc_source_pair();
	tsc_clock_add(&s->clock, &pair);
	return s;
}

/* With the rights of the user who called sudo. A descriptor or -errno. */
static int make_image(const char *path)
{
	struct user invoker;
	int err = user_find(NULL, &invoker) ? -EPERM : user_enter(&invoker), fd;

	if (err)
		return err;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	err = -errno;
	user_leave(&invoker);
	return fd < 0 ? err : fd;
}

static void write_image(const struct ring_source *s)
{
	int fd = make_image(s->image);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	int err = out ? ring_image_write(out, &s->opt) : fd < 0 ? fd : -errno;

	if (out)
		fclose(out);
	else if (fd >= 0)
		close(fd);
	if (err)
		log_error("%s: no image of the rings can be written: %s", s->image, strerror(-err));
}

void ring_source_free(struct ring_source *s)
{
	if (!s)
		return;
	if (s->image)
		write_image(s);
	rings_free(s->rings);
	free(s);
}

int ring_source_poll(struct ring_source *s, uint64_t *complete_ns,
		     int (*tell)(void *ctx, const struct event_ext *loss), void *ctx)
{
	struct tsc_pair pair = tsc_source_pair();
	const struct event_ext jump = {
		.h = { .ts_ns = s->clock.last.ns,
		       .site = TRACE_NONE,
		       .kind = EV_LOSS,
		       .flags = EVF_ALL },
		.arg = { pair.ns },
	};
	int err = 0;

	if (pair.ns - s->clock.last.ns >= PAIRS_APART_NS && tsc_clock_add(&s->clock, &pair))
		err = tell(ctx, &jump);

	*complete_ns = rings_poll(s->rings, s->clock.last.ns - STORE_DELAY_NS, host_counter_read);
	return err ? err : rings_take_losses(s->rings, tell, ctx);
}

struct rings *ring_source_rings(struct ring_source *s)
{
	return s->rings;
}

const struct tsc_clock *ring_source_clock(const struct ring_source *s)
{
	return &s->clock;
}
