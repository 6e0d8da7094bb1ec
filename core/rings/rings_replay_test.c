// SPDX-License-Identifier: BSD-2-Clause
/*
 * Recorded rings (fixtures/rings/NAME.rings) through their reader: the events that come out are
 * those of NAME.events, whether they are taken in one round or in many. GOTRACE_UPDATE=1 writes
 * what comes out now.
 */
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/test_fixture.h"
#include "base/event_kinds.h"
#include "rings/ring_image_fixture.h"

static int put_events(void *ctx, const struct event *ev, size_t n)
{
	FILE *out = ctx;

	for (size_t i = 0; i < n; i++)
		fprintf(out, "%" PRIu64 " %s site %u goid %" PRIu64 " tid %u depth %u\n",
			ev[i].ts_ns, event_kind_name(ev[i].kind), ev[i].site, ev[i].goid, ev[i].tid,
			ev[i].depth);
	return 0;
}

static int put_with_args(void *ctx, const struct event_ext *ev)
{
	put_events(ctx, &ev->h, 1);
	fprintf(ctx, "  args %" PRIu64 " 0x%" PRIx64 " 0x%" PRIx64 "\n", ev->arg[0], ev->arg[1],
		ev->arg[2]);
	return 0;
}

static int put_loss(void *ctx, const struct event_ext *loss)
{
	fprintf(ctx, "%" PRIu64 " %" PRIu64 " lost, until %" PRIu64 ", ", loss->h.ts_ns,
		loss->arg[1], loss->arg[0]);
	if (loss->h.flags & EVF_ALL)
		fprintf(ctx, "of any goroutine\n");
	else
		fprintf(ctx, "of goid %" PRIu64 "\n", loss->h.goid);
	return 0;
}

static uint64_t no_counter(void)
{
	return UINT64_MAX / 2;
}

static char *text_of(const char *file)
{
	FILE *in = fopen(file, "r");
	char *text = calloc(1, 1 << 20);

	assert_non_null(text);
	if (in) {
		assert_true(fread(text, 1, (1 << 20) - 1, in) < (1 << 20) - 1);
		fclose(in);
	}
	return text;
}

/* What comes out, to be freed; a tick of the counter is a nanosecond. */
static char *replay(const char *file, unsigned rounds)
{
	struct ring_image *image = malloc(sizeof(*image));
	struct tsc_clock *clock = calloc(1, sizeof(*clock));
	char *text = text_of(file), *got = NULL;
	size_t len;
	FILE *out = open_memstream(&got, &len);

	assert_true(image && clock && out);
	if (!ring_image_read(image, text, strlen(text)))
		fail_msg("%s is no image of rings", file);
	uint64_t before = image->first - 1000, after = image->last + 1000;

	for (uint64_t at = before; at <= after; at += after - before)
		tsc_clock_add(clock, &(struct tsc_pair){ .tsc = at, .ns = at });
	struct rings *rings = rings_new(&(struct rings_options){
		.memory = image->memory,
		.n_rings = image->n_rings,
		.sites = image->sites,
		.n_sites = image->n_sites,
		.clock = clock,
		.sink = { .events = put_events,
			  .event_with_args = put_with_args,
			  .late = put_loss,
			  .ctx = out },
	});

	assert_non_null(rings);
	for (unsigned i = 1; i <= rounds; i++) {
		uint64_t until = before + (after - before) / rounds * i;

		if (i == rounds)
			until = after;
		assert_int_equal(rings_poll(rings, until, no_counter), until);
		assert_int_equal(rings_until(rings, until), 0);
		rings_release(rings);
	}
	assert_int_equal(rings_take_losses(rings, put_loss, out), 0);
	struct rings_stats st = rings_stats(rings);

	fprintf(out,
		"%" PRIu64 " events, %" PRIu64 " lost, %" PRIu64 " backwards, %" PRIu64 " late, ",
		st.events, st.lost, st.backwards, st.late);
	fprintf(out, "%" PRIu64 " bytes waited, %u disabled: %s\n", st.most_bytes, st.disabled,
		ring_fault_text(st.fault));
	rings_free(rings);
	assert_int_equal(fclose(out), 0);
	ring_image_free(image);
	free(image);
	free(clock);
	free(text);
	return got;
}

static void same_events(const char *file)
{
	char stored[256], *got = replay(file, 1), *in_steps = replay(file, 17);

	snprintf(stored, sizeof(stored), "%.*s.events", (int)(strrchr(file, '.') - file), file);
	assert_string_equal(got, in_steps);
	if (getenv("GOTRACE_UPDATE")) {
		FILE *out = fopen(stored, "w");

		assert_true(out && fputs(got, out) >= 0 && !fclose(out));
	}
	char *want = text_of(stored);

	if (strcmp(got, want))
		fail_msg("%s\nexpected:\n%s\ngot:\n%s", stored, want, got);
	free(want);
	free(got);
	free(in_steps);
}

TEST(recorded_rings)
{
	glob_t g;

	assert_int_equal(glob("fixtures/rings/*.rings", 0, NULL, &g), 0);
	assert_true(g.gl_pathc >= 8);
	for (size_t i = 0; i < g.gl_pathc; i++)
		same_events(g.gl_pathv[i]);
	globfree(&g);
}

TESTS(recorded_rings)
