// SPDX-License-Identifier: BSD-2-Clause
#include "sample/natives_room.h"

#include <stdlib.h>

#include "sample/table_ages.h"
#include "base/clock.h"
#include "base/vec.h"

#define PLACES   (NATIVES_FILES / 8) /* so many are forgotten at a time */
#define AGAIN_NS 1000000000ull       /* what had no room is not tried more often */

size_t natives_most_rows(const struct natives *n)
{
	return n->most_rows ? n->most_rows : NATIVES_ROWS_MAX;
}

static void forget(struct natives *n, struct native_file *f)
{
	if (f->n_rows && !--n->users[f->slot - SAMPLE_BINARIES]) {
		sample_bpf_remove_native(n->bpf, f->slot);
		n->n_rows -= f->n_rows;
		n->n_slots--;
		n->given_back++;
	}
	if (n->vdso == (size_t)(f - n->files) + 1)
		n->vdso = 0;
	n->n_known--;
	*f = (struct native_file){ 0 };
}

/* The process that is held still may not be known yet. */
static bool lives(void *ctx, uint32_t pid)
{
	const struct natives *n = ctx;

	return pid == n->held_pid || n->lives(n->lives_ctx, pid);
}

/* Those that no process has mapped, with rows or all of them. NULL: no memory. */
static struct table_age *unused(struct natives *n, bool all, size_t *count)
{
	bool used[SAMPLE_BINARIES + SAMPLE_NATIVES] = { 0 };
	struct table_age *ages = calloc(n->n + 1, sizeof(*ages));

	*count = 0;
	sample_bpf_used(n->bpf, lives, n, used);
	for (size_t i = 0; ages && i < n->n; i++) {
		const struct native_file *f = &n->files[i];

		if (f->used && f->used <= n->call && (f->n_rows ? !used[f->slot] : all))
			ages[(*count)++] = (struct table_age){ f->used, f->n_rows, i };
	}
	return ages;
}

static bool give_back(struct natives *n, bool all, uint64_t rows, size_t places)
{
	size_t count, k;

	if (!n->lives)
		return false;
	struct table_age *ages = unused(n, all, &count);

	k = ages ? table_ages_choose(ages, count, rows, places) : 0;
	for (size_t i = 0; i < k; i++)
		forget(n, &n->files[ages[i].which]);
	free(ages);
	return k > 0;
}

static bool has_room(const struct natives *n, uint64_t rows)
{
	return n->n_rows + rows <= natives_most_rows(n) && n->n_slots < SAMPLE_NATIVES;
}

bool natives_make_room(struct natives *n, uint64_t rows)
{
	const uint64_t most = natives_most_rows(n);

	/* Of those that share rows only the last one gives them back. */
	while (!has_room(n, rows)) {
		const uint64_t after = n->n_rows + rows;

		if (!give_back(n, false, after > most ? after - most : 0,
			       n->n_slots >= SAMPLE_NATIVES))
			return false;
	}
	return true;
}

struct native_file *natives_new_file(struct natives *n)
{
	size_t i = 0;

	/* Where all are in use there are more. */
	if (n->n_known >= NATIVES_FILES)
		give_back(n, true, 0, PLACES);
	while (i < n->n && n->files[i].used)
		i++;
	if (i == n->n && vec_reserve(&n->files, &n->cap, n->n + 1))
		return NULL;
	n->n += i == n->n;
	n->n_known++;
	return &n->files[i];
}

bool natives_may_try(struct natives *n, const struct native_file *f)
{
	const uint64_t now = clock_monotonic_ns();

	if (!f->wants || has_room(n, f->wants))
		return f->wants;
	if (now - n->tried_ns < AGAIN_NS)
		return false;
	n->tried_ns = now;
	return natives_make_room(n, f->wants);
}
