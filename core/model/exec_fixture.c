// SPDX-License-Identifier: BSD-2-Clause
#include "model/exec_sim_fixture.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

uint64_t exec_random(uint64_t *state) /* splitmix64 */
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

unsigned exec_rnd(struct sim *s, unsigned n)
{
	return (unsigned)(exec_random(&s->rng) >> 33) % n;
}

static void first_goroutine(struct sim *s)
{
	memset(s->g, 0, sizeof(s->g));
	s->g[0] = (struct goroutine){ .alive = true, .id = 1, .base = 16 };
	s->next_goid = 2;
	for (unsigned i = 0; i < MAX_THREADS; i++) /* depths of system stacks wrap */
		s->thread[i] = (struct goroutine){
			.alive = true, .system = true, .id = 100 + i, .base = 0xffffff00u + 0x40 * i
		};
}

static void stop_world(struct sim *s)
{
	for (unsigned i = 0; i < MAX_GOROUTINES + MAX_THREADS; i++) {
		struct goroutine *g = i < MAX_GOROUTINES ? &s->g[i]
							 : &s->thread[i - MAX_GOROUTINES];

		while (!s->err && g->p.active)
			exec_go_on(s, g);
	}
}

static void close_all(struct sim *s)
{
	for (unsigned i = 0; i < MAX_GOROUTINES + MAX_THREADS; i++) {
		struct goroutine *g = i < MAX_GOROUTINES ? &s->g[i]
							 : &s->thread[i - MAX_GOROUTINES];

		while (!s->err && g->n)
			truth_finish(s, g, s->x->events[s->x->n - 1].h.ts_ns, CALL_UNFINISHED);
	}
}

/* The process executes itself again. */
static void new_image(struct sim *s)
{
	stop_world(s);
	close_all(s);
	first_goroutine(s);
	exec_tick(s);
	exec_emit(s, NULL, EV_IMAGE, 0, 0)->h.goid = 1;
}

/* Step i of the execution. What it does is the same whether or not others are left out. */
static void step(struct sim *s, unsigned i)
{
	uint64_t rng = s->seed + i * 0x2545f4914f6cdd1dull;

	s->rng = exec_random(&rng);
	unsigned at = exec_rnd(s, MAX_GOROUTINES), alive = 0;

	if (!exec_rnd(s, 400) && s->x->n_calls) {
		new_image(s);
		return;
	}
	if (!exec_rnd(s, 12)) {
		exec_step(s, &s->thread[exec_rnd(s, MAX_THREADS)]);
		return;
	}
	for (unsigned k = 0; k < MAX_GOROUTINES; k++)
		alive += s->g[k].alive;
	for (unsigned k = 0, nth = alive ? at % alive : 0; k < MAX_GOROUTINES; k++)
		if (s->g[k].alive && !nth--) {
			exec_step(s, &s->g[k]);
			return;
		}
}

int exec_make(struct exec *x, uint64_t seed, const struct exec_options *opt)
{
	struct sim s = { .x = x, .opt = opt, .seed = seed, .now = 1000 };

	*x = (struct exec){ .n_nodes = 1 };
	s.err = exec_info(&x->info);
	if (!s.err)
		s.err = vec_reserve(&x->nodes, &x->cap_nodes, 1);
	if (s.err)
		return s.err;
	x->nodes[0].func = PATH_ROOT;
	first_goroutine(&s);
	for (unsigned i = 0; !s.err && i < opt->steps; i++)
		if (!opt->skip || !opt->skip[i])
			step(&s, i);
	s.rng = seed;
	stop_world(&s);
	close_all(&s);
	return s.err;
}

void exec_free(struct exec *x)
{
	trace_info_free(&x->info);
	free(x->events);
	free(x->calls);
	free(x->nodes);
	*x = (struct exec){ 0 };
}
