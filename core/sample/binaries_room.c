// SPDX-License-Identifier: BSD-2-Clause
#include "sample/binaries_room.h"

#include <stdlib.h>

#include "sample/table_ages.h"

/* So many are forgotten at a time: most have no rows, and are soon learned again. */
#define PLACES (SAMPLE_EXECUTABLES / 8)

void binaries_take_back(struct binaries *b, struct known_binary *x)
{
	const bool last = x->n_rows && !--b->users[x->slot];

	sample_bpf_remove(b->bpf, &x->key, last ? &x->slot : NULL);
	b->n_slots -= last;
	b->n_rows -= last ? x->n_rows : 0;
	x->n_rows = 0;
	for (size_t i = 0; i < SAMPLE_WATCHES; i++) {
		sample_bpf_unwatch(x->watches[i]);
		x->watches[i] = NULL;
	}
}

static struct known_binary *find(const struct binaries *b, uint64_t number)
{
	size_t lo = 0, hi = b->n;

	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;

		if (b->known[mid].number < number)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < b->n && b->known[lo].number == number ? &b->known[lo] : NULL;
}

void binaries_mark(struct binaries *b, uint64_t number)
{
	struct known_binary *x = find(b, number);

	if (x)
		x->in_use = true;
}

bool binaries_facts(const struct binaries *b, uint64_t number, struct sample_binary *to)
{
	const struct known_binary *x = find(b, number);

	return x && x->n_rows && !sample_bpf_binary(b->bpf, &x->key, to);
}

/* Those that no process uses, with rows or all of them. NULL: no memory. */
static struct table_age *unused(struct binaries *b, bool all, size_t *n)
{
	struct table_age *ages = calloc(b->n + 1, sizeof(*ages));
	bool used[SAMPLE_BINARIES] = { 0 };

	*n = 0;
	for (size_t i = 0; i < b->n; i++)
		b->known[i].in_use = false;
	b->living(b->living_ctx, b);
	for (size_t i = 0; i < b->n; i++)
		if (b->known[i].in_use && b->known[i].n_rows)
			used[b->known[i].slot] = true;
	for (size_t i = 0; ages && i < b->n; i++)
		if (!b->known[i].in_use && (all || (b->known[i].n_rows && !used[b->known[i].slot])))
			ages[(*n)++] = (struct table_age){ b->known[i].used, b->known[i].n_rows,
							   i };
	return ages;
}

/* The first k of them are gone, and the others stay in order. */
static void forget(struct binaries *b, const struct table_age *ages, size_t k)
{
	size_t kept = 0;

	for (size_t i = 0; i < k; i++) {
		struct known_binary *x = &b->known[ages[i].which];

		b->given_back += x->n_rows && b->users[x->slot] == 1;
		binaries_take_back(b, x);
		x->number = 0;
	}
	for (size_t i = 0; i < b->n; i++)
		if (b->known[i].number)
			b->known[kept++] = b->known[i];
	b->n = kept;
}

static bool give_back(struct binaries *b, bool all, uint64_t rows, size_t places)
{
	size_t n, k;

	if (!b->living)
		return false;
	struct table_age *ages = unused(b, all, &n);

	k = ages ? table_ages_choose(ages, n, rows, places) : 0;
	forget(b, ages, k);
	free(ages);
	return k > 0;
}

bool binaries_make_room(struct binaries *b, uint64_t rows)
{
	/* Of those that share rows only the last one gives them back. */
	for (;;) {
		const uint64_t after = b->n_rows + rows;
		const uint64_t over = b->most_rows && after > b->most_rows ? after - b->most_rows
									   : 0;
		const bool crowded = b->n_slots >= SAMPLE_BINARIES;

		if (!over && !crowded)
			return true;
		if (!give_back(b, false, over, crowded))
			return false;
	}
}

bool binaries_make_place(struct binaries *b)
{
	return b->n < SAMPLE_EXECUTABLES || give_back(b, true, 0, PLACES) ||
	       give_back(b, true, 0, 1);
}
