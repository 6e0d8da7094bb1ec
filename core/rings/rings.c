// SPDX-License-Identifier: BSD-2-Clause
/* All rings of a program: what is known of each at the beginning of a round, and merging them. */
#include "rings/rings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rings/ring_reader.h"
#include "trace/trace.h"

/* Handed out at once: few enough to stay in the L1 cache until they are encoded. */
#define BATCH 256
/* So many events are handed out before stubs may write over them: often enough that a ring does
 * not fill up during a long round, not so often that its stubs miss the line of `tail` all the
 * time. */
#define EVENTS_A_RELEASE (16 * BATCH)

struct rings {
	struct rings_options opt;
	struct ring_reader *readers; /* [opt.n_rings] */
	struct ring_shared shared;
	/*
	 * A tournament of the rings that have events: keys[leaf] is the time of the next one of
	 * ring[leaf], losers[node] the leaf that lost there. There are `leaves` of them, a power of
	 * two; those without a ring never win.
	 */
	uint64_t keys[RING_MAX];
	uint16_t ring[RING_MAX], losers[RING_MAX];
	unsigned leaves, winner;
	bool mixed; /* turns change often */
	uint64_t events, now_ns;
	struct event batch[BATCH];
};

const char *ring_fault_text(enum ring_fault f)
{
	static const char *const texts[RING_FAULTS] = {
		[RING_SOUND] = "nothing is wrong with it",
		[RING_BAD_HEAD] = "the position up to which it is written cannot be",
		[RING_BAD_TAIL] = "the program wrote the position up to which it was read",
		[RING_BAD_RESERVED] = "more is reserved in it than a stub does",
		[RING_BAD_SITE] = "an event in it is of a site that has no inline stub",
		[RING_BAD_CONTEXT] = "an event in it is of no goroutine",
		[RING_BAD_ARGS] = "arguments in it are not those of an event",
	};

	return texts[f];
}

bool rings_kind(unsigned kind)
{
	return kind <= EV_KIND_MAX && kind != EV_WAKE &&
	       (!event_kind_has_args(kind) || rings_args(kind));
}

struct ring_site rings_site(unsigned kind, uint16_t to_frame_bytes)
{
	struct ring_site s = { .to_frame_bytes = to_frame_bytes };

	*(event_kind_has_args(kind) ? &s.kind_with_args : &s.kind) = (uint8_t)kind;
	return s;
}

/* As rings_site makes it. */
static bool possible_site(const struct ring_site *s)
{
	return rings_kind(s->kind) && rings_kind(s->kind_with_args) &&
	       !event_kind_has_args(s->kind) &&
	       (!s->kind_with_args || (!s->kind && event_kind_has_args(s->kind_with_args)));
}

static bool possible(const struct rings_options *opt)
{
	for (unsigned i = 0; i < opt->n_rings; i++) {
		const struct ring_memory *m = &opt->memory[i];

		if (!m->at || m->size < RING_SIZE_MIN || m->size > RING_SIZE_MAX ||
		    m->size & (m->size - 1))
			return false;
	}
	for (uint32_t i = 0; i < opt->n_sites; i++)
		if (!possible_site(&opt->sites[i]))
			return false;
	return opt->n_rings && opt->n_rings <= RING_MAX && opt->n_sites < (RING_ARG & ~RING_WAKE);
}

struct rings *rings_new(const struct rings_options *opt)
{
	struct rings *s = NULL;

	if (!possible(opt)) {
		errno = EINVAL;
		return NULL;
	}
	s = calloc(1, sizeof(*s));
	if (s)
		s->readers = calloc(opt->n_rings, sizeof(*s->readers));
	if (!s || !s->readers) {
		rings_free(s);
		errno = ENOMEM;
		return NULL;
	}
	s->opt = *opt;
	s->shared = (struct ring_shared){ .sites = opt->sites,
					  .n_sites = opt->n_sites,
					  .text_vaddr = opt->text_vaddr,
					  .clock = opt->clock,
					  .tid_of = opt->tid_of,
					  .tid_ctx = opt->tid_ctx };
	for (unsigned i = 0; i < opt->n_rings; i++)
		ring_reader_init(&s->readers[i], &opt->memory[i]);
	return s;
}

void rings_free(struct rings *s)
{
	if (!s)
		return;
	free(s->readers);
	free(s);
}

/* ---- the tournament */

/* Plays the matches of the subtree of `node` anew. The leaf that wins there. */
static unsigned play(struct rings *s, unsigned node)
{
	if (node >= s->leaves)
		return node - s->leaves;
	unsigned a = play(s, 2 * node), b = play(s, 2 * node + 1);
	bool a_wins = s->keys[a] <= s->keys[b];

	s->losers[node] = (uint16_t)(a_wins ? b : a);
	return a_wins ? a : b;
}

/* The winner's key has changed: plays its matches again, without a branch on who wins. */
static inline void replay(struct rings *s)
{
	unsigned best = s->winner;
	uint64_t key = s->keys[best];

	for (unsigned node = (best + s->leaves) / 2; node; node /= 2) {
		unsigned other = s->losers[node];
		uint64_t other_key = s->keys[other];
		bool wins = other_key < key;

		s->losers[node] = (uint16_t)(wins ? best : other);
		best = wins ? other : best;
		key = wins ? other_key : key;
	}
	s->winner = best;
}

/* Enters the rings that have an event, by its time. */
static void enter_all(struct rings *s)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->opt.n_rings; i++) {
		uint64_t key = ring_reader_next(&s->readers[i], &s->shared);

		if (key == UINT64_MAX)
			continue;
		s->keys[n] = key;
		s->ring[n++] = (uint16_t)i;
	}
	for (s->leaves = 1; s->leaves < n; s->leaves *= 2)
		;
	for (unsigned i = n; i < s->leaves; i++)
		s->keys[i] = UINT64_MAX;
	s->winner = play(s, 1);
}

/* ---- a round */

uint64_t rings_poll(struct rings *s, uint64_t now_ns, uint64_t (*tsc)(void))
{
	uint64_t complete_ns = now_ns;

	s->now_ns = now_ns;
	for (unsigned i = 0; i < s->opt.n_rings; i++) {
		uint64_t until = ring_reader_poll(&s->readers[i], &s->shared, now_ns);

		if (until < complete_ns)
			complete_ns = until;
	}
	s->shared.now_tsc = tsc();
	enter_all(s);
	s->shared.after_tsc = tsc();
	return complete_ns;
}

int rings_take_losses(struct rings *s, int (*tell)(void *ctx, const struct event_ext *loss),
		      void *ctx)
{
	struct event_ext loss;
	int err = 0;

	for (unsigned i = 0; i < s->opt.n_rings && !err; i++)
		if (ring_reader_loss(&s->readers[i], &s->shared, s->now_ns, &loss))
			err = tell(ctx, &loss);
	return err;
}

uint64_t rings_first_ns(const struct rings *s)
{
	return s->leaves ? s->keys[s->winner] : UINT64_MAX;
}

static int flush(struct rings *s, size_t *n)
{
	int err = *n ? s->opt.sink.events(s->opt.sink.ctx, s->batch, *n) : 0;

	s->events += *n;
	*n = 0;
	return err;
}

static int tell_late(struct rings *s, struct ring_reader *r, uint64_t ns, size_t *n)
{
	const struct event_ext loss = {
		.h = { .ts_ns = ns, .goid = r->goid, .site = TRACE_NONE, .kind = EV_LOSS },
		.arg = { ns },
	};
	int err = flush(s, n); /* it comes before the event, after the others */

	r->late = false;
	r->late_goid = r->goid;
	return err ? err : s->opt.sink.late(s->opt.sink.ctx, &loss);
}

static int tell_with_args(struct rings *s, struct ring_reader *r, size_t *n)
{
	struct event_ext ev;
	int err = flush(s, n);

	if (err)
		return err;
	s->keys[s->winner] = ring_reader_take_with_args(r, &s->shared, &ev);
	replay(s);
	s->events++;
	return s->opt.sink.event_with_args(s->opt.sink.ctx, &ev);
}

/* Up to when the winner's events come before all others'. */
static uint64_t winner_until(const struct rings *s, uint64_t until_ns)
{
	for (unsigned node = (s->winner + s->leaves) / 2; node; node /= 2) {
		uint64_t other = s->keys[s->losers[node]];

		until_ns = other < until_ns ? other : until_ns;
	}
	return until_ns;
}

/* The next event is of a time that was handed out, has arguments, or there is none before until_ns.
 */
static inline bool pausing(const struct rings *s, uint64_t until_ns)
{
	const struct ring_reader *r = &s->readers[s->ring[s->winner]];
	uint64_t ns = s->keys[s->winner];

	/* Without an event a ring's time is UINT64_MAX. */
	return ns >= until_ns || ns == UINT64_MAX || r->late || r->has_args;
}

/* Fills the batch up from n on, run by run: all of a ring up to where another one's turn comes. The
 * number of events in the batch. */
static size_t take_runs(struct rings *s, uint64_t until_ns, size_t n)
{
	size_t runs = 0, from = n;

	while (n < BATCH && !pausing(s, until_ns)) {
		unsigned leaf = s->winner;
		struct ring_reader *r = &s->readers[s->ring[leaf]];

		n += ring_reader_take(r, &s->shared, winner_until(s, until_ns), s->batch + n,
				      BATCH - n);
		s->keys[leaf] = r->waiting ? r->ns : UINT64_MAX;
		replay(s);
		runs++;
	}
	s->mixed = runs > (n - from) / 4;
	return n;
}

/* The same event by event, for rings that are written at the same time: their turns change at
 * nearly each event, and where a run ends cannot be foretold. */
static size_t take_mixed(struct rings *s, uint64_t until_ns, size_t n)
{
	size_t turns = 0, from = n;

	while (n < BATCH && !pausing(s, until_ns)) {
		unsigned leaf = s->winner;

		s->keys[leaf] = ring_reader_take_one(&s->readers[s->ring[leaf]], &s->shared,
						     &s->batch[n++]);
		replay(s);
		turns += s->winner != leaf;
	}
	s->mixed = turns > (n - from) / 8;
	return n;
}

int rings_until(struct rings *s, uint64_t until_ns)
{
	uint64_t release_at = s->events + EVENTS_A_RELEASE;
	size_t n = 0;
	int err = 0;

	while (!err && s->leaves) {
		struct ring_reader *r = &s->readers[s->ring[s->winner]];

		if (s->keys[s->winner] >= until_ns || s->keys[s->winner] == UINT64_MAX)
			break;
		if (r->late && (err = tell_late(s, r, s->keys[s->winner], &n)))
			return err;
		if (r->has_args)
			err = tell_with_args(s, r, &n);
		else
			n = s->mixed ? take_mixed(s, until_ns, n) : take_runs(s, until_ns, n);
		if (!err && n == BATCH)
			err = flush(s, &n);
		if (err || s->events < release_at)
			continue;
		rings_release(s);
		release_at = s->events + EVENTS_A_RELEASE;
	}
	if (!err)
		err = flush(s, &n);
	if (until_ns != UINT64_MAX && until_ns > s->shared.written_ns)
		s->shared.written_ns = until_ns;
	return err;
}

void rings_release(struct rings *s)
{
	for (unsigned i = 0; i < s->opt.n_rings && !s->opt.keep; i++)
		ring_reader_release(&s->readers[i]);
}

bool rings_filling(const struct rings *s)
{
	for (unsigned i = 0; i < s->opt.n_rings; i++)
		if (ring_reader_waiting_bytes(&s->readers[i]) > s->opt.memory[i].size / 8)
			return true;
	return false;
}

void rings_shut(struct rings *s)
{
	for (unsigned i = 0; i < s->opt.n_rings; i++)
		ring_reader_shut(&s->readers[i]);
}

void rings_pause(struct rings *s)
{
	for (unsigned i = 0; i < s->opt.n_rings; i++)
		ring_reader_pause(&s->readers[i]);
}

void rings_resume(struct rings *s)
{
	for (unsigned i = 0; i < s->opt.n_rings; i++)
		ring_reader_resume(&s->readers[i]);
}

struct rings_stats rings_stats(const struct rings *s)
{
	struct rings_stats st = { .events = s->events };

	for (unsigned i = 0; i < s->opt.n_rings; i++) {
		const struct ring_reader *r = &s->readers[i];

		st.late += r->n_late;
		st.backwards += r->n_backwards;
		st.lost += r->n_lost;
		st.passed_by += r->n_passed_by;
		if (r->most_bytes > st.most_bytes)
			st.most_bytes = r->most_bytes;
		if (r->fault && !st.disabled++) {
			st.fault = r->fault;
			st.fault_ring = i;
		}
	}
	return st;
}
