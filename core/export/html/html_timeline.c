// SPDX-License-Identifier: BSD-2-Clause
/* The timeline as the page's data. */
#include <errno.h>
#include <stdlib.h>

#include "analysis/trace_names.h"
#include "analysis/calls/wait_rows.h"
#include "base/vec.h"
#include "export/html/html.h"

#define MOST_LOSSES 4096 /* what is lost after so many gaps is one with the last */

int html_losses_add(struct html_losses *l, uint64_t from_ns, uint64_t to_ns, uint64_t goid)
{
	if (l->n == MOST_LOSSES) {
		struct html_loss *last = &l->all[l->n - 1];

		last->to_ns = to_ns > last->to_ns ? to_ns : last->to_ns;
		last->goid = 0;
		return 0;
	}
	if (vec_reserve(&l->all, &l->cap, l->n + 1))
		return -ENOMEM;
	l->all[l->n++] = (struct html_loss){ from_ns, to_ns, goid };
	return 0;
}

/* Who ended the wait before it: 0 nobody that is known, 1 the runtime, 2 a goroutine in no function
 * of the page, else 3 + the function; then the goroutine. */
static void put_waker(const struct html_page *p, struct html_text *to,
		      const struct timeline_span *s)
{
	const uint32_t func = s->woken - 1;

	if (STATE_OF(s->what) != STATE_RUNNABLE || s->n > 1)
		return;
	html_put(to, !s->woken              ? 0
		     : func == WAKE_RUNTIME ? 1
		     : func >= p->trace.n_funcs || p->number[func] == SANKEY_NONE
			     ? 2
			     : 3 + p->number[func]);
	if (s->woken)
		html_put(to, s->by);
}

/* The spans of one lane from the i-th on; *i: the first of the next. */
static int write_spans(struct html_page *p, struct json *j, size_t *i)
{
	const struct timeline *t = &p->timeline;
	const uint32_t lane = t->spans[*i].lane;
	struct html_text states = { 0 }, calls = { 0 };
	int err = 0;

	while (*i < t->n && t->spans[*i].lane == lane) {
		const uint32_t level = t->spans[*i].level;
		struct html_text *to = level == TIMELINE_STATES ? &states : &calls;
		uint64_t before_ns = t->from_ns;
		size_t n = 0;

		while (*i + n < t->n && t->spans[*i + n].lane == lane &&
		       t->spans[*i + n].level == level)
			n++;
		if (level != TIMELINE_STATES)
			html_put(to, level);
		html_put(to, n);
		for (; n--; ++*i) {
			const struct timeline_span *s = &t->spans[*i];

			html_put(to, s->start_ns - before_ns);
			html_put(to, s->end_ns - s->start_ns);
			html_put(to, level == TIMELINE_STATES ? s->what : p->tree.node_of[s->what]);
			html_put(to, s->n - 1);
			if (s->n > 1)
				html_put(to, s->busy_ns);
			if (level == TIMELINE_STATES)
				put_waker(p, to, s);
			before_ns = s->start_ns;
			if (level == TIMELINE_STATES && !err)
				err = html_code(&p->codes, s->what);
		}
	}
	int err_calls = html_column(j, "calls", &calls),
	    err_states = html_column(j, "states", &states);

	return err ? err : err_calls ? err_calls : err_states;
}

static bool has_calls(const struct timeline *t, size_t i)
{
	uint32_t lane = t->spans[i].lane;

	for (; i < t->n && t->spans[i].lane == lane; i++)
		if (t->spans[i].level != TIMELINE_STATES)
			return true;
	return false;
}

static int write_lanes(struct html_page *p, struct json *j)
{
	const struct timeline *t = &p->timeline;
	int err = 0;

	json_key(j, "lanes");
	json_open(j, '[');
	for (size_t i = 0; !err && i < t->n;) {
		const struct timeline_lane *l = &t->lanes[t->spans[i].lane];

		if (!has_calls(t, i)) {
			for (uint32_t lane = t->spans[i].lane;
			     i < t->n && t->spans[i].lane == lane;)
				i++;
			continue;
		}
		json_open(j, '{');
		json_kv_u64(j, "goid", l->id);
		json_kv_bool(j, "system", l->system);
		json_kv_u64(j, "image", l->image);
		json_kv_u64(j, "group", p->groups.of_node[p->tree.node_of[l->start_path]]);
		json_kv_str(j, "start",
			    trace_name_start(p->trace.info,
					     &(struct goroutine_info){ .goid = l->id,
								       .start_pc = l->start_pc,
								       .image = l->image,
								       .system = l->system }));
		err = write_spans(p, j, &i);
		json_close(j, '}');
	}
	json_close(j, ']');
	return err;
}

/* Pairs: how many further on, the time there. */
static int write_bins(struct json *j, const uint64_t bins[TIMELINE_BINS])
{
	struct html_text text = { 0 };

	for (size_t k = 0, last = 0; k < TIMELINE_BINS; k++) {
		if (!bins[k])
			continue;
		html_put(&text, k - last);
		html_put(&text, bins[k]);
		last = k;
	}
	return html_column(j, "bins", &text);
}

/* What goroutines did at each moment; nothing without states. */
static int write_loads(struct html_page *p, struct json *j)
{
	const struct timeline_strips *s = &p->loads.strips;
	int err = 0;

	if (!s->n)
		return 0;
	json_kv_u64(j, "load_bin", s->bin_ns);
	json_key(j, "loads");
	json_open(j, '[');
	for (size_t i = 0; !err && i < s->n; i++) {
		const uint32_t key = s->all[i].key;

		json_open(j, '{');
		json_kv_bool(j, "collector", key == HTML_LOAD_COLLECTOR);
		json_kv_u64(j, "code", key == HTML_LOAD_COLLECTOR ? STATE_RUNNING : key);
		err = write_bins(j, s->all[i].bins);
		if (!err && key != HTML_LOAD_COLLECTOR)
			err = html_code(&p->codes, key);
		json_close(j, '}');
	}
	json_close(j, ']');
	return err;
}

/* A row for each go statement: those of paths that one has begun added up. */
static int write_strips(const struct html_page *p, struct json *j)
{
	const struct timeline *t = &p->timeline;
	uint64_t(*sums)[TIMELINE_BINS] = calloc(t->strips.n + 1, sizeof(*sums));
	uint32_t *of_group = calloc(p->groups.n + 1, sizeof(*of_group)), n = 0;
	int err = sums && of_group ? 0 : -ENOMEM;

	json_key(j, "strips");
	json_open(j, '[');
	for (size_t i = 0; !err && i < t->strips.n; i++) {
		uint32_t *row = &of_group[p->groups.of_node[p->tree.node_of[t->strips.all[i].key]]];

		*row = *row ? *row : ++n; /* counted from 1 */
		for (size_t k = 0; k < TIMELINE_BINS; k++)
			sums[*row - 1][k] += t->strips.all[i].bins[k];
	}
	for (size_t g = 0; !err && g < p->groups.n; g++) {
		if (!of_group[g])
			continue;
		json_open(j, '{');
		json_kv_u64(j, "group", g);
		err = write_bins(j, sums[of_group[g] - 1]);
		json_close(j, '}');
	}
	json_close(j, ']');
	free(sums);
	free(of_group);
	return err;
}

static int write_losses(const struct html_page *p, struct json *j)
{
	struct html_text text = { 0 };
	uint64_t first_ns = p->timeline.from_ns;

	for (size_t i = 0; i < p->losses.n; i++) {
		const struct html_loss *l = &p->losses.all[i];
		uint64_t from_ns = l->from_ns > first_ns ? l->from_ns - first_ns : 0,
			 to_ns = l->to_ns > first_ns ? l->to_ns - first_ns : 0;

		html_put(&text, from_ns);
		html_put(&text, to_ns > from_ns ? to_ns - from_ns : 0);
		html_put(&text, l->goid); /* 0: everybody's */
	}
	return html_column(j, "losses", &text);
}

int html_write_timeline(struct html_page *p, struct json *j)
{
	const struct timeline *t = &p->timeline;

	if (!t->n)
		return 0;
	json_key(j, "timeline");
	json_open(j, '{');
	json_kv_u64(j, "length", t->to_ns - t->from_ns);
	json_kv_u64(j, "apart", t->apart_ns);
	json_kv_bool(j, "left_out", t->left_out);
	json_kv_u64(j, "not_in_strips", t->strips.left_out);
	json_kv_u64(j, "too_deep", t->too_deep);
	json_kv_u64(j, "bin", t->strips.bin_ns);
	int err = write_lanes(p, j);

	if (!err)
		err = write_strips(p, j);
	if (!err)
		err = write_loads(p, j);
	if (!err)
		err = write_losses(p, j);
	json_close(j, '}');
	return err;
}
