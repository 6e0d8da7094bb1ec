// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/calls/first_calls.h"

#include <stdlib.h>

#include "base/vec.h"

static void swap(struct call *a, struct call *b)
{
	struct call t = *a;

	*a = *b;
	*b = t;
}

/* Does a come after b in the order? */
static bool is_after(call_weight_fn weight, const struct call *a, const struct call *b)
{
	uint64_t heavy_a = weight ? weight(a) : 0, heavy_b = weight ? weight(b) : 0;

	return heavy_a != heavy_b ? heavy_a < heavy_b : a->order > b->order;
}

static void rise(struct call *heap, size_t i, call_weight_fn weight)
{
	for (; i && is_after(weight, &heap[i], &heap[(i - 1) / 2]); i = (i - 1) / 2)
		swap(&heap[i], &heap[(i - 1) / 2]);
}

static void sink(struct call *heap, size_t i, size_t n, call_weight_fn weight)
{
	for (size_t child; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n && is_after(weight, &heap[child + 1], &heap[child]))
			child++;
		if (is_after(weight, &heap[i], &heap[child]))
			return;
		swap(&heap[i], &heap[child]);
	}
}

static int keep(struct first_calls *f, const struct call *c, struct call *to)
{
	if (f->values)
		return kept_values_put(f->values, c, to);
	*to = *c;
	to->kept = 0;
	return 0;
}

int first_calls_put(struct first_calls *f, const struct call *c)
{
	int err = 0;

	if (f->n < f->most) {
		err = vec_reserve(&f->calls, &f->cap, f->n + 1);
		if (!err)
			err = keep(f, c, &f->calls[f->n]);
		if (err)
			return err;
		rise(f->calls, f->n++, f->weight);
	} else if (f->most && is_after(f->weight, &f->calls[0], c)) {
		err = keep(f, c, &f->calls[0]);
		sink(f->calls, 0, f->n, f->weight);
	}
	return err;
}

/* The top of the heap is the last in order: it goes to the end, and the rest is a heap again. */
static void sort_heap(struct call *heap, size_t n, call_weight_fn weight)
{
	for (; n > 1; n--) {
		swap(&heap[0], &heap[n - 1]);
		sink(heap, 0, n - 1, weight);
	}
}

void first_calls_sort(struct first_calls *f)
{
	sort_heap(f->calls, f->n, f->weight);
}

void first_calls_sort_all(struct call *calls, size_t n, call_weight_fn weight)
{
	for (size_t i = n / 2; i--;)
		sink(calls, i, n, weight);
	sort_heap(calls, n, weight);
}

void first_calls_free(struct first_calls *f)
{
	free(f->calls);
	*f = (struct first_calls){ 0 };
}
