// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/samples/sample_load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/samples/sample_errors.h"
#include "analysis/samples/sample_fill.h"
#include "analysis/samples/sample_parked.h"
#include "analysis/samples/sample_processes.h"
#include "analysis/samples/sample_requests.h"
#include "base/log.h"
#include "base/vec.h"
#include "trace/keys.h"

/* No trace has more kinds of samples, or samples, than so many bytes of it account for; the first
 * are free. */
#define FREE_GROUPS (1u << 18)
/* Waiting samples whose errors fit in memory: so many, and some more for each byte of the trace. */
#define FREE_LOOKS     600000u
#define LOOKS_PER_BYTE 8u
/* Functions on all stacks that a format writes. */
#define FREE_FRAMES     (1u << 23)
#define FRAMES_PER_BYTE 128u
/* Bytes of functions that several programs have, each its own. */
#define FREE_NAMES     (32u << 20)
#define NAMES_PER_BYTE 256u

static uint32_t hash_of(const struct sample *x)
{
	return hash_u64_pair(x->goid ^ (uint64_t)x->labels << 40 ^ (uint64_t)x->state << 32 ^
				     (uint64_t)x->reason << 36,
			     (uint64_t)x->stack << 32 | x->tid);
}

static int group_of(struct loaded_samples *s, const struct sample *x, bool left_out,
		    uint32_t *group)
{
	uint32_t hash = hash_of(x);
	size_t at;

	for (uint32_t i = hash_index_first(&s->by_key, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&s->by_key, hash, &at)) {
		const struct sample_group *g = &s->groups[i];

		if (g->stack == x->stack && g->goid == x->goid && g->tid == x->tid &&
		    g->labels == x->labels && g->left_out == left_out && g->state == x->state &&
		    g->reason == x->reason) {
			*group = i;
			return 0;
		}
	}
	*group = (uint32_t)s->n_groups;
	if (vec_reserve(&s->groups, &s->cap_groups, s->n_groups + 1) ||
	    hash_index_put(&s->by_key, hash, *group))
		return -ENOMEM;
	s->groups[s->n_groups++] = (struct sample_group){ .goid = x->goid,
							  .first_ns = x->ts_ns,
							  .stack = x->stack,
							  .tid = x->tid,
							  .labels = x->labels,
							  .process = x->process,
							  .state = x->state,
							  .reason = x->reason,
							  .left_out = left_out };
	return 0;
}

/* Does the view leave it out, for its time or its goroutine? */
static bool left_out(const struct loaded_trace *t, const struct loaded_samples *s,
		     const struct sample *x)
{
	const struct trace_view *v = t->view;
	bool wanted = !v || !v->n_goids;

	if (!v)
		return false;
	if (x->ts_ns < s->first_ns + v->from_ns || (v->to_ns && x->ts_ns >= s->first_ns + v->to_ns))
		return true;
	for (size_t i = 0; i < v->n_goids && !wanted; i++)
		wanted = v->goids[i] == x->goid;
	return !wanted;
}

/*
 * The weight of what stays as it was is not off, or where it stands for others by the draw: by less
 * than all of it (seen.c). That of a wait that begins is off by its first look: by all of it, or by
 * half and less where there were more looks. Where the two cannot be told apart it begins.
 */
static bool begins(const struct sample *x)
{
	return x->error_ns && (x->error_ns >= x->weight_ns || x->error_ns <= x->weight_ns / 2);
}

static int take(struct loaded_trace *t, struct loaded_samples *s, const struct sample *x)
{
	uint32_t group;

	if (!s->all.samples)
		s->first_ns = x->ts_ns;
	s->last_ns = x->ts_ns > s->last_ns ? x->ts_ns : s->last_ns;
	s->all.samples++;
	s->all.weight_ns += x->weight_ns;
	s->all.run_samples += !x->state;
	s->all.run_ns += x->state ? 0 : x->weight_ns;
	int err = group_of(s, x, left_out(t, s, x), &group);
	if (err)
		return err;
	if (x->state && s->looks)
		err = look_errors_take(s->looks, x, group);
	if (err)
		return err;
	struct sample_group *g = &s->groups[group];
	g->samples++;
	g->weight_ns += x->weight_ns;
	/* What executes is seen by chance. */
	double error_ns = (double)(x->state ? x->error_ns : x->weight_ns);
	g->square_ns2 += error_ns * error_ns;
	g->begun += x->state && begins(x);
	s->errors |= x->error_ns != 0;
	if (x->ts_ns < g->first_ns)
		g->first_ns = x->ts_ns;
	if (x->ts_ns > g->last_ns)
		g->last_ns = x->ts_ns;
	if (!s->keep_singles || g->left_out)
		return 0;
	err = vec_reserve(&s->singles, &s->cap_singles, s->n_singles + 1);
	if (!err)
		s->singles[s->n_singles++] = (struct sample_single){ x->ts_ns, x->weight_ns,
								     group };
	return err;
}

/* The errors of what waited take memory for each sample: not told where that is more than a file of
 * so many bytes may take. */
static void bound_errors(struct loaded_samples *s, uint64_t stored_bytes)
{
	if (!s->looks || look_errors_taken(s->looks) <= FREE_LOOKS + LOOKS_PER_BYTE * stored_bytes)
		return;
	look_errors_free(s->looks);
	s->looks = NULL;
	log_warn("errors of times are not shown, because there are too many samples");
}

static int read_all(struct loaded_trace *t, struct loaded_samples *s, struct trace_reader *r)
{
	struct sample_span span;
	int got, err = 0;

	while ((got = trace_reader_samples(r, &span)) > 0) {
		const uint64_t most = FREE_GROUPS + trace_reader_bytes(r);

		for (size_t i = 0; i < span.n && !err; i++)
			err = take(t, s, &span.s[i]);
		if (!err && (s->n_groups > most || s->n_singles > most))
			err = -E2BIG;
		if (err)
			return err;
		bound_errors(s, trace_reader_bytes(r));
	}
	s->errors &= s->looks != NULL;
	if (!got)
		got = trace_reader_resolve(r);
	s->tables = trace_reader_tables(r);
	s->names_left = FREE_NAMES + NAMES_PER_BYTE * trace_reader_bytes(r);
	s->frames_left = FREE_FRAMES + FRAMES_PER_BYTE * trace_reader_bytes(r);
	return got;
}

/* ---- callbacks */

static int by_goid(const void *x, const void *y, void *ctx)
{
	const struct sample_group *groups = ctx, *a = &groups[*(const uint32_t *)x],
				  *b = &groups[*(const uint32_t *)y];
	uint64_t id_a = a->goid ? a->goid : a->tid, id_b = b->goid ? b->goid : b->tid;

	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	if (!a->goid != !b->goid)
		return a->goid ? -1 : 1;
	return (id_a > id_b) - (id_a < id_b);
}

/* Of a thread outside of any goroutine, its system stack. */
static void begin_goroutine(struct goroutine_info *g, const struct sample_group *x)
{
	*g = (struct goroutine_info){ .goid = x->goid ? x->goid : x->tid,
				      .image = x->process,
				      .first_ns = x->first_ns,
				      .last_ns = x->last_ns,
				      .system = !x->goid };
}

static void tell_goroutines(struct trace_watch *w, struct loaded_samples *s, const uint32_t *order,
			    size_t n)
{
	struct goroutine_info g = { 0 };

	for (size_t i = 0; i < n && !w->err; i++) {
		const struct sample_group *x = &s->groups[order[i]];

		if (!i || by_goid(&order[i], &order[i - 1], s->groups)) {
			if (i)
				w->on_goroutine(w->ctx, &g);
			begin_goroutine(&g, x);
		}
		g.first_ns = x->first_ns < g.first_ns ? x->first_ns : g.first_ns;
		g.last_ns = x->last_ns > g.last_ns ? x->last_ns : g.last_ns;
		g.calls += x->samples;
		g.total_ns += x->weight_ns;
		g.self_ns += x->weight_ns;
	}
	if (n && !w->err)
		w->on_goroutine(w->ctx, &g);
}

static int goroutines(struct trace_watch *w, struct loaded_samples *s, uint64_t *count)
{
	uint32_t *order = calloc(s->n_groups + 1, sizeof(*order));
	size_t n = 0;

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_groups; i++)
		if (!s->groups[i].left_out)
			order[n++] = (uint32_t)i;
	qsort_r(order, n, sizeof(*order), by_goid, s->groups);
	for (size_t i = 0; i < n; i++)
		*count += s->groups[order[i]].goid &&
			  (!i || by_goid(&order[i], &order[i - 1], s->groups));
	if (w->on_goroutine)
		tell_goroutines(w, s, order, n);
	free(order);
	return w->err;
}

static int refuse_calls(void)
{
	log_error(
		"this trace has samples, which have no begin and end of calls; record with 'gotrace "
		"record' for that");
	return -ENOTSUP;
}

int sample_load(struct loaded_trace *t, struct trace_reader *r, bool leave_out_parked,
		struct trace_watch *w)
{
	struct loaded_samples *s = calloc(1, sizeof(*s));
	int err = s ? 0 : -ENOMEM;

	t->samples = s;
	if (trace_info_get(t->info, KEY_SAMPLE_WALL) && w->on_samples) {
		log_error(
			"this format shows executing samples one after the other; samples of waiting goroutines "
			"(sample --wall) have no place in it");
		return -ENOTSUP;
	}
	if (w->calls >= CALLS_SOME && (w->on_call || w->on_entry) && !w->on_samples)
		return refuse_calls();
	if (!err && t->view && t->view->n_keys)
		log_warn("--key separates calls by arguments, which samples do not have");
	if (s) {
		s->keep_singles = w->on_samples != NULL;
		s->wall = trace_info_get(t->info, KEY_SAMPLE_WALL) != NULL;
		s->looks = s->wall ? look_errors_new() : NULL;
		err = s->wall && !s->looks ? -ENOMEM : err;
	}
	if (!err)
		err = read_all(t, s, r);
	if (!err && t->view && s->all.samples && s->last_ns - s->first_ns < t->view->from_ns)
		err = trace_view_too_late(t->view, s->last_ns - s->first_ns, "sample");
	if (!err && (leave_out_parked || w->mark_parked) && s->errors)
		err = sample_parked_find(s, t->info, leave_out_parked);
	if (!err && (leave_out_parked || w->mark_parked) && s->errors && s->tables)
		err = sample_requests_find(s, t->info, leave_out_parked);
	if (!err)
		err = sample_programs_find(s, t->view);
	if (!err)
		err = sample_fill(t, r);
	if (!err)
		sample_programs_weigh(s);
	if (!err && s->errors)
		err = sample_errors(t, trace_reader_bytes(r));
	if (!err) {
		struct model_totals *totals = (struct model_totals *)(uintptr_t)t->totals;

		totals->goroutines = 0;
		totals->images = s->tables ? s->tables->n_processes : 0;
		err = goroutines(w, s, &totals->goroutines);
	}
	if (!err && w->on_samples)
		w->on_samples(w->ctx, t);
	if (!t->model && err == -ENOMEM)
		log_no_memory("no memory for the samples of the trace");
	if (!t->model && err == -E2BIG)
		log_error("not a trace of gotrace sample. It claims more than its bytes can hold");
	return err ? err : w->err;
}

void sample_unload(struct loaded_samples *s)
{
	if (!s)
		return;
	look_errors_free(s->looks);
	free(s->groups);
	free(s->singles);
	free(s->funcs);
	sample_programs_free(&s->programs);
	hash_index_free(&s->by_func);
	hash_index_free(&s->by_name);
	free(s->strangers);
	hash_index_free(&s->by_key);
	hash_index_free(&s->by_stranger);
	free(s);
}
