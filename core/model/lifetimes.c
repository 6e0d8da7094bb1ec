// SPDX-License-Identifier: BSD-2-Clause
/* Beginnings and ends of goroutines, and of process images with all of theirs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "model/model_internal.h"

int life_drop(struct model *m, struct stack *s, uint64_t ts_ns, enum call_end end)
{
	(void)end;
	states_end(m, s, ts_ns);
	stack_drop(m, s);
	return m->states_err;
}

static int retire(struct model *m, struct stack *s, uint64_t ts_ns)
{
	int err = pair_pop_all(m, s, ts_ns, CALL_UNFINISHED);

	return err ? err : life_drop(m, s, ts_ns, CALL_UNFINISHED);
}

static int by_number(const void *x, const void *y)
{
	const struct stack *const *a = x, *const *b = y;

	return compare_u64((*a)->info.goid, (*b)->info.goid);
}

/* In the order of their numbers: outputs have it. */
static int retire_table(struct model *m, struct stack_table *t, uint64_t ts_ns)
{
	const size_t n = t->n;
	struct stack **all = n ? malloc(n * sizeof(struct stack *)) : NULL;
	int err = n && !all ? -ENOMEM : 0;

	if (all) {
		memcpy(all, t->all, n * sizeof(struct stack *));
		qsort(all, n, sizeof(struct stack *), by_number);
	}
	for (size_t i = 0; i < n && !err; i++)
		err = retire(m, all[i], ts_ns);
	free(all);
	return err;
}

int lifetimes_end_all(struct model *m, uint64_t ts_ns)
{
	int err = retire_table(m, &m->goroutines, ts_ns);

	return err ? err : retire_table(m, &m->threads, ts_ns);
}

int life_created_by(struct model *m, const struct event *e, const uint64_t arg[4], uint32_t *root)
{
	*root = 0;
	if (e->flags &
	    EVF_BEFORE) /* told later: what the creator does meanwhile is another thing */
		return 0;
	if (!e->goid) /* goroutine 1 is made before there is any, and is no timer's */
		return arg[0] == 1 ? 0 : paths_timer(&m->paths, root);
	struct stack *creator = stack_get(m, false, e->goid, e->ts_ns);

	if (!creator)
		return -errno;
	creator->info.last_ns = e->ts_ns;
	creator->info.started++;
	states_own(m, creator, e);
	*root = creator->n ? pair_top(creator)->path : creator->root;
	return pair_inside(m, creator, e);
}

int life_begin(struct model *m, const struct event *e, const uint64_t arg[4], uint32_t root)
{
	struct stack *child = stack_get(m, false, arg[0], e->ts_ns);

	if (!child)
		return -errno;
	child->go_edge = root || e->goid;
	child->root = root;
	child->root_pc = arg[1];
	child->info.creator = e->goid;
	child->info.create_pc = arg[1];
	child->info.start_pc = arg[2];
	if (!(e->flags & EVF_BEFORE) && arg[0] != e->goid)
		states_created(m, child, e->ts_ns);
	return 0;
}

/* The scheduler has chosen goroutine 1, which is about to enter runtime.main: so states begin. */
static bool just_begun(const struct model *m)
{
	return m->states && m->totals.goroutines == 1 && m->goroutines.n == 1 &&
	       m->goroutines.all[0]->info.goid == 1 && !m->totals.calls;
}

int life_image(struct model *m, const struct event *e)
{
	/* A loss record may name a later moment, which belongs to the new image. */
	uint64_t last_ns = m->totals.last_ns < e->ts_ns ? m->totals.last_ns : e->ts_ns;
	int err = 0;

	if (m->image_seen || m->totals.calls)
		err = lifetimes_end_all(m, last_ns);
	/* A gap of one goroutine that reaches into the new image: which goroutine it concerns there
	 * is not known.
	 */
	if (m->lost_one_until_ns > m->lost_until_ns)
		m->lost_until_ns = m->lost_one_until_ns;
	/* The start code has run on a system stack, but no goroutine has: still the first image. */
	if (m->image_seen || (m->totals.goroutines && !just_begun(m)))
		m->image++;
	m->image_seen = true;
	m->totals.images = m->image + 1;
	return err;
}
