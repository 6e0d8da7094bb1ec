// SPDX-License-Identifier: BSD-2-Clause
/* Where each goroutine waits longest: by majority vote (Boyer and Moore, 1981), in constant memory.
 */
#include "model/places.h"

#include "model/model_internal.h"

static bool is_place(const struct wait_place *p, const struct frame *f, uint16_t reason)
{
	return p->ns && p->path == f->path && p->func == f->row && p->reason == reason;
}

void place_began(struct stack *s, const struct frame *f)
{
	struct wait_place *p = &s->state.place;

	p->there = f && s->state.now == STATE_WAITING && is_place(p, f, s->state.reason);
	p->n += p->there;
}

void place_waited(struct stack *s, const struct frame *f, uint64_t ns)
{
	struct wait_place *p = &s->state.place;

	if (f->flags & FRAME_MUTED)
		return;
	p->there = is_place(p, f, s->state.reason);
	if (p->there) {
		p->ns += ns;
		p->votes_ns += ns;
	} else if (p->votes_ns >= ns) {
		p->votes_ns -= ns;
	} else {
		*p = (struct wait_place){ .path = f->path,
					  .func = f->row,
					  .reason = s->state.reason,
					  .ns = ns,
					  .votes_ns = ns - p->votes_ns,
					  .n = 1,
					  .there = true };
	}
}

void place_tell(const struct model *m, const struct stack *s)
{
	const struct wait_place *p = &s->state.place;

	if (!p->ns || 2 * p->ns <= s->state.off.wait_ns)
		return;
	m->opt.on_place(m->opt.place_ctx, &(struct goroutine_place){ .g = &s->info,
								     .path = p->path,
								     .func = p->func,
								     .reason = p->reason,
								     .ns = p->ns,
								     .n = p->n,
								     .there = p->there });
}

/* ---- leaving out */

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void leave_out_total(struct call_stats *st, uint64_t ns)
{
	st->left_out_ns += ns;
	st->total_ns -= least(ns, st->total_ns);
	st->off_total.wait_ns -= least(ns, st->off_total.wait_ns);
	if (st->suspect_ns > st->total_ns)
		st->suspect_ns = st->total_ns;
}

uint64_t model_leave_out(struct model *m, const struct path_waits *what)
{
	struct path_node *nodes = m->paths.nodes;

	/* A node that stands for many functions keeps its waits. */
	if (what->path >= m->paths.n || nodes[what->path].func >= m->n_funcs ||
	    what->func >= m->n_funcs)
		return 0;
	struct call_stats *st = &nodes[what->path].stats;
	const uint64_t ns = least(what->ns, st->off_self.wait_ns);

	st->self_ns -= ns;
	st->off_self.wait_ns -= ns;
	m->funcs[what->func].self_ns -= ns;
	m->funcs[what->func].off_self.wait_ns -= ns;
	for (uint32_t i = what->path; i; i = nodes[i].parent) {
		leave_out_total(&nodes[i].stats, ns);
		if (nodes[i].func < m->n_funcs && m->paths.hot[i].outermost)
			leave_out_total(&m->funcs[nodes[i].func], ns);
		if (nodes[i].go_edge)
			break;
	}
	m->totals.root_ns -= least(ns, m->totals.root_ns);
	m->totals.off.wait_ns -= least(ns, m->totals.off.wait_ns);
	m->totals.life_ns -= least(ns, m->totals.life_ns);
	waits_take(&m->waits, what, ns);
	return ns;
}
