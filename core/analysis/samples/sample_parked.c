// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/samples/sample_parked.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/calls/wait_class.h"
#include "analysis/parked.h"
#include "analysis/parked_rule.h"
#include "analysis/samples/sample_names.h"
#include "analysis/samples/sample_stacks.h"
#include "base/compare.h"

#define PLACE_PCT 90 /* of those that were seen again at a place */

/* Of a goroutine: what it did most, and whether that was to be parked. */
struct life {
	uint32_t group;
	bool once, parked;
};

struct finding {
	struct loaded_samples *s;
	const struct trace_info *info;
	struct wait_classes classes;
	uint32_t *order; /* groups that count, those of a goroutine together */
	size_t n;
	struct life *lives;
	size_t n_lives;
	uint64_t span_ns;
	bool leave_out;
};

static int by_place(const void *x, const void *y, void *ctx)
{
	const struct sample_group *groups = ctx, *a = &groups[((const struct life *)x)->group],
				  *b = &groups[((const struct life *)y)->group];
	int c = compare_u64(a->stack, b->stack);

	return c ? c : compare_u64(a->reason, b->reason);
}

/* Threads outside of any goroutine wait for other things. */
static void gather(struct finding *f)
{
	const struct loaded_samples *s = f->s;
	uint64_t first_ns = UINT64_MAX, last_ns = 0;

	for (size_t i = 0; i < s->n_groups; i++) {
		const struct sample_group *g = &s->groups[i];

		first_ns = g->first_ns < first_ns ? g->first_ns : first_ns;
		last_ns = g->last_ns > last_ns ? g->last_ns : last_ns;
		if (!g->left_out && g->goid)
			f->order[f->n++] = (uint32_t)i;
	}
	f->span_ns = last_ns > first_ns ? last_ns - first_ns : 0;
	if (f->n)
		qsort_r(f->order, f->n, sizeof(*f->order), sample_by_goroutine, s->groups);
}

static bool own_loop(const struct finding *f, const struct sample_group *g)
{
	if (!f->s->tables || !wait_for_work(f->info, &f->classes, g->reason))
		return false;
	const struct stack_look look = sample_stack_look(f->s->tables, g->stack);

	return stack_look_own(&look);
}

static struct life look_at(const struct finding *f, const uint32_t *groups, size_t n)
{
	const struct sample_group *all = f->s->groups, *most = NULL;
	uint64_t ns = 0, samples = 0, first_ns = UINT64_MAX, last_ns = 0;
	struct life life = { .group = groups[0] };

	for (size_t i = 0; i < n; i++) {
		const struct sample_group *g = &all[groups[i]];

		ns += g->weight_ns;
		samples += g->samples;
		first_ns = g->first_ns < first_ns ? g->first_ns : first_ns;
		last_ns = g->last_ns > last_ns ? g->last_ns : last_ns;
		if (g->state == STATE_WAITING && (!most || g->weight_ns > most->weight_ns)) {
			most = g;
			life.group = groups[i];
		}
	}
	if (!most)
		return life;
	/* A wait that was seen from the begin to the end is one sample of all of that time. */
	const uint64_t seen_ns = last_ns - first_ns > ns ? last_ns - first_ns : ns;

	life.once = samples == 1 && most->begun && most->square_ns2 >= (double)ns * (double)ns;
	life.parked = !life.once && 2 * seen_ns >= f->span_ns &&
		      parked_rule(&(struct parked_life){
			      .life_ns = ns,
			      .there_ns = most->weight_ns,
			      .waits = most->begun,
			      .own_loop = own_loop(f, most),
			      .lock = wait_for_lock(f->info, &f->classes, most->reason) });
	return life;
}

/* Marks those of one place; returns their time. */
static uint64_t mark(const struct finding *f, const struct life *lives, size_t n)
{
	uint64_t ns = 0;
	size_t parked = 0, again = 0;

	for (size_t i = 0; i < n; i++) {
		parked += lives[i].parked;
		again += !lives[i].once;
	}
	const bool all = parked && 100 * parked >= PLACE_PCT * again;

	for (size_t i = 0; i < n; i++) {
		struct sample_group *g = &f->s->groups[lives[i].group];

		g->parked = lives[i].parked || (lives[i].once && all);
		ns += g->parked ? g->weight_ns : 0;
	}
	return ns;
}

static void find(struct finding *f)
{
	struct loaded_samples *s = f->s;
	uint64_t all_ns = 0, ns = 0;

	for (size_t i = 0, k; i < f->n; i = k) {
		for (k = i + 1;
		     k < f->n && !sample_by_goroutine(&f->order[i], &f->order[k], s->groups);)
			k++;
		const struct life life = look_at(f, &f->order[i], k - i);

		if (s->groups[life.group].state == STATE_WAITING)
			f->lives[f->n_lives++] = life;
	}
	if (f->n_lives)
		qsort_r(f->lives, f->n_lives, sizeof(*f->lives), by_place, s->groups);
	for (size_t i = 0, k; i < f->n_lives; i = k) {
		for (k = i + 1; k < f->n_lives && !by_place(&f->lives[i], &f->lives[k], s->groups);)
			k++;
		ns += mark(f, &f->lives[i], k - i);
	}
	for (size_t i = 0; i < s->n_groups; i++)
		all_ns += s->groups[i].left_out ? 0 : s->groups[i].weight_ns;
	const bool nothing = parked_rule_keeps_all(all_ns - ns, f->span_ns);

	s->only_parked = nothing && ns;
	for (size_t i = 0; i < f->n_lives; i++) {
		struct sample_group *g = &s->groups[f->lives[i].group];

		g->parked &= !nothing;
		g->left_out |= g->parked && f->leave_out;
	}
}

int sample_parked_find(struct loaded_samples *s, const struct trace_info *info, bool leave_out)
{
	struct finding f = { .s = s,
			     .info = info,
			     .leave_out = leave_out,
			     .order = calloc(s->n_groups + 1, sizeof(*f.order)),
			     .lives = calloc(s->n_groups + 1, sizeof(*f.lives)) };
	const int err = f.order && f.lives ? 0 : -ENOMEM;

	if (!err) {
		wait_classes_fill(&f.classes, info);
		gather(&f);
		find(&f);
	}
	free(f.order);
	free(f.lives);
	return err;
}

/* ---- saying it */

/* What a goroutine began with, below what Go's runtime makes of each. */
static uint32_t first_of(const struct loaded_samples *s, const struct trace_info *info,
			 const uint32_t *funcs, size_t n)
{
	size_t i = n > 1 && sample_func_is_program(s, funcs[0]);

	while (i + 1 < n && !strncmp(info->funcs[funcs[i]].name, "runtime.", 8))
		i++;
	return funcs[i];
}

char *sample_parked_say(const struct loaded_trace *t)
{
	struct loaded_samples *s = t->samples;
	struct trace_info *info = (struct trace_info *)(uintptr_t)t->info;
	struct parked_group *g = calloc(s->n_groups + 1, sizeof(*g));
	uint32_t *funcs = NULL;
	size_t n = 0, cap = 0, n_funcs;
	uint64_t ns = 0;
	bool unresolved;

	for (size_t i = 0; g && i < s->n_groups; i++) {
		const struct sample_group *x = &s->groups[i];

		if (!x->parked || x->awaits ||
		    sample_stack_expand(s, info, x->stack, &funcs, &cap, &n_funcs, &unresolved) ||
		    !n_funcs)
			continue;
		ns += x->weight_ns;
		g[n++] = (struct parked_group){ first_of(s, info, funcs, n_funcs), x->reason, 1 };
	}
	char *line = n ? parked_groups_say(g, n, ns, info) : NULL;

	free(funcs);
	free(g);
	return line;
}
