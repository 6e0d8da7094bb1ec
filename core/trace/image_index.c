// SPDX-License-Identifier: BSD-2-Clause
/*
 * Images are met in the order of their first addresses. Those that may reach to the address at hand
 * are in a heap with the last of the trace on top; what ended before it leaves when it comes there.
 */
#include "trace/image_index.h"

#include <errno.h>
#include <stdlib.h>

#include "base/compare.h"
#include "base/vec.h"
#include "trace/samples.h"

struct building {
	struct image_index *x;
	const struct sample_image *images;
	uint32_t *heap;
	size_t n_heap;
};

static int by_start(const void *x, const void *y, void *ctx)
{
	const struct sample_image *images = ctx;
	const uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	int c = compare_u64(images[a].process, images[b].process);

	if (!c)
		c = compare_u64(images[a].start, images[b].start);
	return c ? c : compare_u64(a, b);
}

static void push(struct building *b, uint32_t image)
{
	size_t i = b->n_heap++;

	for (; i && b->heap[(i - 1) / 2] < image; i = (i - 1) / 2)
		b->heap[i] = b->heap[(i - 1) / 2];
	b->heap[i] = image;
}

static void pop(struct building *b)
{
	const uint32_t last = b->heap[--b->n_heap];
	size_t i = 0, below;

	for (; (below = 2 * i + 1) < b->n_heap; i = below) {
		if (below + 1 < b->n_heap && b->heap[below + 1] > b->heap[below])
			below++;
		if (b->heap[below] < last)
			break;
		b->heap[i] = b->heap[below];
	}
	b->heap[i] = last;
}

static int put_range(struct building *b, uint32_t image, uint64_t start, uint64_t end)
{
	struct image_index *x = b->x;
	struct image_range *last = x->n ? &x->ranges[x->n - 1] : NULL;
	const uint32_t process = b->images[image].process;

	if (start >= end)
		return 0;
	if (last && last->image == image && last->process == process && last->end == start) {
		last->end = end;
		return 0;
	}
	if (vec_reserve(&x->ranges, &x->cap, x->n + 1))
		return -ENOMEM;
	x->ranges[x->n++] = (struct image_range){ start, end, process, image };
	return 0;
}

/* Ranges of what is in the heap, from *at up to `to`, where the next image begins. */
static int go_on(struct building *b, uint64_t *at, uint64_t to)
{
	int err = 0;

	while (b->n_heap && *at < to && !err) {
		const uint32_t top = b->heap[0];
		const uint64_t end = b->images[top].end;

		if (end <= *at) {
			pop(b);
			continue;
		}
		err = put_range(b, top, *at, end < to ? end : to);
		*at = end < to ? end : to;
	}
	return err;
}

int image_index_build(struct image_index *x, const struct sample_image *images, size_t n)
{
	struct building b = { .x = x, .images = images };
	uint32_t *order = calloc(n + 1, sizeof(*order));
	uint64_t at = 0;
	int err = 0;

	b.heap = calloc(n + 1, sizeof(*b.heap));
	if (!order || !b.heap)
		err = -ENOMEM;
	for (size_t i = 0; i < n && !err; i++)
		order[i] = (uint32_t)i;
	if (n && !err)
		qsort_r(order, n, sizeof(*order), by_start, (void *)(uintptr_t)images);
	for (size_t i = 0; i < n && !err; i++) {
		const struct sample_image *image = &images[order[i]];
		const bool same = i && images[order[i - 1]].process == image->process;

		err = go_on(&b, &at, same ? image->start : UINT64_MAX);
		if (!same)
			b.n_heap = 0;
		at = image->start;
		push(&b, order[i]);
	}
	if (!err)
		err = go_on(&b, &at, UINT64_MAX);
	free(order);
	free(b.heap);
	return err;
}

uint32_t image_index_find(const struct image_index *x, uint32_t process, uint64_t pc)
{
	size_t low = 0, high = x->n;

	if (sample_in_kernel(pc))
		process = TRACE_NONE;
	while (low < high) { /* the first that begins after pc */
		const size_t middle = low + (high - low) / 2;
		const struct image_range *r = &x->ranges[middle];
		const int c = compare_u64(r->process, process);

		if (c < 0 || (!c && r->start <= pc))
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return TRACE_NONE;
	const struct image_range *r = &x->ranges[low - 1];

	return r->process == process && pc < r->end ? r->image : TRACE_NONE;
}

void image_index_free(struct image_index *x)
{
	free(x->ranges);
	*x = (struct image_index){ 0 };
}
