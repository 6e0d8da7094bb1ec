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
	struct gocode *at; /* of functions [from, to), those that are not taken yet */
	size_t from, to;
	atomic_size_t next; /* while they are taken apart: the first that nobody does */
	atomic_int err;
};

/* Borrows all. 0 or -ENOMEM; to be closed in every case. */
int codes_open(struct codes *c, const struct plan *p, struct gocode_ctx *ctx);
/* The code of a function that is to be probed, and is the caller's to free from then on; each once,
 * in ascending order. 0 or -ENOMEM. */
int codes_take(struct codes *c, size_t func, struct gocode *out);
void codes_close(struct codes *c);

#endif
