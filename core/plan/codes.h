/* SPDX-License-Identifier: BSD-2-Clause */
/* The code of a plan's functions, taken apart by several threads. */
#ifndef GOTRACE_CODES_H
#define GOTRACE_CODES_H

#include <stdatomic.h>

#include "binary/gocode.h"
#include "plan/plan.h"

#define CODES_THREADS_MAX 4

struct codes {
	const struct plan *plan;
	struct gocode_ctx *ctx[CODES_THREADS_MAX]; /* the first is the caller's */
	unsigned n_threads;
	struct gocode *at; /* by function, of [from, to): the code that nobody has taken yet */
	size_t from, to;
	/* the first function that no thread works on, while they are taken apart */
	atomic_size_t next;
	atomic_int err;
};

/* Borrows all arguments. Returns 0 or -ENOMEM. The caller calls codes_close in either case. */
int codes_open(struct codes *c, const struct plan *p, struct gocode_ctx *ctx);
/* Hands over the code of a function that is to be probed. The caller frees it. A caller asks for
 * each function once, in ascending order. Returns 0 or -ENOMEM. */
int codes_take(struct codes *c, size_t func, struct gocode *out);
void codes_close(struct codes *c);

#endif
