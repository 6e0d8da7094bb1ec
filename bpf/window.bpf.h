/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The memory of another task's program, for a walk of its stack. A read takes a microsecond, so a
 * read takes many bytes at once, because frames follow each other.
 *
 * bpf_copy_from_user_task, in programs that may sleep: 376040e47334, Linux 5.18.
 */
#ifndef GOTRACE_WINDOW_BPF_H
#define GOTRACE_WINDOW_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/sample.h"

#define WINDOW_BYTES 2048
#define PAGE_BYTES   4096

/* The n bytes at `from`. Empty when n is 0. */
struct window {
	uint64_t from;
	uint32_t n, pad;
	uint8_t data[WINDOW_BYTES];
};
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct window);
} windows SEC(".maps");

struct walk_context {
	struct walk *w;
	struct task_struct *task;
	struct window *window;
};

/* Moves the window to `at`, not beyond the page, because the next page may not be mapped. Returns 0
 * or -1. */
static __always_inline long move_window(const struct walk_context *c, uint64_t at)
{
	uint32_t n = PAGE_BYTES - (at & (PAGE_BYTES - 1));

	if (n > WINDOW_BYTES)
		n = WINDOW_BYTES;
	c->window->n = 0;
	if (bpf_copy_from_user_task(c->window->data, n, (void *)at, c->task, 0))
		return -1;
	c->window->from = at;
	c->window->n = n;
	return 0;
}

/* Reads 8 or 16 bytes. Returns 0, or another value on an error. */
static __always_inline long read_user(const struct walk_context *c, void *to, uint32_t bytes,
				      uint64_t at)
{
	uint64_t off = at - c->window->from;

	if (off >= c->window->n || c->window->n - off < bytes) {
		if (PAGE_BYTES - (at & (PAGE_BYTES - 1)) < bytes)
			return bpf_copy_from_user_task(to, bytes, (void *)at, c->task, 0);
		if (move_window(c, at))
			return -1;
		off = 0;
	}
	if (off > WINDOW_BYTES - bytes)
		return -1;
	__builtin_memcpy(to, c->window->data + off, bytes);
	return 0;
}

#endif
