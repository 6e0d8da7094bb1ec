// SPDX-License-Identifier: BSD-2-Clause
/* Of which processes the BPF program knows what they have mapped. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "sample/processes_room.h"
#include "base/compare.h"

#define GIVE_WAY 8 /* one in so many, at a time: it takes a look at all */

int process_used_first(const void *x, const void *y)
{
	const struct process *const *a = x, *const *b = y;

	return compare_u64((*a)->used_ns, (*b)->used_ns);
}

/* Makes room for others. False: nobody has a place. */
static bool untell_unused(struct processes *p)
{
	struct process **told = calloc(p->n + 1, sizeof(struct process *));
	size_t n = 0;

	for (size_t i = 0; i < p->n && told; i++)
		if (p->all[i].told && p->all[i].has_tables)
			told[n++] = &p->all[i];
	if (n)
		qsort(told, n, sizeof(struct process *), process_used_first);
	for (size_t i = 0; i < (n + GIVE_WAY - 1) / GIVE_WAY; i++)
		process_untell(p, told[i], UINT64_MAX);
	free(told);
	return n;
}

/* Each image is looked at once: a file is opened for it. */
static void look_for_interpreter(struct processes *p, struct process *one)
{
	if (!p->langs || one->looked_for >= one->n_images)
		return;
	if (langs_map(p->langs, one->pid, one->images + one->looked_for,
		      one->n_images - one->looked_for))
		one->interprets = true;
	one->looked_for = one->n_images;
}

void process_tell(struct processes *p, struct process *one)
{
	int n = 0;

	if (p->natives)
		n = natives_map(p->natives, one->pid, one->images, one->n_images);
	if (n == -E2BIG && untell_unused(p))
		n = natives_map(p->natives, one->pid, one->images, one->n_images);
	look_for_interpreter(p, one);
	one->told = n >= 0;
	one->has_tables = n != 0;
}

void process_untell(struct processes *p, struct process *one, uint64_t ts_ns)
{
	if (p->natives && one->told && one->has_tables)
		natives_unmap(p->natives, one->pid, ts_ns);
	/* Another process may have the pid since. */
	if (p->langs && one->interprets)
		langs_unmap(p->langs, one->pid);
	one->told = one->interprets = false;
	one->looked_for = 0;
}

bool process_has_threads(uint32_t pid)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	return !stat(path, &st) && st.st_nlink > 3; /* a folder of each */
}
