// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/diff/diff_shares.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/samples/sample_load.h"
#include "analysis/stat_columns.h"
#include "base/text_format.h"

/* Normal distribution: 1 of 1,000 is further off on either side. */
#define DEVIATIONS 3.29

/* What of a call's self time a sample could have seen. */
static uint64_t seen_ns(const struct loaded_trace *t, const struct call_stats *st)
{
	return t->totals->states ? stat_run_ns(st) + st->off_self.syscall_ns : st->self_ns;
}

static void take_calls(struct diff *d, unsigned s)
{
	const struct loaded_trace *t = &d->side[s];

	for (size_t f = 0; f < t->n_funcs; f++) {
		const struct call_stats *st = &t->funcs[f];
		struct diff_row *row = &d->rows[d->names.name_of[s][f]];
		uint64_t ns = t->samples ? st->self_ns : seen_ns(t, st);

		row->value[METRIC_SELF][s] += ns;
		row->value[METRIC_RUN][s] += d->sampled ? ns : 0;
		row->value[METRIC_TOTAL][s] += st->total_ns;
		row->value[METRIC_CALLS][s] += st->calls;
		row->there[s] |= stat_any(st);
		d->all_ns[s] += ns;
	}
	if (t->samples)
		d->samples[s] = t->totals->calls;
}

/* A sample's stack with functions of the other side's only. seen: of rows, the group that counted
 * for it last, + 1. */
static bool take_stack(struct diff *d, unsigned s, const struct sample_group *g, size_t group,
		       const uint32_t *funcs, size_t n, size_t *seen)
{
	bool innermost = true;

	for (size_t i = n; i-- > 0;) {
		uint32_t name = d->names.name_of[s][funcs[i]];
		struct diff_row *row = &d->rows[name];

		if (!d->names.traced[!s][name])
			continue;
		if (innermost) {
			row->value[METRIC_SELF][s] += g->weight_ns;
			row->value[METRIC_CALLS][s] += g->samples;
		}
		if (seen[name] != group + 1)
			row->value[METRIC_TOTAL][s] += g->weight_ns;
		seen[name] = group + 1;
		row->there[s] = true;
		innermost = false;
	}
	return !innermost;
}

static int take_samples(struct diff *d, unsigned s)
{
	struct loaded_samples *x = d->side[s].samples;
	struct trace_info *info = (struct trace_info *)(uintptr_t)d->side[s].info;
	size_t *seen = calloc(d->n_rows + 1, sizeof(*seen)), cap = 0, n;
	uint32_t *funcs = NULL;
	int err = seen ? 0 : -ENOMEM;
	bool unresolved;

	for (size_t i = 0; i < x->n_groups && !err; i++) {
		const struct sample_group *g = &x->groups[i];

		err = sample_stack_funcs(x, info, g->stack, &funcs, &cap, &n, &unresolved);
		if (err || !take_stack(d, s, g, i, funcs, n, seen)) {
			d->outside[s] += g->samples;
			continue;
		}
		d->samples[s] += g->samples;
		d->all_ns[s] += g->weight_ns;
	}
	free(funcs);
	free(seen);
	return err;
}

int diff_shares_functions(struct diff *d)
{
	int err = 0;

	for (unsigned s = 0; s < 2 && !err; s++) {
		if (d->side[s].samples && !d->side[!s].samples)
			err = take_samples(d, s);
		else
			take_calls(d, s);
	}
	return err;
}

void diff_shares_paths(struct diff *d)
{
	for (unsigned s = 0; s < 2; s++) {
		d->samples[s] = d->side[s].totals->calls;
		for (size_t i = 0; i < d->n_rows; i++) {
			struct diff_row *row = &d->rows[i];

			d->all_ns[s] += row->value[METRIC_SELF][s];
			row->value[METRIC_RUN][s] = d->sampled ? row->value[METRIC_SELF][s] : 0;
		}
	}
}

double diff_share_pct(const struct diff *d, const struct diff_row *row, enum diff_metric m,
		      unsigned s)
{
	return share_pct(row->value[m][s], d->all_ns[s]);
}

double diff_share_chance(const struct diff *d, const struct diff_row *row, enum diff_metric m)
{
	double square = 0, p = 0, n = 0;

	for (unsigned s = 0; s < 2; s++) {
		p += diff_share_pct(d, row, m, s) / 200;
		n += (double)d->samples[s];
	}
	p = p > 1 ? 1 : p;
	p = (p * n + 1) / (n + 2); /* never sure of none or all */
	for (unsigned s = 0; s < 2; s++)
		if (d->side[s].samples)
			square += p * (1 - p) / (d->samples[s] ? (double)d->samples[s] : 1);
	return 100 * DEVIATIONS * sqrt(square);
}

void diff_shares_notes(const struct diff *d, struct notes *to)
{
	if (d->sampled)
		notes_add(
			to,
			"both are samples; shares of all and processor time%s are compared (RUN, its interval by the numbers of samples)",
			d->seconds[0] == 1 && d->seconds[1] == 1
				? ""
				: " a second, because recordings do not end with their programs");
	else
		notes_add(to, "shares are compared, not times: %s",
			  d->side[0].samples && d->side[1].samples
				  ? "both are samples of waiting, too"
				  : "samples stand for processor time, calls were timed");
	for (unsigned s = 0; s < 2; s++) {
		const char side = "AB"[s], other = "BA"[s];

		if (!d->side[s].samples || d->side[!s].samples)
			continue;
		notes_add(
			to,
			"a sample of %c counts for the innermost function of its stack that %c traced; %" PRIu64
			" of %" PRIu64 " had none and are left out",
			side, other, d->outside[s], d->outside[s] + d->samples[s]);
		if (d->side[!s].totals->states)
			notes_add(
				to,
				"self time of %c is the time in which goroutines ran or were in system calls",
				other);
		else
			notes_add(
				to,
				"time of %c includes waiting, which no sample sees, so functions that wait have more "
				"there; record --states leaves it out",
				other);
	}
	notes_add(
		to,
		"rows differ by more than chance among so many samples makes of equal shares in 999 of 1,000 cases (column CHANCE, points)");
}
