// SPDX-License-Identifier: BSD-2-Clause
#include "plan/codes.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/side_job.h"

#define BATCH 2048 /* functions whose code is held at once */
#define STEP  16   /* of which a thread takes so many at a time */
#define FEW   128  /* a thread for so many at least */

int codes_open(struct codes *c, const struct plan *p, struct gocode_ctx *ctx)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	size_t wanted = p->n_funcs / FEW + 1;

	*c = (struct codes){ .plan = p, .ctx = { ctx }, .n_threads = 1 };
	if (cpus > 0 && wanted > (size_t)cpus)
		wanted = (size_t)cpus;
	if (wanted > CODES_THREADS_MAX)
		wanted = CODES_THREADS_MAX;
	c->at = calloc(BATCH, sizeof(*c->at));
	if (!c->at)
		return -ENOMEM;
	while (c->n_threads < wanted && (c->ctx[c->n_threads] = gocode_ctx_clone(ctx)))
		c->n_threads++;
	return 0;
}

/* A thread's part of the batch. */
struct part {
	struct codes *all;
	struct gocode_ctx *ctx;
	struct side_job job;
};

static void take_apart(void *arg)
{
	const struct part *part = arg;
	struct codes *c = part->all;
	size_t i;

	while (!c->err && (i = atomic_fetch_add(&c->next, STEP)) < c->to)
		for (size_t end = i + STEP; i < end && i < c->to && !c->err; i++) {
			const struct plan_func *f = &c->plan->funcs[i];
			int err = f->fate == PLAN_PROBED
					  ? gocode_analyze(part->ctx, f->fn, &c->at[i - c->from])
					  : 0;

			if (err)
				c->err = err;
		}
}

static void drop(struct codes *c)
{
	for (size_t i = 0; i < c->to - c->from; i++)
		gocode_free(&c->at[i]);
}

static int next_batch(struct codes *c, size_t from)
{
	const size_t left = c->plan->n_funcs - from;
	struct part parts[CODES_THREADS_MAX];

	drop(c);
	c->from = from;
	c->to = from + (left < BATCH ? left : BATCH);
	c->next = from;
	for (unsigned i = 0; i < c->n_threads; i++)
		parts[i] = (struct part){ .all = c, .ctx = c->ctx[i] };
	for (unsigned i = 1; i < c->n_threads; i++)
		side_job_begin(&parts[i].job, take_apart, &parts[i]);
	take_apart(&parts[0]);
	for (unsigned i = 1; i < c->n_threads; i++)
		side_job_end(&parts[i].job);
	return c->err;
}

int codes_take(struct codes *c, size_t func, struct gocode *out)
{
	int err = func < c->to ? 0 : next_batch(c, func);

	if (err)
		return err;
	*out = c->at[func - c->from];
	c->at[func - c->from] = (struct gocode){ 0 };
	return 0;
}

void codes_close(struct codes *c)
{
	if (c->at)
		drop(c);
	free(c->at);
	for (unsigned i = 1; i < c->n_threads; i++)
		gocode_ctx_free(c->ctx[i]);
	*c = (struct codes){ 0 };
}
