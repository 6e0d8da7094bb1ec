// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_format.h"
#include "cli/overhead.h"

#define SEED 1
/* A ratio of 2 to 4 is no answer. */
#define WIDEST 1.5

static const char *const variants[] = { "untraced", "untraced again", "traced" };

int overhead_add(struct overhead *o, uint64_t round, int variant, const struct record_measured *m,
		 uint64_t whole_ns)
{
	const char *name = variants[variant];
	int err = rounds_add(o->rounds, "wall", name, round, (double)m->wall_ns);

	if (!err)
		err = rounds_add(o->rounds, "cpu", name, round, (double)m->cpu_ns);
	if (err || variant != OVERHEAD_TRACED)
		return err;
	o->events += m->events;
	o->lost_events += m->lost_events;
	o->lost_runs += m->lost_events > 0;
	return rounds_add(o->rounds, "besides", name, round,
			  whole_ns > m->wall_ns ? (double)(whole_ns - m->wall_ns) : 0);
}

static const struct rounds_result *find(const struct rounds_result *r, size_t n, const char *group,
					int variant)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(r[i].group, group) && !strcmp(r[i].variant, variants[variant]))
			return &r[i];
	return NULL;
}

static const char *time_of(const struct rounds_result *r, char buf[16])
{
	return r ? human_ns((uint64_t)r->median, buf) : "-";
}

/* "1.31 (1.28 to 1.35)", or why not */
static const char *ratio_of(const struct rounds_result *r, char buf[48])
{
	if (!r || isnan(r->ratio) || r->verdict == ROUNDS_WIDE)
		return "not measurable here";
	if (isnan(r->ratio_in.low))
		snprintf(buf, 48, "%.3g", r->ratio);
	else
		snprintf(buf, 48, "%.3f (%.3f to %.3f)", r->ratio, r->ratio_in.low,
			 r->ratio_in.high);
	return buf;
}

static void print_row(FILE *out, const struct rounds_result *r, size_t n, const char *group,
		      const char *name)
{
	const struct rounds_result *again = find(r, n, group, OVERHEAD_AGAIN),
				   *traced = find(r, n, group, OVERHEAD_TRACED);
	const bool invalid = traced && traced->verdict == ROUNDS_INVALID;
	char plain_time[16], traced_time[16], ratio[48], noise[48];

	fprintf(out, "%-14s %9s %9s  %-24s  %s\n", name,
		time_of(find(r, n, group, OVERHEAD_UNTRACED), plain_time),
		time_of(traced, traced_time), invalid ? "invalid" : ratio_of(traced, ratio),
		ratio_of(again, noise));
}

static void print_verdict(FILE *out, const struct overhead *o, const struct rounds_result *traced)
{
	text_safe(out, o->command);
	fputs(": ", out);
	switch (traced->verdict) {
	case ROUNDS_OK:
		fprintf(out, "traced, it takes %.2f times as long (95%% interval %.2f to %.2f)\n",
			traced->ratio, traced->ratio_in.low, traced->ratio_in.high);
		break;
	case ROUNDS_NOISE:
		fprintf(out,
			"within noise: traced, it takes %.2f times as long (95%% interval %.2f to %.2f), which runs without "
			"tracing do, too\n",
			traced->ratio, traced->ratio_in.low, traced->ratio_in.high);
		break;
	case ROUNDS_FEW:
		fprintf(out,
			"traced, it takes about %.2f times as long; fewer than %d rounds, no interval\n",
			traced->ratio, INTERVAL_LEAST);
		break;
	case ROUNDS_INVALID:
		fputs("invalid; untraced runs differ as well; use a quieter machine or more rounds (-r)\n",
		      out);
		break;
	default:
		fputs("not measurable here; the runs differ too much; use a quieter machine or more rounds (-r)\n",
		      out);
	}
}

static void print_events(FILE *out, const struct overhead *o, const struct rounds_result *besides)
{
	fprintf(out, "%" PRIu64 " events a run, ", o->events / o->n);
	if (o->lost_events)
		fprintf(out,
			"%" PRIu64 " LOST in %" PRIu64 " of %" PRIu64
			" runs, so the overhead of recording all events is higher",
			o->lost_events, o->lost_runs, o->n);
	else
		fputs("none lost", out);
	fprintf(out, "; setting up and finishing took %s a run besides\n",
		HUMAN((uint64_t)besides->median));
}

int overhead_print(const struct overhead *o, FILE *out)
{
	const struct rounds_options opt = { .base = variants[OVERHEAD_UNTRACED],
					    .aa = variants[OVERHEAD_AGAIN],
					    .seed = SEED,
					    .resamples = INTERVAL_RESAMPLES,
					    .widest = WIDEST };
	struct rounds_result *r = NULL;
	size_t n = 0;
	int err = rounds_compare(o->rounds, &opt, &r, &n);

	if (!err) {
		print_verdict(out, o, find(r, n, "wall", OVERHEAD_TRACED));
		fprintf(out, "%-14s %9s %9s  %-24s  %s\n", "", "UNTRACED", "TRACED",
			"TIMES (95% INTERVAL)", "UNTRACED AGAIN: THE NOISE");
		print_row(out, r, n, "wall", "wall clock");
		print_row(out, r, n, "cpu", "processor time");
		print_events(out, o, find(r, n, "besides", OVERHEAD_TRACED));
		fprintf(out,
			"medians of %" PRIu64
			" round%s, all in an order drawn at random; one round before is not counted\n",
			o->n, plural(o->n));
		fflush(out);
	}
	free(r);
	return err;
}
