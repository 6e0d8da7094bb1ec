// SPDX-License-Identifier: BSD-2-Clause
/* A trace read to its end, ready to be written as a page. */
#include <errno.h>
#include <stdlib.h>

#include "analysis/calls/correction.h"
#include "analysis/stat_columns.h"
#include "base/log.h"
#include "export/html/html.h"

static void on_call(void *ctx, const struct call *c)
{
	struct html_page *p = ctx;

	html_goroutines_call(&p->goroutines, c);
	p->timeline.from_ns = p->trace.totals->from_ns;
	p->timeline.model = p->trace.model;
	timeline_call(&p->timeline, c);
	html_slow_call(&p->slow, p->trace.info->n_funcs, c);
	if (p->calls)
		p->calls->watch.on_call(p->calls, c);
}

static void on_prologue_stop(void *ctx, const struct prologue_stop_time *t)
{
	struct html_page *p = ctx;

	html_goroutines_stop(&p->goroutines, t);
}

static void on_goroutine(void *ctx, const struct goroutine_info *info)
{
	struct html_page *p = ctx;

	html_goroutines_end(&p->goroutines, info, p->trace.model);
	timeline_goroutine(&p->timeline, info);
}

static void on_state(void *ctx, const struct state_span *s)
{
	struct html_page *p = ctx;

	p->timeline.from_ns = p->trace.totals->from_ns;
	timeline_state(&p->timeline, s);
	if (!p->timeline.err)
		p->timeline.err = html_loads_add(&p->loads, p->trace.info, p->timeline.from_ns, s);
}

#define PINNED 500 /* lanes, of HTML_LANES */

/* Goroutines of the slowest calls: of each function the slowest, of each the next, and so on. */
static void pin_slow(void *ctx, struct timeline *t)
{
	struct html_slow *s = ctx;
	size_t left = PINNED;

	html_slow_sort(s);
	for (size_t k = 1; k <= s->most && left; k++)
		for (size_t f = 0; f < s->n_funcs && left; f++) {
			const struct html_slow_func *of = &s->funcs[f];
			const struct html_slow_call *c = k <= of->n ? &of->calls[of->n - k] : NULL;

			left -= c && timeline_pin(t, c->id, c->image, c->system);
		}
}

static void on_event(void *ctx, const struct event_ext *ev)
{
	struct html_page *p = ctx;

	if (ev->h.kind == EV_LOSS && !p->timeline.err)
		p->timeline.err = html_losses_add(&p->losses, ev->h.ts_ns, ev->arg[0],
						  ev->h.flags & EVF_ALL ? 0 : ev->h.goid);
}

/* Functions of which there is something to show get consecutive numbers. */
int html_page_number(struct html_page *p)
{
	size_t n = p->trace.n_funcs;

	p->number = calloc(n + 1, sizeof(*p->number));
	p->funcs = calloc(n + 1, sizeof(*p->funcs));
	if (!p->number || !p->funcs)
		return -ENOMEM;
	for (uint32_t f = 0; f < n; f++)
		p->number[f] = stat_any(&p->trace.funcs[f]) ? 0 : SANKEY_NONE;
	for (size_t i = 1; i < p->tree.n; i++)
		if (p->tree.nodes[i].func < n)
			p->number[p->tree.nodes[i].func] = 0;
	for (uint32_t f = 0; f < n; f++)
		if (p->number[f] != SANKEY_NONE) {
			p->number[f] = (uint32_t)p->n_funcs;
			p->funcs[p->n_funcs++] = f;
		}
	return 0;
}

uint32_t html_func(const struct html_page *p, uint32_t func)
{
	return func < p->trace.n_funcs ? p->number[func]
				       : (uint32_t)p->n_funcs + (func == PATH_TIMER);
}

int html_page_load(struct html_page *p, struct trace_reader *r, const struct trace_view *view,
		   bool raw, struct calls_of_all *calls)
{
	static const struct call_tree_options opt = { MERGE_NOTHING, ORDER_WEIGHT, false };
	struct trace_watch watch = { .on_call = on_call,
				     .on_prologue_stop = on_prologue_stop,
				     .on_goroutine = on_goroutine,
				     .on_state = on_state,
				     .on_event = on_event,
				     .wakes = true,
				     .call_waits = true,
				     .holds = true,
				     .ctx = p };

	*p = (struct html_page){ .timeline = { .most = HTML_SPANS,
					       .most_lanes = HTML_LANES,
					       .pin = pin_slow,
					       .pin_ctx = &p->slow },
				 .calls = calls };
	int err = trace_load(&p->trace, r, view, &watch);

	if (!err && !raw)
		err = correction_apply(&p->trace);
	if (!err)
		err = call_tree_build(&p->tree, &p->trace, &opt);
	if (!err)
		err = html_groups_find(&p->groups, &p->tree, p->trace.n_funcs);
	if (!err)
		html_groups_count(&p->groups, &p->tree, &p->goroutines);
	if (!err)
		err = html_goroutines_finish(&p->goroutines, &p->trace, &p->tree);
	if (!err)
		err = timeline_finish(&p->timeline);
	if (!err)
		err = html_slow_finish(&p->slow);
	if (!err)
		err = html_page_number(p);
	if (err == -ENOMEM)
		log_no_memory(
			"no memory for the page: 'gotrace record' with fewer functions (-p, -x) makes smaller traces");
	return err;
}

void html_page_free(struct html_page *p)
{
	html_goroutines_free(&p->goroutines);
	timeline_free(&p->timeline);
	free(p->losses.all);
	html_loads_free(&p->loads);
	html_slow_free(&p->slow);
	free(p->codes.all);
	html_groups_free(&p->groups);
	call_tree_free(&p->tree);
	trace_unload(&p->trace);
	free(p->number);
	free(p->funcs);
}
