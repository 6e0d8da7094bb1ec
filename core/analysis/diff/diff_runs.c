// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/diff/diff_runs.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/calls/correction.h"
#include "analysis/samples/sample_names.h"
#include "analysis/samples/sample_processes.h"
#include "analysis/stat_columns.h"
#include "analysis/trace_names.h"
#include "base/log.h"
#include "base/text_format.h"
#include "base/vec.h"
#include "trace/keys.h"

int diff_runs_init(struct diff_runs *d, const size_t n_runs[2])
{
	*d = (struct diff_runs){ .n_runs = { n_runs[0], n_runs[1] } };
	for (unsigned s = 0; s < 2; s++) {
		d->wall_ns[s] = calloc(n_runs[s] + 1, sizeof(**d->wall_ns));
		if (!d->wall_ns[s]) {
			log_no_memory("no memory to compare the runs");
			return -ENOMEM;
		}
	}
	return 0;
}

/* A row's function. */
struct run_func {
	const char *name, *program;
};

static uint32_t hash_of(const struct run_func *f)
{
	return hash_u64_pair(hash_bytes(f->name, strlen(f->name)),
			     hash_bytes(f->program, strlen(f->program)));
}

static int add_row(struct diff_runs *d, const struct run_func *f, uint32_t hash)
{
	if (vec_reserve(&d->rows, &d->cap, d->n + 1))
		return -ENOMEM;
	struct run_row *x = &d->rows[d->n++]; /* freed with the others, whole or not */

	*x = (struct run_row){ .name = strdup(f->name), .program = strdup(f->program) };
	int err = x->name && x->program ? 0 : -ENOMEM;

	for (int m = 0; m < RUN_VALUES; m++)
		for (unsigned s = 0; s < 2; s++) {
			x->value[m][s] = calloc(d->n_runs[s] + 1, sizeof(double));
			if (!x->value[m][s])
				err = -ENOMEM;
		}
	return err ? err : hash_index_put(&d->by_name, hash, (uint32_t)d->n - 1);
}

static struct run_row *row_of(struct diff_runs *d, const struct run_func *f)
{
	const uint32_t hash = hash_of(f);
	size_t at;

	for (uint32_t i = hash_index_first(&d->by_name, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&d->by_name, hash, &at))
		if (!strcmp(d->rows[i].name, f->name) && !strcmp(d->rows[i].program, f->program))
			return &d->rows[i];
	return add_row(d, f, hash) ? NULL : &d->rows[d->n - 1];
}

/* Functions of one name, as instances of a generic, are one; their calls are of different kinds. */
static void take_low(struct run_row *x, unsigned side, size_t run, const struct call_stats *st,
		     const struct call_series *series)
{
	const double cost = st->calls ? (double)stat_run_probe_ns(st) / (double)st->calls : 0,
		     low = series ? call_series_low(series, CALL_RUN) - cost : NAN;

	x->value[RUN_LOW][side][run] = x->value[METRIC_CALLS][side][run] > 0 || !(low > 0) ? NAN
											   : low;
}

static const char *program_of(const struct loaded_trace *t, uint32_t func, const char *only)
{
	return t->samples && t->samples->programs.n ? sample_program_of_func(t->samples, func) ?: ""
						    : only;
}

static int take(struct diff_runs *d, unsigned side, size_t run, const struct loaded_trace *t,
		const struct calls_of_all *calls)
{
	const double all = (double)t->totals->root_ns;
	char only[PROGRAM_BYTES] = "";
	double run_ns = 0;

	if (t->samples && !t->samples->programs.n)
		sample_only_program(t->samples, only);

	for (uint32_t f = 0; f < t->n_funcs; f++) {
		const struct call_stats *st = &t->funcs[f];
		const double scale = !d->samples ? 1 : all > 0 ? 100 / all : 0;

		if (!stat_any(st) || (t->samples && sample_func_is_program(t->samples, f)))
			continue;
		const struct run_func func = { trace_name_func(t->info, f),
					       program_of(t, f, only) };
		struct run_row *x = row_of(d, &func);

		if (!x)
			return -ENOMEM;
		x->there[side] = true;
		take_low(x, side, run, st, calls_of_func(calls, f));
		x->value[METRIC_SELF][side][run] += (double)st->self_ns * scale;
		x->value[METRIC_TOTAL][side][run] += (double)st->total_ns * scale;
		x->value[METRIC_CALLS][side][run] += (double)(d->samples ? st->samples : st->calls);
		x->value[METRIC_RUN][side][run] += (double)(d->samples ? st->self_ns
								       : stat_run_ns(st));
		x->value[RUN_COUNT][side][run] += (double)st->calls;
		x->value[RUN_UNCERTAINTY][side][run] += (double)st->uncertainty_ns;
		x->value[RUN_SELF_OFF][side][run] += (double)st->off_self.off_cpu_ns;
		x->value[RUN_TOTAL_OFF][side][run] += (double)st->off_total.off_cpu_ns;
		run_ns += (double)(d->samples ? st->self_ns : stat_run_ns(st));
	}
	d->most_run_ns = run_ns > d->most_run_ns ? run_ns : d->most_run_ns;
	return 0;
}

int diff_runs_add(struct diff_runs *d, unsigned side, struct trace_reader *r, bool raw)
{
	const size_t run = d->n_added[side];
	struct calls_of_all calls;
	struct loaded_trace t;

	calls_of_all_begin(&calls);
	int err = trace_load(&t, r, NULL, &calls.watch);

	if (!err && !calls.watch.err && !raw && !t.samples)
		err = correction_apply(&t);
	if (!err && d->n_added[0] + d->n_added[1] && d->samples != (t.samples != NULL)) {
		log_error("runs of calls and of samples cannot be compared with each other");
		err = -ENOTSUP;
	}
	if (!err && !calls.watch.err) {
		const uint64_t span_ns = loaded_trace_span_ns(&t);

		d->samples = t.samples != NULL;
		d->programs |= d->samples && t.samples->programs.n;
		d->n_stateless += !d->samples && !t.totals->states;
		d->states = !d->samples && !d->n_stateless;
		d->off_cpu = fmax(d->off_cpu, diff_stretch_of(t.totals).off_cpu);
		d->by_second |= d->samples && loaded_trace_is_part(&t);
		d->longest_ns = span_ns > d->longest_ns ? span_ns : d->longest_ns;
		d->wall_ns[side][run] = (double)loaded_trace_wall_ns(&t);
		err = take(d, side, run, &t, &calls);
		d->n_added[side]++;
		if (err)
			log_no_memory("no memory to compare the runs");
	}
	if (calls.watch.err) { /* not logged yet */
		log_no_memory("no memory to compare the runs");
		err = calls.watch.err;
	}
	calls_of_all_free(&calls);
	trace_unload(&t);
	return err;
}

static void free_row(struct run_row *x)
{
	free(x->name);
	free(x->program);
	for (int m = 0; m < RUN_VALUES; m++)
		for (unsigned s = 0; s < 2; s++)
			free(x->value[m][s]);
}

static int by_name(const void *x, const void *y)
{
	const struct run_row *a = x, *b = y;

	return strcmp(a->name, b->name);
}

static void merge(const struct diff_runs *d, struct run_row *into, const struct run_row *x)
{
	for (unsigned s = 0; s < 2; s++) {
		into->there[s] |= x->there[s];
		for (int m = 0; m < RUN_VALUES; m++)
			for (size_t i = 0; i < d->n_runs[s]; i++)
				into->value[m][s][i] += x->value[m][s][i];
	}
}

void diff_runs_settle(struct diff_runs *d)
{
	size_t n = 0;

	if (!d->samples || d->programs)
		return;
	if (d->n)
		qsort(d->rows, d->n, sizeof(*d->rows), by_name);
	for (size_t i = 0; i < d->n; i++) {
		if (n && !by_name(&d->rows[n - 1], &d->rows[i])) {
			merge(d, &d->rows[n - 1], &d->rows[i]);
			free_row(&d->rows[i]);
		} else {
			d->rows[n++] = d->rows[i];
		}
	}
	d->n = n;
	hash_index_free(&d->by_name); /* of rows as they were */
}

void diff_runs_free(struct diff_runs *d)
{
	for (size_t i = 0; i < d->n; i++)
		free_row(&d->rows[i]);
	free(d->rows);
	free(d->wall_ns[0]);
	free(d->wall_ns[1]);
	hash_index_free(&d->by_name);
	*d = (struct diff_runs){ 0 };
}
