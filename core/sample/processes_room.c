// SPDX-License-Identifier: BSD-2-Clause
#include "sample/processes_room.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES 16 /* what malloc takes besides, about */

void process_charge(struct processes *p, struct process *one)
{
	uint64_t now = 2 * sizeof(*one) + one->cap_images * sizeof(*one->images) +
		       one->files.cap * sizeof(*one->files.at) + one->path_bytes;

	if (one->exe)
		now += strlen(one->exe) + BLOCK_BYTES;
	p->bytes += now - one->bytes;
	one->bytes = now;
}

void process_free_images(struct process *one)
{
	for (size_t k = 0; k < one->n_images; k++)
		free((char *)one->images[k].path);
	free(one->images);
	one->images = NULL;
	one->n_images = one->cap_images = one->path_bytes = one->looked_for = 0;
}

void process_free(struct processes *p, struct process *one)
{
	if (p->kept)
		kept_files_drop(p->kept, &one->files);
	process_untell(p, one, UINT64_MAX);
	process_free_images(one);
	free(one->exe);
	p->bytes -= one->bytes;
}

void processes_compact(struct processes *p)
{
	size_t n = 0;

	memset(p->bucket, 0, sizeof(p->bucket));
	for (size_t i = 0; i < p->n; i++) {
		struct process x = p->all[i];

		if (x.gone) {
			process_free(p, &x);
			continue;
		}
		x.before = p->bucket[x.pid % PROCESS_BUCKETS];
		p->all[n++] = x;
		p->bucket[x.pid % PROCESS_BUCKETS] = n;
	}
	p->n = n;
	p->moved++;
}

static uint64_t forget(struct process *one)
{
	one->gone = true;
	return one->bytes;
}

/* Ended, and no sample of it can come any more. */
static bool is_over(const struct processes *p, const struct process *one)
{
	return one->ended && !one->asked && one->end_ns < p->settled_ns;
}

/* Of those that run and have no samples in this trace, until no more than that is left. */
static void forget_unused(struct processes *p, uint64_t left, uint64_t most)
{
	struct process **idle = calloc(p->n + 1, sizeof(struct process *));
	size_t n = 0;

	for (size_t i = 0; i < p->n && idle; i++)
		if (!p->all[i].ended && !p->all[i].asked)
			idle[n++] = &p->all[i];
	if (n)
		qsort(idle, n, sizeof(struct process *), process_used_first);
	for (size_t i = 0; i < n && left > most; i++) {
		left -= forget(idle[i]);
		p->dropped++;
	}
	free(idle);
}

/* Until another trace is written new ones may take a quarter more. */
static bool has_rest(const struct processes *p)
{
	return p->bytes <= p->most_bytes + p->most_bytes / 4;
}

bool processes_make_room(struct processes *p)
{
	uint64_t left = p->bytes;

	if (!p->most_bytes || p->bytes <= p->most_bytes)
		return true;
	if (p->full) /* a look at all would find little, each time: another trace is due */
		return has_rest(p);
	for (size_t i = 0; i < p->n; i++)
		if (is_over(p, &p->all[i]))
			left -= forget(&p->all[i]);
	/* Not each time anew: it takes a look at all. */
	forget_unused(p, left, p->most_bytes / 4 * 3);
	processes_compact(p);
	p->full = p->bytes > p->most_bytes;
	return has_rest(p);
}
