// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/first_calls.h"

#include <stdlib.h>

#include "base/vec.h"

static void swap(struct call *a, struct call *b)
{
	struct call t = *a;

	*a = *b;
	*b = t;
}

static void rise(struct call *heap, size_t i)
{
	for (; i && heap[i].order > heap[(i - 1) / 2].order; i = (i - 1) / 2)
		swap(&heap[i], &heap[(i - 1) / 2]);
}

static void sink(struct call *heap, size_t n)
{
	for (size_t i = 0, child; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n && heap[child + 1].order > heap[child].order)
			child++;
		if (heap[i].order > heap[child].order)
			return;
		swap(&heap[i], &heap[child]);
	}
}

int firstcalls_put(struct firstcalls *f, const struct call *c)
{
	if (f->n < f->most) {
		int err = vec_reserve(&f->calls, &f->cap, f->n + 1);

		if (err)
			return err;
		f->calls[f->n] = *c;
		rise(f->calls, f->n++);
	} else if (f->most && c->order < f->calls[0].order) {
		f->calls[0] = *c;
		sink(f->calls, f->n);
	}
	return 0;
}

void firstcalls_sort(struct firstcalls *f)
{
	for (size_t n = f->n; n > 1; n--) {
		swap(&f->calls[0], &f->calls[n - 1]);
		sink(f->calls, n - 1);
	}
}

void firstcalls_free(struct firstcalls *f)
{
	free(f->calls);
	*f = (struct firstcalls){ 0 };
}
