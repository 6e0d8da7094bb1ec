// SPDX-License-Identifier: BSD-2-Clause
/*
 * record --trial: what a recording with --max-cost released is what to leave out. It was judged
 * while the program ran, step by step, so that the last step shows what is left when it is left
 * out.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "attach/probe_load.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/text_format.h"
#include "cli/record_run.h"

#define ROWS 30

/* A function while it was recorded. */
struct row {
	uint32_t func;
	uint64_t calls, time_ns;
	double share; /* of the processor time */
	bool released;
};

static int by_share(const void *x, const void *y)
{
	const struct row *a = x, *b = y;

	if (a->share != b->share)
		return a->share < b->share ? 1 : -1;
	return (a->func > b->func) - (a->func < b->func);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* What the program took while it was recorded. */
static uint64_t cpu_ns(const struct recording *rec)
{
	uint64_t ns = target_cpu_ns(rec->target);

	return ns > rec->times.cpu_before_ns ? ns - rec->times.cpu_before_ns : 0;
}

static void count_calls(const struct recording *rec, struct row *rows)
{
	const struct plan *plan = rec->probing->plan;

	for (size_t i = 0; i < plan->n_sites; i++) {
		const struct plan_site *s = &plan->sites[i];
		const struct site_events *e = &rec->load.events[i];

		if (s->func != PLAN_NO_FUNC &&
		    (s->kind == EV_ENTRY || s->kind == EV_ENTRY_EXIT || s->kind == EV_ENTRY_TAIL))
			rows[s->func].calls += e->trapped + e->inlined;
	}
}

/* All functions of the plan, the costliest first; to be freed. */
static struct row *make_rows(const struct recording *rec, const struct probe_load *l,
			     uint64_t time_ns)
{
	const struct releasing *rel = &rec->releasing;
	const size_t n = rec->probing->plan->n_funcs;
	struct row *rows = calloc(n + 1, sizeof(*rows));
	double all_ns = (double)cpu_ns(rec);

	for (uint32_t i = 0; rows && i < n; i++) {
		const struct released_func *was = &rel->when[i];

		rows[i] = (struct row){ .func = i,
					.time_ns = rel->released[i]
							   ? was->at_ns -
								     rec->outcome.collect_start_ns
							   : time_ns,
					.released = rel->released[i],
					.share = rel->released[i] ? was->share
						 : all_ns > 0     ? (double)l->funcs[i].ns / all_ns
								  : 0 };
		if (rows[i].share > 1)
			rows[i].share = 1;
	}
	if (rows) {
		count_calls(rec, rows);
		qsort(rows, n, sizeof(*rows), by_share);
	}
	return rows;
}

static void print_rows(const struct recording *rec, const struct row *rows, FILE *out)
{
	const struct plan *plan = rec->probing->plan;
	size_t n = 0, hidden = 0;

	fprintf(out, "%8s %10s %10s  FUNCTION\n", "COST", "CALLS", "CALLS/S");
	for (size_t i = 0; i < plan->n_funcs; i++) {
		const struct row *r = &rows[i];

		if (!r->calls)
			continue;
		if (n == ROWS) {
			hidden++;
			continue;
		}
		n++;
		fprintf(out, "%7.1f%% %10" PRIu64 " %10.0f  ", 100 * r->share, r->calls,
			(double)r->calls * 1e9 / (double)(r->time_ns ? r->time_ns : 1));
		text_safe(out, plan->funcs[r->func].name);
		fprintf(out, "%s\n", r->released ? "  (released)" : "");
	}
	if (hidden)
		fprintf(out, "%zu more functions that were called, with less cost\n", hidden);
}

/* What probing took after the last release, of the processor time. */
static double rest_share(const struct recording *rec, const struct probe_load *l)
{
	const struct releasing *rel = &rec->releasing;
	uint64_t all_ns = cpu_ns(rec) - least(rel->rest_cpu_ns, cpu_ns(rec));

	return all_ns ? least(l->ns - rel->rest_ns, all_ns) / (double)all_ns : 0;
}

static void propose(const struct recording *rec, const struct row *rows, const struct probe_load *l,
		    FILE *out)
{
	const struct plan *plan = rec->probing->plan;
	const double share = 100 * rec->given->max_cost, rest = 100 * rest_share(rec, l);

	if (!rec->releasing.n_released) {
		fprintf(out,
			"probing took about %.1f%% of the processor time, %g%% are allowed; nothing has to be "
			"left out\n",
			rest, share);
		return;
	}
	fprintf(out,
		"COST of a released function is its share of the processor time just before its release. "
		"The other functions took about %.1f%%\n"
		"to keep probing below %g%% of the processor time:",
		rest, share);
	for (size_t i = 0; i < plan->n_funcs; i++)
		if (rows[i].released)
			probe_load_add_exclude(out, plan->funcs[rows[i].func].name);
	fputc('\n', out);
}

static const char *what_it_does_now(const struct run *r)
{
	if (r->target.ended)
		return "the program has ended";
	return r->target.launched ? "the command goes on, without probes"
				  : "the process goes on, without probes";
}

int record_trial_print(const struct run *r, FILE *out)
{
	const struct recording *rec = &r->recording;
	struct probe_load l;
	uint64_t time_ns = clock_monotonic_ns() - rec->outcome.collect_start_ns;
	struct row *rows = NULL;
	int err = load_watch_find(&rec->load, &l);

	if (!err) {
		rows = make_rows(rec, &l, time_ns);
		err = rows ? 0 : -ENOMEM;
	}
	if (err) {
		log_no_memory("no memory to say what the trial has shown");
	} else {
		struct collector_stats s = collector_stats(rec->collector);

		fprintf(out,
			"trial of %s: %" PRIu64
			" events, %s of processor time; no trace was written; %s\n",
			HUMAN(time_ns), s.events, HUMAN(cpu_ns(rec)), what_it_does_now(r));
		print_rows(rec, rows, out);
		propose(rec, rows, &l, out);
		fflush(out);
	}
	free(rows);
	probe_load_free(&l);
	return err;
}
