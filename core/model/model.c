// SPDX-License-Identifier: BSD-2-Clause
#include "model/model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "model/model_internal.h"
#include "trace/keys.h"

/* Copies of what the hot path needs of info: saves reading half a cache line for each site. */
static int take_tables(struct model *m)
{
	const struct trace_info *info = m->info;

	m->n_funcs = info->n_funcs;
	m->funcs = calloc(m->n_funcs + 1, sizeof(*m->funcs));
	m->hists = calloc(m->n_funcs + 1, sizeof(*m->hists));
	return m->funcs && m->hists ? pair_init(&m->pair, info) : -ENOMEM;
}

struct model *model_new(const struct trace_info *info, const struct model_options *opt)
{
	struct model *m = calloc(1, sizeof(*m));
	int err = -ENOMEM;

	if (m) {
		const char *states = trace_info_get(info, KEY_STATES);

		m->info = info;
		m->states = m->totals.states = states && !strcmp(states, "1") &&
					       !(opt && opt->no_states);
		m->max_stacks = m->max_frames_room = UINT64_MAX;
		if (opt)
			m->opt = m->later = *opt;
		if (opt && opt->view && opt->view->later)
			m->opt = (struct model_options){ .view = opt->view,
							 .max_paths = opt->max_paths,
							 .path_selfs = opt->path_selfs };
		err = paths_init(&m->paths, m->opt.max_paths, opt && opt->path_selfs);
		m->paths.view = m->opt.view;
		if (!err)
			err = take_tables(m);
	}
	if (err) {
		log_no_memory("no memory to read the trace with");
		model_free(m);
		errno = -err;
		return NULL;
	}
	return m;
}

void model_free(struct model *m)
{
	if (!m)
		return;
	stack_table_free(m, &m->goroutines);
	stack_table_free(m, &m->threads);
	for (size_t i = 0; i < m->n_spare; i++)
		stack_free(m, m->spare[i]);
	for (size_t i = 0; m->funcs && i < m->n_funcs; i++)
		hist_free(&m->funcs[i].hist);
	for (size_t i = 0; m->hists && i < m->n_funcs; i++)
		hist_free(&m->hists[i]);
	paths_free(&m->paths);
	waits_free(&m->waits);
	wakes_free(&m->wakes);
	holds_free(&m->holds);
	sampled_free(&m->sampled);
	free(m->funcs);
	free(m->hists);
	pair_free(&m->pair);
	free(m);
}

/*
 * What a recording stores of an event is seven bits at least, by how far it is from the one before:
 * these are above any recording, also where it begins with a million go statements. The first of
 * each are free: a file of a few kilobytes may be a test's.
 */
#define FREE_STACKS 50000u
#define FREE_FRAMES 400000u
#define FREE_PATHS  50000u

void model_allow(struct model *m, uint64_t stored_bytes)
{
	uint32_t most = m->opt.max_paths ? m->opt.max_paths : PATHS_DEFAULT_MAX;
	uint64_t paths = FREE_PATHS + stored_bytes + stored_bytes / 4; /* one an event */

	m->max_stacks = FREE_STACKS + 2 * stored_bytes;
	/* rooms double */
	m->max_frames_room = FREE_FRAMES + STACK_FRAMES * m->max_stacks + 2 * stored_bytes;
	m->paths.max = paths < most ? (uint32_t)paths : most;
}

void call_stats_add(struct call_stats *into, const struct call_stats *from)
{
	into->calls += from->calls;
	into->samples += from->samples;
	into->unfinished += from->unfinished;
	into->begun_before += from->begun_before;
	into->unwound += from->unwound;
	into->suspect += from->suspect;
	into->self_ns += from->self_ns;
	into->sampled_ns += from->sampled_ns;
	into->left_out_ns += from->left_out_ns;
	into->sum_ns += from->sum_ns;
	into->total_ns += from->total_ns;
	into->suspect_ns += from->suspect_ns;
	if (from->finished && (!into->finished || from->min_ns < into->min_ns))
		into->min_ns = from->min_ns;
	if (from->max_ns > into->max_ns)
		into->max_ns = from->max_ns;
	into->finished += from->finished;
	into->morestack_ns += from->morestack_ns;
	into->morestack_count += from->morestack_count;
	into->preempt_ns += from->preempt_ns;
	into->preempt_count += from->preempt_count;
	into->declined_count += from->declined_count;
	into->probe_ns += from->probe_ns;
	into->inside_ns += from->inside_ns;
	into->uncertainty_ns += from->uncertainty_ns;
	into->run_chance_ns += from->run_chance_ns;
	into->run_bias_ns += from->run_bias_ns;
	into->off_probe_ns += from->off_probe_ns;
	into->off_inside_ns += from->off_inside_ns;
	into->cost_ns += from->cost_ns;
	into->corrected |= from->corrected;
	off_times_add(&into->off_self, &from->off_self);
	off_times_add(&into->off_total, &from->off_total);
	into->self_square_ns2 += from->self_square_ns2;
	into->total_square_ns2 += from->total_square_ns2;
}

int model_finish(struct model *m)
{
	int err = lifetimes_end_all(m, m->totals.last_ns);

	if (err)
		return err;
	if (m->off_ns && m->totals.last_ns > m->off_ns)
		m->totals.off_ns += m->totals.last_ns - m->off_ns;
	m->off_ns = 0;
	/* While events came, only nodes were counted: half the memory to touch a call. */
	paths_settle(&m->paths);
	err = view_settle(m);
	if (err)
		return err;
	for (size_t i = 1; i < m->paths.n; i++) {
		const struct path_node *n = &m->paths.nodes[i];
		struct call_stats st = n->stats;

		if (n->func >= m->n_funcs)
			continue;
		if (!m->paths.hot[i].outermost) { /* its time is in an outer call's already */
			st.total_ns = st.suspect_ns = st.samples = 0;
			st.off_total = (struct off_times){ 0 };
		}
		call_stats_add(&m->funcs[n->func], &st);
	}
	for (size_t i = 0; i < m->n_funcs; i++) {
		m->funcs[i].hist = m->hists[i];
		m->hists[i] = (struct hist){ 0 };
	}
	m->totals.images = m->image + 1;
	m->totals.folded_nodes = m->paths.refused;
	return 0;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* What was taken out of a path's calls and of those below on the same goroutine. */
struct inside {
	uint64_t ns, off_cpu_ns, runnable_ns; /* the latter two: parts of ns */
};

static uint64_t taken_ns(const struct path_correction *c)
{
	return c->probe_ns + c->off_cpu_ns + c->runnable_ns;
}

static void correct(struct call_stats *st, const struct path_correction *c, struct inside in,
		    bool whole)
{
	st->self_ns -= taken_ns(c);
	st->off_self.off_cpu_ns -= c->off_cpu_ns;
	st->off_self.runnable_ns -= c->runnable_ns;
	st->probe_ns += taken_ns(c);
	st->off_probe_ns += c->off_cpu_ns;
	st->ready_probe_ns += c->runnable_ns;
	st->uncertainty_ns += c->errors.uncertainty_ns;
	st->run_chance_ns += c->errors.run_chance_ns;
	st->run_bias_ns += c->errors.run_bias_ns;
	st->cost_ns += c->cost_ns;
	st->corrected = true;
	if (!whole)
		return;
	in.off_cpu_ns = least(in.off_cpu_ns, st->off_total.off_cpu_ns);
	in.runnable_ns = least(in.runnable_ns, st->off_total.runnable_ns);
	in.ns = least(in.ns, st->total_ns);
	st->off_total.off_cpu_ns -= in.off_cpu_ns;
	st->off_total.runnable_ns -= in.runnable_ns;
	st->total_ns -= in.ns;
	st->inside_ns += in.ns;
	st->off_inside_ns += in.off_cpu_ns;
	st->ready_inside_ns += in.runnable_ns;
}

/* No more than there is; nothing of what stands for many functions. */
static struct path_correction at_most(const struct model *m, const struct path_node *n,
				      struct path_correction c)
{
	const struct call_stats *st = &n->stats;
	bool known = n->func < m->n_funcs;

	c.probe_ns = known ? least(c.probe_ns, st->self_ns - off_times_sum(&st->off_self)) : 0;
	c.off_cpu_ns = known ? least(c.off_cpu_ns, st->off_self.off_cpu_ns) : 0;
	c.runnable_ns = known ? least(c.runnable_ns, st->off_self.runnable_ns) : 0;
	return c;
}

int model_correct(struct model *m, const struct path_correction *of,
		  const struct correction_errors *func_errors)
{
	struct path_node *nodes = m->paths.nodes;
	struct inside *in = calloc(m->paths.n, sizeof(*in));

	if (!in)
		return -ENOMEM;
	/* Nodes come after their parents. */
	for (size_t i = m->paths.n; i-- > 1;) {
		struct path_node *n = &nodes[i];
		struct path_correction c = at_most(m, n, of[i]);

		in[i].ns += taken_ns(&c);
		in[i].off_cpu_ns += c.off_cpu_ns;
		in[i].runnable_ns += c.runnable_ns;
		if (!n->go_edge) {
			in[n->parent].ns += in[i].ns;
			in[n->parent].off_cpu_ns += in[i].off_cpu_ns;
			in[n->parent].runnable_ns += in[i].runnable_ns;
		}
		m->totals.root_ns -= least(taken_ns(&c), m->totals.root_ns);
		m->totals.probe_ns += taken_ns(&c);
		correct(&n->stats, &c, in[i], true);
		if (n->func < m->n_funcs)
			correct(&m->funcs[n->func], &c, in[i], m->paths.hot[i].outermost);
	}
	for (size_t i = 0; func_errors && i < m->n_funcs; i++) {
		m->funcs[i].uncertainty_ns = func_errors[i].uncertainty_ns;
		m->funcs[i].run_chance_ns = func_errors[i].run_chance_ns;
		m->funcs[i].run_bias_ns = func_errors[i].run_bias_ns;
	}
	free(in);
	return 0;
}

const struct model_totals *model_totals(const struct model *m)
{
	return &m->totals;
}

const struct call_stats *model_funcs(const struct model *m, size_t *n)
{
	*n = m->n_funcs;
	return m->funcs;
}

const struct path_node *model_paths(const struct model *m, size_t *n)
{
	*n = m->paths.n;
	return m->paths.nodes;
}

const struct path_fold *model_path_folds(const struct model *m, size_t *n)
{
	*n = m->paths.n_folds;
	return m->paths.folds;
}

const struct path_selfs *model_path_selfs(const struct model *m)
{
	return m->paths.selfs;
}
