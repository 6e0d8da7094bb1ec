// SPDX-License-Identifier: BSD-2-Clause
/* Arguments and results, which come with entries and exits, on their way to their calls. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/model_internal.h"

void model_values(struct model *m, const struct trace_values *v, size_t n, const struct event *ev)
{
	m->values = v;
	m->n_values = v ? n : 0;
	m->values_ev = ev;
	m->next_values = 0;
	m->values_seen |= m->n_values > 0;
}

/* Those of the event, whose function is func. NULL: it has none. */
static const struct trace_values *values_at(struct model *m, const struct event *e, uint32_t func)
{
	while (m->next_values < m->n_values && m->values_ev + m->values[m->next_values].at < e)
		m->next_values++;
	if (m->next_values == m->n_values)
		return NULL;
	const struct trace_values *v = &m->values[m->next_values];

	return m->values_ev + v->at == e && m->info->values[v->first].func == func ? v : NULL;
}

/* In one piece, data behind it. */
static struct trace_values *copy_of(const struct trace_values *v)
{
	struct trace_values *copy = malloc(sizeof(*copy) + v->bytes);

	if (!copy)
		return NULL;
	*copy = *v;
	copy->data = (uint8_t *)(copy + 1);
	memcpy(copy + 1, v->data, v->bytes);
	return copy;
}

/* Room for a row that is new. */
static int add_row(struct model *m, uint32_t func, uint32_t row)
{
	struct paths *t = &m->paths;

	if (row != m->n_funcs || row >= PATH_TIMER)
		return -EINVAL;
	if (t->n_plain == UINT32_MAX) {
		t->n_plain = row;
		m->cap_funcs = m->cap_hists = row + 1; /* as take_tables made them */
	}
	int err = vec_reserve(&m->funcs, &m->cap_funcs, (size_t)row + 2);

	if (!err)
		err = vec_reserve(&m->hists, &m->cap_hists, (size_t)row + 2);
	if (!err)
		err = vec_reserve(&t->plain_of, &t->cap_plain, (size_t)row - t->n_plain + 1);
	if (err)
		return err;
	t->plain_of[row - t->n_plain] = func;
	m->n_funcs++;
	return 0;
}

static int find_row(struct model *m, const struct trace_values *v, struct frame *f)
{
	int err = m->opt.group(m->opt.group_ctx, f->func, v, &f->row);

	return err || f->row < m->n_funcs ? err : add_row(m, f->func, f->row);
}

int call_values_enter_slow(struct model *m, struct stack *s, size_t at, const struct event *e,
			   struct frame *f)
{
	const struct trace_values *v = values_at(m, e, f->func);
	struct trace_values *copy = v ? copy_of(v) : NULL;
	int err = v && !copy ? -ENOMEM : vec_reserve(&s->values, &s->cap_values, at + 1);

	if (!err && v && m->opt.group)
		err = find_row(m, v, f);
	if (err) {
		free(copy);
		return err;
	}
	free(s->values[at]);
	s->values[at] = copy;
	return 0;
}

void call_values_leave_slow(struct model *m, const struct event *e, uint32_t func)
{
	m->exit_values = e->kind == EV_EXIT ? values_at(m, e, func) : NULL;
	m->exit_func = func;
}

void call_values_fill_slow(struct model *m, const struct stack *s, const struct frame *f,
			   bool ended, struct call *c)
{
	size_t at = (size_t)(f - s->frames);
	bool returned = ended && m->exit_values && m->exit_func == f->func;

	m->handed.args = at < s->cap_values ? s->values[at] : NULL;
	m->handed.results = returned ? m->exit_values : NULL;
	c->values = m->handed.args || m->handed.results ? &m->handed : NULL;
	if (returned)
		m->exit_values = NULL; /* what it ends besides has not returned them */
}

void call_values_free(struct stack *s)
{
	for (size_t i = 0; i < s->cap_values; i++)
		free(s->values[i]);
	free(s->values);
	s->values = NULL;
	s->cap_values = 0;
}
