// SPDX-License-Identifier: BSD-2-Clause
/* RUN and its growth, for programs. */
#include <inttypes.h>
#include <math.h>

#include "report/diff_rows.h"

/* Their change is by call where the numbers of calls differ; the interval is of that. */
void diff_run_csv(const struct diff_report *d, const struct diff_row *row, FILE *out)
{
	const enum diff_metric m = METRIC_RUN;

	if (!d->diff.states && !d->diff.sampled) {
		fputs(",,,,,", out);
		return;
	}
	const struct growth *g = diff_growth_of(&d->judge, row, m);
	const double v[] = { g->pct, g->low, g->high };

	fprintf(out, ",%" PRIu64 ",%" PRIu64, row->value[m][0], row->value[m][1]);
	for (int i = 0; i < 3; i++) {
		fputc(',', out);
		if (isfinite(v[i]))
			fprintf(out, "%.2f", v[i]);
	}
}

void diff_run_json(const struct diff_report *d, const struct diff_row *row, struct json *j)
{
	const enum diff_metric m = METRIC_RUN;
	const bool there = d->diff.states || d->diff.sampled;
	const struct growth none = { NAN, NAN, NAN },
			    *g = there ? diff_growth_of(&d->judge, row, m) : &none;
	const struct {
		const char *key;
		double v;
	} all[] = { { "run_ns_a", there ? (double)row->value[m][0] : NAN },
		    { "run_ns_b", there ? (double)row->value[m][1] : NAN },
		    { "run_change_pct", g->pct },
		    { "run_low_pct", g->low },
		    { "run_high_pct", g->high } };

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		json_key(j, all[i].key);
		if (isfinite(all[i].v))
			json_double(j, all[i].v);
		else
			json_null(j);
	}
}
