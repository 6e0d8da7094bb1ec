// SPDX-License-Identifier: BSD-2-Clause
#include "report/diff_runs.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/csv.h"
#include "base/log.h"
#include "base/outfile.h"
#include "base/text_format.h"
#include "base/text_name.h"
#include "report/text.h"
#include "stats/interval.h"

#define RESAMPLES 2000
#define SEED      1

/* ---- one function */

double runs_chance(size_t n_a, size_t n_b)
{
	double orders = 1;

	for (size_t i = 1; i <= n_a; i++)
		orders *= (double)(n_b + i) / (double)i;
	return fmin(2 / orders, 1);
}

static double median_of_drawn(const double *v, size_t n, double *room, struct draw *d)
{
	for (size_t i = 0; i < n; i++)
		room[i] = v[draw_below(d, n)];
	return interval_median(room, n);
}

static int by_value(const void *x, const void *y)
{
	const double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

static double change_pct(double a, double b)
{
	return a > 0 ? 100 * (b - a) / a : b > 0 ? INFINITY : 0;
}

/* Runs of both sides drawn anew. */
static int bootstrap(const double *a, size_t n_a, const double *b, size_t n_b,
		     struct runs_change *out)
{
	struct draw d = draw_from(SEED, NULL);
	double *pct = malloc(RESAMPLES * sizeof(*pct)), *room = malloc((n_a + n_b) * sizeof(*room));

	for (size_t i = 0; pct && room && i < RESAMPLES; i++) {
		const double x = median_of_drawn(a, n_a, room, &d);

		pct[i] = change_pct(x, median_of_drawn(b, n_b, room, &d));
	}
	const bool made = pct && room;

	if (made) {
		qsort(pct, RESAMPLES, sizeof(*pct), by_value);
		out->low = pct[RESAMPLES / 40];
		out->high = pct[RESAMPLES - 1 - RESAMPLES / 40];
	}
	free(pct);
	free(room);
	return made ? 0 : -ENOMEM;
}

int runs_compare(double *a, size_t n_a, double *b, size_t n_b, struct runs_change *out)
{
	out->median[0] = interval_median(a, n_a);
	out->median[1] = interval_median(b, n_b);
	out->pct = out->median[0] > 0 ? change_pct(out->median[0], out->median[1]) : NAN;
	out->apart = a[n_a - 1] < b[0] || b[n_b - 1] < a[0];
	out->low = change_pct(a[n_a - 1], b[0]);
	out->high = change_pct(a[0], b[n_b - 1]);
	return n_a >= INTERVAL_LEAST && n_b >= INTERVAL_LEAST ? bootstrap(a, n_a, b, n_b, out) : 0;
}

/* ---- all of them */

struct changed {
	const struct run_row *row;
	struct runs_change c;
};

struct comparing {
	const struct diff_runs *d;
	const struct diff_options *opt;
	enum diff_metric metric;
	double least; /* a change of less does not count */
	struct changed *all;
	size_t n, n_hidden, n_folded;
	struct runs_change wall;
};

static bool counts(const struct comparing *x, const struct runs_change *c)
{
	const double size = fabs(c->median[1] - c->median[0]);

	return c->apart && (x->metric == METRIC_CALLS || size >= x->least) &&
	       size * 100 >= x->opt->threshold_pct * c->median[0];
}

static int by_size(const void *x, const void *y, void *ctx)
{
	const struct changed *a = x, *b = y;
	const struct comparing *of = ctx;
	const double size_a = fabs(a->c.median[1] - a->c.median[0]),
		     size_b = fabs(b->c.median[1] - b->c.median[0]);

	if (of->opt->sort != DIFF_NAME && size_a != size_b)
		return size_a < size_b ? 1 : -1;
	return strcmp(a->row->name, b->row->name);
}

static int compare(struct comparing *x, const struct diff_runs *d, const struct diff_options *opt)
{
	static const enum diff_metric metric[] = { [DIFF_SELF] = METRIC_SELF,
						   [DIFF_TOTAL] = METRIC_TOTAL,
						   [DIFF_CALLS] = METRIC_CALLS,
						   [DIFF_NAME] = METRIC_SELF };

	*x = (struct comparing){ .d = d, .opt = opt, .metric = metric[opt->sort] };
	/* of samples: percentage points */
	x->least = d->samples                     ? 0
		   : opt->min_ns == DIFF_MIN_AUTO ? (double)d->longest_ns / 100
						  : (double)opt->min_ns;
	x->all = calloc(d->n + 1, sizeof(*x->all));
	int err = x->all ? runs_compare(d->wall_ns[0], d->n_runs[0], d->wall_ns[1], d->n_runs[1],
					&x->wall)
			 : -ENOMEM;

	for (size_t i = 0; i < d->n && !err; i++) {
		double *const *v = d->rows[i].value[x->metric];
		struct changed now = { .row = &d->rows[i] };

		err = runs_compare(v[0], d->n_runs[0], v[1], d->n_runs[1], &now.c);
		if (!err && counts(x, &now.c))
			x->all[x->n++] = now;
		else
			x->n_folded++;
	}
	if (err) {
		log_no_memory("no memory to compare the runs");
		free(x->all);
		return err;
	}
	if (x->n)
		qsort_r(x->all, x->n, sizeof(*x->all), by_size, x);
	if (opt->limit && x->n > opt->limit) {
		x->n_hidden = x->n - opt->limit;
		x->n = opt->limit;
	}
	return 0;
}

static const char *what(const struct comparing *x)
{
	static const char *const names[] = {
		[METRIC_SELF] = "self", [METRIC_TOTAL] = "total", [METRIC_CALLS] = "calls"
	};

	return names[x->metric];
}

/* ---- text */

static const char *value(const struct comparing *x, double v, char buf[16])
{
	if (x->d->samples && x->metric != METRIC_CALLS)
		snprintf(buf, 16, "%.2f%%", v);
	else if (x->metric == METRIC_CALLS)
		human_count((uint64_t)v, buf);
	else
		human_ns((uint64_t)v, buf);
	return buf;
}

static const char *percent(double pct, char buf[16])
{
	if (isnan(pct) || isinf(pct))
		snprintf(buf, 16, "new");
	else
		snprintf(buf, 16, "%+.1f%%", pct);
	return buf;
}

static const char *interval(const struct runs_change *c, char buf[48])
{
	char low[16], high[16];

	snprintf(buf, 48, "%s to %s", percent(c->low, low), percent(c->high, high));
	return buf;
}

static void headline(const struct comparing *x, FILE *out)
{
	const struct runs_change *w = &x->wall;
	char pct[16], in[48];

	fprintf(out, "A %s -> B %s, %s (%s)%s\n\n", HUMAN((uint64_t)w->median[0]),
		HUMAN((uint64_t)w->median[1]), percent(w->pct, pct), interval(w, in),
		w->apart ? "" : ": within the runs' own noise");
}

int diff_runs_text(const struct diff_runs *d, const struct diff_options *opt, FILE *out)
{
	struct comparing x;
	char a[16], b[16], pct[16], in[48];
	int err = compare(&x, d, opt);

	if (err)
		return err;
	headline(&x, out);
	if (x.n)
		text_heading(opt->colour, out, "%7s %7s %7s  %-19s FUNCTION, by %s", "A", "B",
			     "CHANGE",
			     d->n_runs[0] >= INTERVAL_LEAST && d->n_runs[1] >= INTERVAL_LEAST
				     ? "95 %"
				     : "RANGE",
			     what(&x));
	for (size_t i = 0; i < x.n; i++) {
		const struct runs_change *c = &x.all[i].c;
		const int n = fprintf(out, "%7s %7s %7s  %-19s ", value(&x, c->median[0], a),
				      value(&x, c->median[1], b), percent(c->pct, pct),
				      interval(c, in));

		text_name(out, x.all[i].row->name, text_room(opt->width, (size_t)n));
		fputc('\n', out);
	}
	if (x.n_hidden)
		fprintf(out, "%zu more changed functions (-n 0 shows all)\n", x.n_hidden);
	if (!x.n)
		fputs("no change that is more than the runs' own noise\n", out);
	fprintf(out,
		"%zu function%s folded: runs of one side are within those of the other, or the medians differ by less than %g%%%s%s (--threshold%s)\n"
		"medians of %zu and %zu runs; of functions that did not change, %.2g%% are shown by chance\n",
		x.n_folded, plural(x.n_folded), opt->threshold_pct, d->samples ? "" : " or ",
		d->samples ? "" : HUMAN((uint64_t)x.least), d->samples ? "" : ", --min",
		d->n_runs[0], d->n_runs[1], 100 * runs_chance(d->n_runs[0], d->n_runs[1]));
	free(x.all);
	return outfile_check(out);
}

/* ---- csv, json */

static void csv_double(FILE *out, double v)
{
	fputc(',', out);
	if (isfinite(v))
		fprintf(out, "%.6g", v);
}

int diff_runs_csv(const struct diff_runs *d, const struct diff_options *opt, FILE *out)
{
	struct comparing x;
	int err = compare(&x, d, opt);

	if (err)
		return err;
	fprintf(out, "function,%s_a,%s_b,change_pct,low_pct,high_pct\n", what(&x), what(&x));
	for (size_t i = 0; i < x.n; i++) {
		const struct runs_change *c = &x.all[i].c;

		csv_field(out, x.all[i].row->name);
		csv_double(out, c->median[0]);
		csv_double(out, c->median[1]);
		csv_double(out, c->pct);
		csv_double(out, c->low);
		csv_double(out, c->high);
		fputc('\n', out);
	}
	free(x.all);
	return outfile_check(out);
}

static void json_change(struct json *j, const struct runs_change *c)
{
	const struct {
		const char *key;
		double v;
	} all[] = { { "a", c->median[0] },
		    { "b", c->median[1] },
		    { "change_pct", c->pct },
		    { "low_pct", c->low },
		    { "high_pct", c->high } };

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		json_key(j, all[i].key);
		json_double(j, all[i].v);
	}
	json_kv_bool(j, "apart", c->apart);
}

int diff_runs_json(const struct diff_runs *d, const struct diff_options *opt, FILE *out)
{
	struct comparing x;
	struct json j;
	int err = compare(&x, d, opt);

	if (err)
		return err;
	json_init(&j, out, true);
	json_open(&j, '{');
	json_kv_str(&j, "by", "function");
	json_kv_str(&j, "metric", what(&x));
	json_kv_u64(&j, "runs_a", d->n_runs[0]);
	json_kv_u64(&j, "runs_b", d->n_runs[1]);
	json_key(&j, "chance");
	json_double(&j, runs_chance(d->n_runs[0], d->n_runs[1]));
	json_key(&j, "wall_ns");
	json_open(&j, '{');
	json_change(&j, &x.wall);
	json_close(&j, '}');
	json_key(&j, "rows");
	json_open(&j, '[');
	for (size_t i = 0; i < x.n; i++) {
		json_open(&j, '{');
		json_kv_str(&j, "function", x.all[i].row->name);
		json_change(&j, &x.all[i].c);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_kv_u64(&j, "hidden_rows", x.n_hidden);
	json_kv_u64(&j, "folded_rows", x.n_folded);
	json_close(&j, '}');
	free(x.all);
	return outfile_check(out);
}
