// SPDX-License-Identifier: BSD-2-Clause
#include "attach/collect/release_events.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "attach/collect/duplicate_hits.h"

enum doubling { SINGLE, SECOND_NEW, FIRST_NEW };

struct releases {
	const struct plan *plan;
	/* of the thread that asks; the collector's while `asked` */
	struct release *list;
	size_t n;
	atomic_bool asked;
	_Atomic uint64_t hits, single_ns;
	atomic_int doubling;
	/* the collector's */
	bool *released; /* by site */
	bool any;
	struct duplicate_hits duplicates;
};

struct releases *releases_new(const struct plan *plan)
{
	struct releases *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->plan = plan;
	r->list = calloc(plan->n_funcs + 1, sizeof(*r->list));
	r->released = calloc(plan->n_sites + 1, sizeof(*r->released));
	if (r->list && r->released)
		return r;
	releases_free(r);
	return NULL;
}

void releases_free(struct releases *r)
{
	if (!r)
		return;
	free(r->list);
	free(r->released);
	duplicate_hits_free(&r->duplicates);
	free(r);
}

void releases_ask(struct releases *r, const struct release *list, size_t n)
{
	memcpy(r->list, list, n * sizeof(*list));
	r->n = n;
	r->asked = true;
}

bool releases_all_done(const struct releases *r)
{
	return !r->asked;
}

void releases_double(struct releases *r, bool first)
{
	r->single_ns = UINT64_MAX;
	r->doubling = first ? FIRST_NEW : SECOND_NEW;
}

void releases_single(struct releases *r, uint64_t now_ns)
{
	r->single_ns = now_ns;
}

uint64_t releases_hits(const struct releases *r)
{
	return r->hits;
}

/* Marks the sites of the function. One of them, PLAN_NO_SITE: it has none. */
static uint32_t mark(struct releases *r, uint32_t func)
{
	uint32_t one = PLAN_NO_SITE;

	for (uint32_t i = 0; i < r->plan->n_sites; i++) {
		if (r->plan->sites[i].func != func)
			continue;
		r->released[i] = true;
		one = i;
	}
	return one;
}

int releases_write(struct releases *r, uint64_t now_ns,
		   int (*write)(void *ctx, const struct event_ext *ev), void *ctx)
{
	int err = 0;

	if (r->doubling != SINGLE && r->single_ns <= now_ns) {
		r->doubling = SINGLE;
		duplicate_hits_free(&r->duplicates);
	}
	if (!r->asked)
		return 0;
	for (size_t i = 0; i < r->n && !err; i++) {
		const struct release *one = &r->list[i];
		const struct event_ext ev = {
			.h = { .ts_ns = now_ns, .site = mark(r, one->func), .kind = EV_RELEASED },
			.arg = { one->probe_ns, one->cpu_ns },
		};

		err = write(ctx, &ev);
	}
	r->any = true;
	r->asked = false;
	return err;
}

static bool is_released(const struct releases *r, uint32_t site)
{
	return r->any && site < r->plan->n_sites && r->released[site];
}

int releases_drop(struct releases *r, const struct event *ev)
{
	int doubling = r->doubling;

	if (ev->kind == EV_RELEASED || ev->kind == EV_SAMPLE)
		return 0;
	if (doubling != SINGLE) {
		bool by_second = ev->flags & EVF_WIRE_SECOND;
		int second = duplicate_hits_second(&r->duplicates, ev,
						   by_second == (doubling == FIRST_NEW));

		if (second)
			return second;
	}
	if (!is_released(r, ev->site))
		return 0;
	r->hits++;
	return 1;
}

int releases_sift(struct releases *r, const struct event *ev, size_t n,
		  int (*write)(void *ctx, const struct event *ev, size_t n), void *ctx)
{
	size_t from = 0, i;
	int err = 0;

	if (!r->any)
		return write(ctx, ev, n);
	for (i = 0; i < n && !err; i++) {
		if (!is_released(r, ev[i].site))
			continue;
		r->hits++;
		if (i > from)
			err = write(ctx, ev + from, i - from);
		from = i + 1;
	}
	return err || from == n ? err : write(ctx, ev + from, n - from);
}
