// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/calls/wakers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/trace_names.h"
#include "analysis/calls/wait_class.h"
#include "base/compare.h"
#include "base/log.h"

static int by_key(const struct func_wakes *a, uint32_t func, uint32_t reason)
{
	return a->func != func ? compare_u64(a->func, func) : compare_u64(a->reason, reason);
}

static int by_waker(const void *x, const void *y)
{
	const struct func_wakes *a = x, *b = y;
	int key = by_key(a, b->func, b->reason);

	return key ? key : compare_u64(a->by, b->by);
}

static int by_row(const void *x, const void *y)
{
	const struct func_wakes *a = x, *b = y;
	int key = by_key(a, b->func, b->reason);

	if (key)
		return key;
	return a->ns != b->ns ? compare_u64(b->ns, a->ns) : compare_u64(a->by, b->by);
}

/* A deferred wrapper's wake is that of the function that defers; what is then alike is one. */
static int name_wrapped(struct wake_rows *w, const struct trace_info *info)
{
	struct lock_rules *r = lock_rules_new(info);
	size_t to = 0;

	if (!r)
		return -ENOMEM;
	for (size_t i = 0; i < w->n; i++)
		if (w->all[i].by < r->rules.n_funcs)
			w->all[i].by = r->acts_for[w->all[i].by];
	lock_rules_free(r);
	qsort(w->all, w->n, sizeof(*w->all), by_waker);
	for (size_t i = 0; i < w->n; i++) {
		struct func_wakes *last = to ? &w->all[to - 1] : NULL;

		if (last && !by_waker(last, &w->all[i])) {
			last->ns += w->all[i].ns;
			last->n += w->all[i].n;
		} else {
			w->all[to++] = w->all[i];
		}
	}
	w->n = to;
	return 0;
}

int wake_rows_load(struct wake_rows *w, const struct loaded_trace *t)
{
	size_t n;
	const struct func_wakes *all = model_wakes(t->model, &n);

	*w = (struct wake_rows){ .all = calloc(n + 1, sizeof(*all)), .n = n };
	if (w->all && n)
		memcpy(w->all, all, n * sizeof(*all));
	int err = !w->all ? -ENOMEM : n ? name_wrapped(w, t->info) : 0;

	if (err)
		log_no_memory("no memory for the wakers of waits");
	else if (n)
		qsort(w->all, w->n, sizeof(*w->all), by_row);
	return err;
}

const struct func_wakes *wake_rows_of(const struct wake_rows *w, uint32_t func, uint32_t reason,
				      size_t *n)
{
	size_t low = 0, high = w->n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (by_key(&w->all[mid], func, reason) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	for (*n = 0; low + *n < w->n && !by_key(&w->all[low + *n], func, reason);)
		++*n;
	return *n ? &w->all[low] : NULL;
}

void wake_rows_free(struct wake_rows *w)
{
	free(w->all);
	*w = (struct wake_rows){ 0 };
}

const char *wake_name(const struct trace_info *info, uint32_t by)
{
	return by == WAKE_NONE      ? NULL
	       : by == WAKE_RUNTIME ? "[runtime]"
	       : by == WAKE_NO_CALL ? "[not recorded]"
				    : trace_name_func(info, by);
}
