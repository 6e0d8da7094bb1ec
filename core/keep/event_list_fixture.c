// SPDX-License-Identifier: BSD-2-Clause
#include "keep/event_list_fixture.h"

#include "base/vec.h"

int event_list_take(void *ctx, const struct event_ext *ev)
{
	struct event_list *l = ctx;
	int err = vec_reserve(&l->ev, &l->cap, l->n + 1);

	if (!err)
		l->ev[l->n++] = *ev;
	return err;
}

int event_list_take_many(void *ctx, const struct event *ev, size_t n)
{
	int err = 0;

	for (size_t i = 0; i < n && !err; i++)
		err = event_list_take(ctx, &(struct event_ext){ .h = ev[i] });
	return err;
}
