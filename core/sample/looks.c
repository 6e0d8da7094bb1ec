// SPDX-License-Identifier: BSD-2-Clause
#include "sample/looks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define HOT_MOST     128 /* that are looked at, of those that changed */
#define CHANGED_MOST 64  /* likewise, of those that were just found to have */
#define UNCHANGED    64  /* of the others there is room for so many at least */
_Static_assert(HOT_MOST + CHANGED_MOST + UNCHANGED <= LOOKS_MOST, "room for all");

/* A place that does not change is not hot for longer than that: where there are more of them than
 * are looked at, and where there are not. */
#define COOL_NS      1000000000ull
#define COOL_LATE_NS 10000000000ull

/* All are asked whether they have changed when it begins, a little later, and then as often as
 * this many answers a second allow. */
#define SURVEY_MARKS_HZ 20000
#define SURVEY_LEAST_NS 250000000ull

/* Whatever needs memory, before anything is changed. */
static int reserve(struct looks *l, size_t n)
{
	const size_t before = l->cap;

	if (!l->asked)
		l->asked = calloc(LOOKS_MARKS, sizeof(*l->asked));
	if (!l->marks)
		l->marks = calloc(LOOKS_MARKS, sizeof(*l->marks));
	if (!l->asked || !l->marks || vec_reserve(&l->at, &l->cap, n) ||
	    vec_reserve(&l->hot, &l->cap_hot, n))
		return -ENOMEM;
	if (l->cap > before)
		memset(l->at + before, 0, (l->cap - before) * sizeof(*l->at));
	return 0;
}

static void choose(struct looks *l, uint32_t place, double stands_for)
{
	l->chosen[l->n_chosen++] = place;
	l->at[place].stands_for = (float)stands_for;
}

/* ---- hot places */

static void heat(struct looks *l, uint32_t place, uint64_t now_ns)
{
	struct looks_place *p = &l->at[place];

	p->since_ns = now_ns;
	if (p->hot)
		return;
	l->hot[l->n_hot++] = place;
	p->hot = (uint32_t)l->n_hot;
}

static void cool(struct looks *l, uint32_t place)
{
	struct looks_place *p = &l->at[place];
	const uint32_t last = l->hot[--l->n_hot];

	l->hot[p->hot - 1] = last;
	l->at[last].hot = p->hot;
	p->hot = 0;
}

/* Whether a place has changed, by what its mark is now. It is never so the first time. */
static bool learn(struct looks *l, uint32_t place, uint64_t mark)
{
	struct looks_place *p = &l->at[place];
	const bool changed = p->mark && p->mark != mark;

	p->mark = mark;
	return changed;
}

/* Takes in a mark. Whoever has not changed for a while is not hot any more. */
static void renew(struct looks *l, uint32_t place, uint64_t mark, uint64_t now_ns)
{
	const uint64_t cool_ns = l->n_hot <= HOT_MOST ? COOL_LATE_NS : COOL_NS;

	if (learn(l, place, mark))
		heat(l, place, now_ns);
	else if (l->at[place].hot && now_ns - l->at[place].since_ns >= cool_ns)
		cool(l, place);
}

/* Asks for the n marks of `asked`. */
static int ask(struct looks *l, size_t n, const struct looks_source *from)
{
	return n ? from->marks(from->ctx, l->asked, n, l->marks) : 0;
}

/* ---- all places, to know whom to look at: nobody stands for anything here */

static int survey(struct looks *l, uint64_t now_ns, const struct looks_source *from)
{
	int err = 0;

	for (size_t first = 0; first < l->n && !err; first += LOOKS_MARKS) {
		const size_t left = l->n - first, n = left < LOOKS_MARKS ? left : LOOKS_MARKS;

		for (size_t i = 0; i < n; i++)
			l->asked[i] = (uint32_t)(first + i);
		err = ask(l, n, from);
		for (size_t i = 0; i < n && !err; i++)
			renew(l, l->asked[i], l->marks[i], now_ns);
	}
	l->surveys++;
	l->survey_ns = now_ns;
	return err;
}

static bool survey_is_due(const struct looks *l, uint64_t now_ns)
{
	const uint64_t often = l->n * 1000000000ull / SURVEY_MARKS_HZ;

	if (l->surveys < 2)
		return now_ns >= l->survey_ns + (l->surveys ? SURVEY_LEAST_NS : 0);
	return now_ns >= l->survey_ns + (often > SURVEY_LEAST_NS ? often : SURVEY_LEAST_NS);
}

/* ---- who is chosen */

/* One at random of each of k equal parts of n. */
static size_t part(size_t i, size_t k, size_t n, const struct looks_source *from)
{
	const double at = ((double)i + from->chance(from->ctx)) * (double)n / (double)k;

	return at < (double)n ? (size_t)at : n - 1;
}

/* Moves k of n at random to the front. */
static void draw(uint32_t *of, size_t k, size_t n, const struct looks_source *from)
{
	for (size_t i = 0; i < k; i++) {
		const size_t j = i + part(0, 1, n - i, from);
		const uint32_t x = of[i];

		of[i] = of[j];
		of[j] = x;
	}
}

/* Of hot places. */
static void choose_hot(struct looks *l, const struct looks_source *from)
{
	const size_t of = l->n_hot, n = of < HOT_MOST ? of : HOT_MOST;

	for (size_t i = 0; i < n; i++)
		choose(l, l->hot[n == of ? i : part(i, n, of, from)], (double)of / (double)n);
}

/* What the n that were chosen first have done since they were seen last. */
static int renew_hot(struct looks *l, size_t n, uint64_t now_ns, const struct looks_source *from)
{
	memcpy(l->asked, l->chosen, n * sizeof(*l->asked));
	int err = ask(l, n, from);

	for (size_t i = 0; i < n && !err; i++)
		renew(l, l->asked[i], l->marks[i], now_ns);
	return err;
}

/* At most `most` of n, which all together stand for `all` goroutines. */
static void choose_some(struct looks *l, uint32_t *of, size_t n, size_t most, double all,
			const struct looks_source *from)
{
	const size_t k = n < most ? n : most;

	draw(of, k, n, from);
	for (size_t i = 0; i < k; i++)
		choose(l, of[i], all / (double)k);
}

/* Of places that are not hot. Those that have changed become so for the next snapshot. */
static int choose_cold(struct looks *l, uint64_t now_ns, const struct looks_source *from)
{
	const size_t k = l->n < LOOKS_MARKS ? l->n : LOOKS_MARKS, cold = l->n - l->n_hot;
	size_t n = 0, changed = 0;

	for (size_t i = 0; i < k; i++) {
		const uint32_t place = (uint32_t)(k == l->n ? i : part(i, k, l->n, from));

		if (!l->at[place].hot)
			l->asked[n++] = place;
	}
	int err = ask(l, n, from);

	if (err || !n)
		return err;
	for (size_t i = 0; i < n; i++) {
		const uint32_t place = l->asked[i];

		if (!learn(l, place, l->marks[i]))
			continue;
		l->asked[i] = l->asked[changed];
		l->marks[i] = l->marks[changed];
		l->asked[changed++] = place;
	}
	const double each = (double)cold / (double)n;

	choose_some(l, l->asked, changed, CHANGED_MOST, each * (double)changed, from);
	choose_some(l, l->asked + changed, n - changed, LOOKS_MOST - l->n_chosen,
		    each * (double)(n - changed), from);
	for (size_t i = 0; i < changed; i++)
		heat(l, l->asked[i], now_ns);
	return 0;
}

int looks_choose(struct looks *l, size_t n, uint64_t now_ns, const struct looks_source *from)
{
	int err = reserve(l, n);

	l->n_chosen = 0;
	if (err)
		return err;
	if (n <= LOOKS_MOST) {
		for (size_t i = 0; i < n; i++)
			choose(l, (uint32_t)i, 1);
		return 0;
	}
	/* What has begun since the last time has changed. */
	for (size_t i = l->n; l->n && i < n; i++)
		heat(l, (uint32_t)i, now_ns);
	l->n = n;
	if (survey_is_due(l, now_ns))
		err = survey(l, now_ns, from);
	if (err)
		return err;
	/* Nobody becomes hot or cold before all are chosen: each is one or the other. */
	choose_hot(l, from);
	const size_t n_hot = l->n_chosen;

	err = choose_cold(l, now_ns, from);
	return err ? err : renew_hot(l, n_hot, now_ns, from);
}

void looks_ask(struct looks *l, const struct looks_source *from)
{
	if (from->marks(from->ctx, l->chosen, l->n_chosen, l->chosen_marks))
		memset(l->chosen_marks, 0, sizeof(l->chosen_marks));
}

uint64_t looks_mark(const struct looks *l, uint32_t place)
{
	for (size_t i = 0; i < l->n_chosen; i++)
		if (l->chosen[i] == place)
			return l->chosen_marks[i];
	return 0;
}

void looks_free(struct looks *l)
{
	free(l->at);
	free(l->hot);
	free(l->asked);
	free(l->marks);
	*l = (struct looks){ 0 };
}
