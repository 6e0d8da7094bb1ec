// SPDX-License-Identifier: BSD-2-Clause
/* The page's data: what goroutines did and waited for, the slowest calls, who was parked. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/parked.h"
#include "analysis/calls/wait_class.h"
#include "analysis/calls/wait_rows.h"
#include "base/compare.h"
#include "export/html/html.h"

#define MOST_SLOW 8000 /* calls; of functions with more time first */

static int by_code(const void *x, const void *y)
{
	return compare_u64(*(const uint32_t *)x, *(const uint32_t *)y);
}

static const char *class_of(const struct wait_classes *classes, uint32_t code)
{
	switch (STATE_OF(code)) {
	case STATE_RUNNING:
		return "run";
	case STATE_RUNNABLE:
		return "ready";
	case STATE_WAITING:
		return wait_class_name(wait_class_of(classes, code >> 8));
	case STATE_SYSCALL:
		return "syscall";
	case STATE_OFF_CPU:
		return "off-cpu";
	default:
		return "unknown";
	}
}

/* By code: what it is called, and the kind that has its colour. */
int html_write_codes(struct html_page *p, struct json *j)
{
	struct html_codes *c = &p->codes;
	struct wait_classes classes;
	size_t n = 0;

	if (!c->n)
		return 0;
	wait_classes_fill(&classes, p->trace.info);
	qsort(c->all, c->n, sizeof(*c->all), by_code);
	for (size_t i = 0; i < c->n; i++)
		if (!n || c->all[n - 1] != c->all[i])
			c->all[n++] = c->all[i];
	c->n = n;
	json_key(j, "codes");
	json_open(j, '{');
	for (size_t i = 0; i < n; i++) {
		char key[16], name[STATE_NAME_BYTES];

		snprintf(key, sizeof(key), "%u", c->all[i]);
		json_key(j, key);
		json_open(j, '[');
		json_str(j, state_name(p->trace.info, STATE_OF(c->all[i]), c->all[i] >> 8, name));
		json_str(j, class_of(&classes, c->all[i]));
		json_close(j, ']');
	}
	json_close(j, '}');
	return 0;
}

/* ---- the slowest calls */

static int most_first(const void *x, const void *y, void *ctx)
{
	const struct html_slow_func *funcs = ctx;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	int c = compare_u64(funcs[b].all_ns, funcs[a].all_ns);

	return c ? c : compare_u64(a, b);
}

static int put_call(struct html_page *p, struct html_text *t, const struct html_slow_call *c)
{
	uint64_t from_ns = p->trace.totals->from_ns;
	int err = 0;

	html_put(t, c->start_ns > from_ns ? c->start_ns - from_ns : 0);
	html_put(t, c->id);
	html_put(t, (uint64_t)c->image << 1 | c->system);
	html_put(t, c->level);
	html_put(t, c->n_parts);
	for (size_t i = 0; !err && i < c->n_parts; i++) {
		html_put(t, c->parts[i].what);
		html_put(t, c->parts[i].ns);
		err = html_code(&p->codes, c->parts[i].what);
	}
	return err;
}

/* A call that the timeline has joined with others cannot be shown there. */
static size_t shown(const struct html_page *p, const struct html_slow_func *f)
{
	size_t n = f->n;

	while (n && f->calls[n - 1].ns <= p->timeline.apart_ns)
		n--;
	return n;
}

static int put_calls(struct html_page *p, struct html_text *t, const struct html_slow_func *f)
{
	uint64_t before_ns = 0;
	int err = 0;

	html_put(t, shown(p, f));
	for (size_t k = 0; !err && k < shown(p, f); k++) {
		html_put(t, k ? before_ns - f->calls[k].ns : f->calls[k].ns);
		before_ns = f->calls[k].ns;
		err = put_call(p, t, &f->calls[k]);
	}
	return err;
}

/* Of each function its number, how many of its calls, and these: each by how much it is faster than
 * the one before, and what put_call puts. */
int html_write_slow(struct html_page *p, struct json *j)
{
	const struct html_slow *s = &p->slow;
	uint32_t *order = calloc(s->n_funcs + 1, sizeof(*order));
	struct html_text calls = { 0 };
	int err = order ? 0 : -ENOMEM;
	size_t n = 0, written = 0;

	for (uint32_t f = 0; order && f < s->n_funcs; f++)
		if (shown(p, &s->funcs[f]) && p->number[f] != SANKEY_NONE)
			order[n++] = f;
	if (n)
		qsort_r(order, n, sizeof(*order), most_first, s->funcs);
	for (size_t i = 0; !err && i < n && written < MOST_SLOW; i++) {
		html_put(&calls, html_func(p, order[i]));
		err = put_calls(p, &calls, &s->funcs[order[i]]);
		written += shown(p, &s->funcs[order[i]]);
	}
	free(order);
	if (!n) {
		free(calls.s);
		return err;
	}
	json_kv_u64(j, "slow_most", s->most);
	int err_calls = html_column(j, "slow", &calls);

	return err ? err : err_calls;
}

/* ---- why goroutines waited, who was parked */

/* Of each node and reason: how many nodes further on, the code, and for how long it waited itself.
 */
int html_write_waits(struct html_page *p, struct json *j)
{
	struct wait_rows w = { 0 };
	struct html_text text = { 0 };
	int err = p->trace.samples ? 0 : wait_rows_load(&w, &p->trace, &p->tree);
	uint32_t last = 0;

	for (size_t i = 0; !err && i < w.n; i++) {
		const uint32_t code = STATE_DEPTH(STATE_WAITING, w.all[i].reason);

		if (!w.all[i].self_ns)
			continue;
		html_put(&text, w.all[i].row - last);
		html_put(&text, code);
		html_put(&text, w.all[i].self_ns);
		last = w.all[i].row;
		err = html_code(&p->codes, code);
	}
	wait_rows_free(&w);
	if (!text.n)
		return err;
	int err_text = html_column(j, "waits", &text);

	return err ? err : err_text;
}

/* Of each place: its node, the code, how many goroutines, and for how long. */
int html_write_parked(struct html_page *p, struct json *j)
{
	size_t n;
	const struct parked_place *x = parked_places(p->trace.parked, &n);
	struct html_text text = { 0 };
	int err = 0;

	for (size_t i = 0; !err && i < n; i++) {
		const uint32_t code = STATE_DEPTH(STATE_WAITING, x[i].reason);

		html_put(&text, p->tree.node_of[x[i].path]);
		html_put(&text, code);
		html_put(&text, x[i].goroutines);
		html_put(&text, x[i].ns);
		err = html_code(&p->codes, code);
	}
	if (!text.n)
		return err;
	int err_text = html_column(j, "parked", &text);

	return err ? err : err_text;
}
