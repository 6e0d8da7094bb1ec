// SPDX-License-Identifier: BSD-2-Clause
/* What is to be found out of a process's files before it is gone. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sample/maps.h"
#include "sample/processes_room.h"
#include "base/vec.h"

struct held {
	struct sample_image *images;
	size_t n, cap;
};

static void take_held(void *ctx, struct sample_image *i)
{
	struct held *h = ctx;

	if (vec_reserve(&h->images, &h->cap, h->n + 1))
		return;
	i->path = strdup(i->path);
	if (i->path)
		h->images[h->n++] = *i;
}

void processes_hold(void *ctx, pid_t pid)
{
	struct processes *p = ctx;
	struct held h = { 0 };

	maps_read((uint32_t)pid, take_held, &h);
	natives_hold(p->natives, (uint32_t)pid, h.images, h.n);
	for (size_t i = 0; i < h.n; i++)
		free((char *)h.images[i].path);
	free(h.images);
}

/* ---- names */

static bool is_due(const struct process *one, uint64_t before_ns)
{
	return one->ended && one->end_ns < before_ns && one->files.n;
}

int processes_to_name(const struct processes *p, uint64_t before_ns, bool **which, size_t *n)
{
	*which = NULL;
	*n = 0;
	for (size_t i = 0; i < p->n; i++)
		if (is_due(&p->all[i], before_ns) && p->all[i].asked && p->all[i].number >= *n)
			*n = (size_t)p->all[i].number + 1;
	*which = *n ? calloc(*n, sizeof(**which)) : NULL;
	if (*n && !*which)
		return -ENOMEM;
	for (size_t i = 0; i < p->n; i++)
		if (is_due(&p->all[i], before_ns) && p->all[i].asked)
			(*which)[p->all[i].number] = true;
	return 0;
}

/* No sample of it can come any more, and none did. */
static void forget_images(struct processes *p, uint64_t before_ns)
{
	for (size_t i = 0; i < p->n && p->late && !p->keep_images; i++) {
		struct process *one = &p->all[i];

		if (one->ended && one->end_ns < before_ns && one->n_images) {
			process_free_images(one);
			process_charge(p, one);
		}
	}
}

/* Those whose first thread had ended before. */
static void look_for_ends(struct processes *p, uint64_t before_ns)
{
	for (size_t i = 0; i < p->n; i++) {
		struct process *one = &p->all[i];

		if (!one->leaderless || one->ended || process_has_threads(one->pid))
			continue;
		process_end(p, one, before_ns);
	}
}

void processes_release(struct processes *p, uint64_t before_ns)
{
	p->settled_ns = before_ns;
	look_for_ends(p, before_ns);
	forget_images(p, before_ns);
	for (size_t i = 0; i < p->n && p->kept; i++) {
		if (!is_due(&p->all[i], before_ns))
			continue;
		kept_files_drop(p->kept, &p->all[i].files);
		p->all[i].released = true;
		process_charge(p, &p->all[i]);
	}
}

static const struct process *numbered(const struct processes *p, uint32_t number)
{
	for (size_t i = p->n; i-- > 0;)
		if (p->all[i].number == number)
			return &p->all[i];
	return NULL;
}

int processes_open_image(const struct processes *p, const struct sample_image *i)
{
	const struct process *one = numbered(p, i->process);

	if (!one || !p->kept)
		return -ENOENT;
	return one->released ? -ESTALE : kept_files_open(p->kept, &one->files, i);
}

bool processes_owner(const struct processes *p, uint32_t number, uid_t *owner)
{
	const struct process *one = numbered(p, number);

	if (one)
		*owner = one->owner;
	return one && one->has_owner;
}
