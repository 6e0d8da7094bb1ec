// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/samples/sample_programs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/samples/sample_load.h"
#include "analysis/samples/sample_processes.h"
#include "base/compare.h"

int sample_program_compare(const struct sample_process *a, const struct sample_process *b)
{
	if (!a->exe != !b->exe)
		return a->exe ? -1 : 1;
	return a->exe ? strcmp(a->exe, b->exe) : strcmp(a->comm, b->comm);
}

static int by_program(const void *x, const void *y, void *ctx)
{
	const struct sample_process *all = ctx;
	const uint32_t i = *(const uint32_t *)x, k = *(const uint32_t *)y;
	const int c = sample_program_compare(&all[i], &all[k]);

	return c ? c : compare_u64(i, k);
}

/* The processes that have samples, by program, into order. Their number. */
static size_t with_samples(const struct loaded_samples *s, bool *has, uint32_t *order)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_groups; i++)
		has[s->groups[i].process] = true;
	for (size_t i = 0; i < s->tables->n_processes; i++)
		if (has[i])
			order[n++] = (uint32_t)i;
	if (n)
		qsort_r(order, n, sizeof(*order), by_program, s->tables->processes);
	return n;
}

/* How many programs there are among those that the view wants. */
static size_t count(const struct loaded_samples *s, const struct trace_view *v,
		    const uint32_t *order, size_t n)
{
	const struct sample_process *all = s->tables->processes, *last = NULL;
	size_t programs = 0;

	for (size_t i = 0; i < n; i++) {
		if (!sample_process_wanted(v, &all[order[i]]))
			continue;
		programs += !last || sample_program_compare(last, &all[order[i]]) != 0;
		last = &all[order[i]];
	}
	return programs;
}

static int by_last_part(const void *x, const void *y, void *ctx)
{
	const struct sample_programs *p = ctx;

	return strcmp(p->list[*(const uint32_t *)x].name, p->list[*(const uint32_t *)y].name);
}

/* Those whose last parts are alike are called by their paths. */
static int name_apart(struct sample_programs *p, const struct sample_process *processes)
{
	uint32_t *order = calloc(p->n, sizeof(*order));
	int err = order ? 0 : -ENOMEM;

	for (size_t i = 0; i < p->n && !err; i++)
		order[i] = (uint32_t)i;
	if (!err)
		qsort_r(order, p->n, sizeof(*order), by_last_part, p);
	for (size_t i = 0, k; i < p->n && !err; i = k) {
		for (k = i + 1; k < p->n && !by_last_part(&order[i], &order[k], p);)
			k++;
		for (size_t m = i; m < k && k - i > 1 && !err; m++) {
			struct sample_program *x = &p->list[order[m]];
			const char *exe = processes[x->process].exe;
			char *path = exe ? strdup(exe) : NULL;

			err = exe && !path ? -ENOMEM : 0;
			if (path) {
				free(x->name);
				x->name = path;
			}
		}
	}
	free(order);
	return err;
}

static int add(struct sample_programs *p, const struct sample_process *processes, uint32_t process)
{
	char name[PROGRAM_BYTES];

	p->list[p->n].process = process;
	p->list[p->n].name = strdup(sample_program(&processes[process], name));
	return p->list[p->n++].name ? 0 : -ENOMEM;
}

static int tell_apart(struct loaded_samples *s, const uint32_t *order, size_t n)
{
	const struct sample_process *all = s->tables->processes;
	struct sample_programs *p = &s->programs;
	int err = 0;

	p->list = calloc(n, sizeof(*p->list));
	p->of = calloc(s->tables->n_processes, sizeof(*p->of));
	if (!p->list || !p->of)
		return -ENOMEM;
	for (size_t i = 0; i < s->tables->n_processes; i++)
		p->of[i] = TRACE_NONE;
	for (size_t i = 0; i < n && !err; i++) {
		if (!i || sample_program_compare(&all[order[i - 1]], &all[order[i]]))
			err = add(p, all, order[i]);
		p->of[order[i]] = (uint32_t)p->n - 1;
	}
	return err ? err : name_apart(p, all);
}

int sample_programs_find(struct loaded_samples *s, const struct trace_view *v)
{
	const size_t n_processes = s->tables ? s->tables->n_processes : 0;
	bool *has = calloc(n_processes + 1, sizeof(*has));
	uint32_t *order = calloc(n_processes + 1, sizeof(*order));
	int err = has && order ? 0 : -ENOMEM;

	if (!err && n_processes > 1) {
		const size_t n = with_samples(s, has, order);

		err = count(s, v, order, n) > 1 ? tell_apart(s, order, n) : 0;
	}
	free(has);
	free(order);
	return err;
}

void sample_programs_weigh(struct loaded_samples *s)
{
	for (size_t i = 0; s->programs.n && i < s->n_groups; i++) {
		const struct sample_group *g = &s->groups[i];
		struct sample_program *p = &s->programs.list[s->programs.of[g->process]];

		p->weight_ns += g->left_out ? 0 : g->weight_ns;
		p->samples += g->left_out ? 0 : g->samples;
	}
}

void sample_programs_free(struct sample_programs *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->list[i].name);
	free(p->list);
	free(p->of);
	*p = (struct sample_programs){ 0 };
}

const char *sample_program_of(const struct loaded_samples *s, uint32_t process)
{
	const struct sample_programs *p = &s->programs;

	return p->n && p->of[process] != TRACE_NONE ? p->list[p->of[process]].name : NULL;
}

static int by_weight(const void *x, const void *y, void *ctx)
{
	const struct sample_program *list = ctx, *a = &list[*(const uint32_t *)x],
				    *b = &list[*(const uint32_t *)y];
	int c = compare_u64(b->weight_ns, a->weight_ns);

	if (!c)
		c = compare_u64(b->samples, a->samples);
	return c ? c : strcmp(a->name, b->name);
}

uint32_t *sample_programs_order(const struct loaded_samples *s)
{
	const struct sample_programs *p = &s->programs;
	uint32_t *order = calloc(p->n + 1, sizeof(*order));

	for (size_t i = 0; order && i < p->n; i++)
		order[i] = (uint32_t)i;
	if (order && p->n)
		qsort_r(order, p->n, sizeof(*order), by_weight, p->list);
	return order;
}
