/* SPDX-License-Identifier: BSD-2-Clause */
/* Which calls can be trusted. Private to core/model. */
#ifndef GOTRACE_LOSSES_H
#define GOTRACE_LOSSES_H

#include "model/model_internal.h"

/* EV_LOSS. 0 or -ENOMEM */
int loss_apply(struct model *m, const struct event *e, const uint64_t arg[4]);

/* Returns whether a loss touches f, a frame of s, or f ended unseen. */
static inline bool frame_suspect(const struct model *m, const struct stack *s,
				 const struct frame *f)
{
	return f->flags & PAIR_SUSPECT || f->start_ns <= s->lost_until_ns ||
	       f->start_ns <= m->lost_until_ns ||
	       (s->system && (f->order < s->doubt_order || f->order < m->doubt_order));
}

/* Moves the begin of f to ts_ns. f stays as suspect as it was. */
static inline void frame_restart(const struct model *m, const struct stack *s, struct frame *f,
				 uint64_t ts_ns)
{
	f->flags |= frame_suspect(m, s, f) ? PAIR_SUSPECT : 0;
	f->start_ns = ts_ns;
}

#endif
