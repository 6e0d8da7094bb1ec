// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/vec.h"
#include "analysis/report.h"

/* Of calls, 64 MiB; a report of more of them uses a file. */
#define MOST_IN_MEMORY ((size_t)1 << 20)

void report_take_goroutine(struct report *rep, const struct goroutine_info *g)
{
	if (g->system && !g->calls)
		return;
	if (!rep->err)
		rep->err = vec_reserve(&rep->goroutines, &rep->cap_goroutines,
				       rep->n_goroutines + 1);
	if (!rep->err)
		rep->goroutines[rep->n_goroutines++] = (struct goroutine_row){
			.g = *g,
			.n = 1,
			.n_ended = g->ended,
		};
}

static void on_goroutine(void *ctx, const struct goroutine_info *g)
{
	report_take_goroutine(ctx, g);
}

/* A slot of the file is taken as the call begins. */
static void on_entry(void *ctx, const struct call *c)
{
	struct report *rep = ctx;

	if (!rep->err)
		rep->err = callfile_put(&rep->file, c);
}

static void on_call(void *ctx, const struct call *c)
{
	struct report *rep = ctx;
	bool wanted = report_wants_call(rep, c);

	rep->n_wanted += wanted;
	if (rep->err)
		return;
	if (!rep->first.most)
		rep->err = callfile_put(&rep->file, c);
	else if (wanted)
		rep->err = firstcalls_put(&rep->first, c);
}

static uint64_t self_ns(const struct call *c)
{
	return c->self_ns;
}

static uint64_t duration_ns(const struct call *c)
{
	return c->end_ns > c->start_ns ? c->end_ns - c->start_ns : 0;
}

/* By what the options sort calls; NULL: by their beginning. */
static call_weight_fn call_weight(const struct report_options *opt)
{
	return opt->sort == SORT_SELF ? self_ns : opt->sort == SORT_TOTAL ? duration_ns : NULL;
}

static int prepare_calls(struct report *rep, struct model_options *mo)
{
	size_t limit = rep->opt->limit;

	mo->on_call = on_call;
	if (limit && limit <= MOST_IN_MEMORY) {
		rep->first.most = limit;
		rep->first.weight = call_weight(rep->opt);
		return 0;
	}
	mo->on_entry = on_entry;
	return callfile_open(&rep->file);
}

static int finish_calls(struct report *rep)
{
	int err = rep->file.fd >= 0 ? callfile_map(&rep->file) : 0;

	firstcalls_sort(&rep->first);
	if (rep->file.slots && call_weight(rep->opt))
		firstcalls_sort_all(rep->file.slots, rep->file.n, call_weight(rep->opt));
	rep->calls = rep->first.most ? rep->first.calls : rep->file.slots;
	rep->n_calls = err ? 0 : rep->first.most ? rep->first.n : rep->file.n;
	return err;
}

static int feed_all(struct report *rep, struct trace_reader *r)
{
	struct trace_span span;
	int got, err = 0;

	while ((got = trace_reader_span(r, &span)) > 0) {
		err = model_feed_span(rep->model, &span);
		if (err || rep->err)
			return err ? err : rep->err;
	}
	if (!got)
		err = model_finish(rep->model);
	return got < 0 ? got : err ? err : rep->err;
}

int report_load(struct report *rep, struct trace_reader *r, const struct report_options *opt)
{
	struct model_options mo = { .ctx = rep };
	int err = 0;

	*rep = (struct report){ .opt = opt, .info = trace_reader_info(r), .file.fd = -1 };
	if (opt->by == BY_GOROUTINE)
		mo.on_goroutine = on_goroutine;
	if (opt->by == BY_CALL)
		err = prepare_calls(rep, &mo);
	if (err)
		return err;
	rep->model = model_new(rep->info, &mo);
	if (!rep->model)
		return -errno;
	rep->totals = model_totals(rep->model);
	err = feed_all(rep, r);
	rep->complete = trace_reader_complete(r);
	rep->funcs = model_funcs(rep->model, &rep->n_funcs);
	if (!err)
		err = finish_calls(rep);
	if (!err && opt->by == BY_GOROUTINE)
		err = report_goroutines(rep);
	if (!err && opt->by == BY_PATH)
		err = report_build_tree(rep);
	if (!err)
		err = report_sort_rows(rep);
	if (err == -ENOMEM)
		log_error("no memory for the report of %llu events",
			  (unsigned long long)rep->totals->events);
	return err;
}

void report_free(struct report *rep)
{
	model_free(rep->model);
	free(rep->goroutines);
	paths_free(&rep->tree);
	free(rep->place);
	free(rep->level);
	free(rep->below_ns);
	firstcalls_free(&rep->first);
	callfile_close(&rep->file);
	free(rep->rows);
}

const char *report_name(const struct report *rep, uint32_t func)
{
	switch (func) {
	case PATH_OTHER:
		return "[other]";
	case PATH_TIMER:
		return "runtime timer";
	default:
		return func < rep->info->n_funcs ? rep->info->funcs[func].name : "?";
	}
}

const char *report_pc_func(const struct report *rep, uint64_t pc)
{
	const struct trace_pc *p = pc ? trace_info_pc(rep->info, pc) : NULL;

	return p && p->func ? p->func : "";
}

const char *report_start_func(const struct report *rep, const struct goroutine_info *g)
{
	if (g->system)
		return "";
	/* Goroutine 1 is made before anything runs (runtime/asm_amd64.s, rt0_go), always for
	 * runtime.main. */
	return g->goid == 1 && !g->start_pc ? "runtime.main" : report_pc_func(rep, g->start_pc);
}

const char *report_pc_line(const struct report *rep, uint64_t pc, bool base, char *buf, size_t size)
{
	const struct trace_pc *p = pc ? trace_info_pc(rep->info, pc) : NULL;
	const char *slash = p && p->file && base ? strrchr(p->file, '/') : NULL;

	buf[0] = '\0';
	if (p && p->file)
		snprintf(buf, size, "%s:%u", slash ? slash + 1 : p->file, p->line);
	return buf;
}

uint64_t report_span_ns(const struct report *rep)
{
	const struct model_totals *t = rep->totals;

	/* a broken trace may run backwards */
	return t->last_ns > t->first_ns ? t->last_ns - t->first_ns : 0;
}

uint64_t report_other_calls(const struct report *rep)
{
	size_t n;
	const struct path_node *nodes = model_paths(rep->model, &n);

	for (size_t i = 1; rep->totals->folded_nodes && i < n; i++)
		if (nodes[i].func == PATH_OTHER)
			return nodes[i].stats.calls;
	return 0;
}

int report_written(FILE *out)
{
	int err = fflush(out) ? errno : 0;

	if (!err && ferror(out))
		err = EIO; /* an earlier write failed; its reason is gone */
	if (err)
		log_error("the output could not be written: %s", strerror(err));
	return -err;
}
