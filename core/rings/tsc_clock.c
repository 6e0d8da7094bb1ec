// SPDX-License-Identifier: BSD-2-Clause
#include "rings/tsc_clock.h"

#include <math.h>

#define JUMP_NS 10000
/* adjtimex slews a clock by at most 500 millionths: one in 2,000 */
#define DRIFT(ns) ((ns) / 2000)

static struct tsc_segment *segment(struct tsc_clock *c, size_t i)
{
	return &c->segments[i % TSC_SEGMENTS];
}

/* What the clocks' course so far makes of a counter after the last pair. false: there is none. */
static bool foretold_ns(struct tsc_clock *c, uint64_t tsc, uint64_t *ns)
{
	size_t from = c->steady_from > c->first ? c->steady_from : c->first;

	if (from >= c->end)
		return false;
	/* The longest steady course: what single pairs are off by matters least then. */
	const struct tsc_segment *s = segment(c, from);
	uint64_t mult = (uint64_t)(((unsigned __int128)(c->last.ns - s->ns) << 32) /
				   (c->last.tsc - s->tsc));

	*ns = c->last.ns + (uint64_t)((unsigned __int128)(tsc - c->last.tsc) * mult >> 32);
	return true;
}

static bool judge(struct tsc_clock *c, const struct tsc_pair *pair)
{
	uint64_t foretold, off;

	if (pair->tsc < c->last.tsc || pair->ns < c->last.ns)
		return true;
	if (!foretold_ns(c, pair->tsc, &foretold))
		return false;
	off = foretold > pair->ns ? foretold - pair->ns : pair->ns - foretold;
	if (off > JUMP_NS + pair->doubt_ns + c->last.doubt_ns + DRIFT(pair->ns - c->last.ns))
		return true;
	c->n_residuals++;
	c->residual_squares += (double)off * (double)off;
	if (off > c->worst_residual_ns)
		c->worst_residual_ns = off;
	return false;
}

bool tsc_clock_add(struct tsc_clock *c, const struct tsc_pair *pair)
{
	struct tsc_pair to = *pair;
	bool jumped;

	if (!c->begun) {
		c->last = to;
		c->begun = true;
		return false;
	}
	if (to.tsc == c->last.tsc)
		return false;
	jumped = judge(c, &to);
	c->jumps += jumped;
	if (to.ns < c->last.ns) /* time goes on from where it was */
		to.ns = c->last.ns;
	if (to.tsc > c->last.tsc) {
		uint64_t ticks = to.tsc - c->last.tsc;

		if (c->end - c->first == TSC_SEGMENTS)
			c->first++;
		*segment(c, c->end++) = (struct tsc_segment){
			.tsc = c->last.tsc,
			.ns = c->last.ns,
			.ticks = ticks,
			.mult = (uint64_t)(((unsigned __int128)(to.ns - c->last.ns) << 32) / ticks),
		};
	}
	if (jumped)
		c->steady_from = c->end;
	c->last = to;
	return jumped;
}

const struct tsc_segment *tsc_clock_find(const struct tsc_clock *c, uint64_t tsc)
{
	for (size_t i = c->end; i-- > c->first;) { /* mostly one of the last */
		const struct tsc_segment *s = &c->segments[i % TSC_SEGMENTS];

		if (tsc - s->tsc < s->ticks)
			return s;
	}
	return NULL;
}

uint64_t tsc_clock_ns(const struct tsc_clock *c, uint64_t tsc)
{
	const struct tsc_segment *s = tsc_clock_find(c, tsc);

	if (s)
		return tsc_segment_ns(s, tsc);
	s = &c->segments[c->first % TSC_SEGMENTS];
	if (c->first == c->end || tsc >= s->tsc)
		return c->last.ns;
	unsigned __int128 before = (unsigned __int128)(s->tsc - tsc) * s->mult >> 32;

	return before < s->ns ? s->ns - (uint64_t)before : 0;
}

double tsc_clock_residual_ns(const struct tsc_clock *c)
{
	return c->n_residuals ? sqrt(c->residual_squares / (double)c->n_residuals) : 0;
}

/* ---- other CPUs */

void tsc_offset_add(struct tsc_offset *o, uint64_t asked, uint64_t there, uint64_t got)
{
	uint64_t doubt = (got - asked) / 2;

	if (doubt >= o->doubt)
		return;
	o->doubt = doubt;
	o->ticks = (int64_t)(there - asked - doubt);
}

int64_t tsc_offset_sure(const struct tsc_offset *o, uint64_t doubt_max)
{
	const uint64_t by = o->ticks < 0 ? -(uint64_t)o->ticks : (uint64_t)o->ticks;

	if (o->doubt <= doubt_max)
		return o->ticks;
	if (by <= o->doubt)
		return 0;
	return o->ticks < 0 ? -(int64_t)(by - o->doubt) : (int64_t)(by - o->doubt);
}
