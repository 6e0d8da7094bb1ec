// SPDX-License-Identifier: BSD-2-Clause
/* A trace read to its end, ready to be written as a page. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "export/html/html.h"

static void on_call(void *ctx, const struct call *c)
{
	html_goroutines_call(ctx, c);
}

static void on_stop(void *ctx, const struct stop_time *t)
{
	html_goroutines_stop(ctx, t);
}

static void on_goroutine(void *ctx, const struct goroutine_info *info)
{
	html_goroutines_end(ctx, info);
}

static int feed(struct html_page *p, struct trace_reader *r)
{
	struct trace_span span;
	int got, err = 0;

	while (!err && (got = trace_reader_span(r, &span)) != 0)
		err = got < 0 ? got : model_feed_span(p->rep.model, &span);
	return err ? err : model_finish(p->rep.model);
}

/* Functions of which there is something to show get consecutive numbers. */
int html_page_number(struct html_page *p)
{
	size_t n = p->rep.n_funcs;

	p->number = calloc(n + 1, sizeof(*p->number));
	p->funcs = calloc(n + 1, sizeof(*p->funcs));
	if (!p->number || !p->funcs)
		return -ENOMEM;
	for (uint32_t f = 0; f < n; f++)
		p->number[f] = report_has_row(&p->rep.funcs[f]) ? 0 : SANKEY_NONE;
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
	return func < p->rep.n_funcs ? p->number[func]
				     : (uint32_t)p->n_funcs + (func == PATH_TIMER);
}

int html_page_load(struct html_page *p, struct trace_reader *r)
{
	static const struct report_options by_function = { .by = BY_FUNCTION };
	struct model_options mo = { .on_call = on_call,
				    .on_stop = on_stop,
				    .on_goroutine = on_goroutine };
	struct report *rep = &p->rep;
	size_t n;

	*p = (struct html_page){
		.rep = { .opt = &by_function, .info = trace_reader_info(r), .file.fd = -1 }
	};
	mo.ctx = &p->goroutines;
	rep->model = model_new(rep->info, &mo);
	int err = rep->model ? feed(p, r) : -errno;

	if (!err) {
		rep->totals = model_totals(rep->model);
		rep->complete = trace_reader_complete(r);
		rep->funcs = model_funcs(rep->model, &rep->n_funcs);
		const struct path_node *paths = model_paths(rep->model, &n);

		err = html_tree_build(&p->tree, html_nodes_of(paths, n), n, rep->n_funcs);
	}
	if (!err)
		err = html_goroutines_finish(&p->goroutines, &p->tree);
	if (!err)
		err = html_page_number(p);
	if (err == -ENOMEM)
		log_error(
			"no memory for the page: 'gotrace record' with fewer functions (-p, -x) makes smaller traces");
	return err;
}

void html_page_free(struct html_page *p)
{
	report_free(&p->rep);
	html_tree_free(&p->tree);
	html_goroutines_free(&p->goroutines);
	free(p->number);
	free(p->funcs);
}
