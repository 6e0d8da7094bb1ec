// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/samples/sample_rows.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/samples/sample_errors.h"
#include "analysis/samples/sample_processes.h"
#include "base/compare.h"

struct ordering {
	const struct sample_group *groups;
	const struct sample_tables *tables;
	const struct sample_process *processes;
	enum sample_by by;
};

struct file_name {
	const char *at;
	size_t n;
};

/* The path of the file that a group's innermost frame is in, or what else has code, in brackets. */
static struct file_name library(const struct sample_tables *t, const struct sample_group *g)
{
	static const char jit[] = "[JIT]", kernel[] = "[kernel]", unknown[] = "[unknown]";
	const struct sample_stack *x = &t->stacks[g->stack];
	const uint32_t image = x->n ? sample_tables_image_at(t, x->process, x->pcs[0]) : TRACE_NONE;
	const struct sample_image *i = image == TRACE_NONE ? NULL : &t->images[image];

	if (i && i->kind == IMAGE_PERF_MAP)
		return (struct file_name){ jit, sizeof(jit) - 1 };
	if (i && !strncmp(i->path, "//", 2)) {
		struct file_name none;

		none.at = sample_image_file(i, &none.n);
		return none;
	}
	if (i)
		return (struct file_name){ i->path, sample_image_path_len(i) };
	return x->n && sample_in_kernel(x->pcs[0])
		       ? (struct file_name){ kernel, sizeof(kernel) - 1 }
		       : (struct file_name){ unknown, sizeof(unknown) - 1 };
}

static int same_file(struct file_name a, struct file_name b)
{
	const int c = memcmp(a.at, b.at, a.n < b.n ? a.n : b.n);

	return c ? c : compare_u64(a.n, b.n);
}

/* 0: they are one row. */
static int same_row(const struct sample_group *a, const struct sample_group *b,
		    const struct ordering *o)
{
	const enum sample_by by = o->by;
	int c;

	if (by == SAMPLES_BY_LABELS)
		return compare_u64(a->labels, b->labels);
	if (by == SAMPLES_BY_LIBRARY)
		return same_file(library(o->tables, a), library(o->tables, b));
	if (by == SAMPLES_BY_PROGRAM)
		return sample_program_compare(&o->processes[a->process], &o->processes[b->process]);
	c = compare_u64(a->process, b->process);
	if (by == SAMPLES_BY_PROCESS)
		return c;
	if (!c && by == SAMPLES_BY_GOROUTINE)
		c = compare_u64(a->goid, b->goid);
	/* of a thread outside of any goroutine, the thread's */
	if (!c && (by == SAMPLES_BY_THREAD || !a->goid))
		c = compare_u64(a->tid, b->tid);
	return c;
}

static int by_row(const void *x, const void *y, void *ctx)
{
	const struct ordering *o = ctx;

	return same_row(&o->groups[*(const uint32_t *)x], &o->groups[*(const uint32_t *)y], o);
}

static int by_weight(const void *x, const void *y)
{
	const struct sample_row *a = x, *b = y;
	int c = compare_u64(b->weight_ns, a->weight_ns);

	if (!c)
		c = compare_u64(b->samples, a->samples);
	return c ? c : strcmp(a->name, b->name);
}

static char *label_name(const struct sample_tables *t, uint32_t labels)
{
	const struct sample_labels *l = labels ? &t->labels[labels - 1] : NULL;
	char *name = NULL;
	size_t size;
	FILE *f = l && l->n ? open_memstream(&name, &size) : NULL;

	if (!l || !l->n)
		return strdup("(no labels)");
	for (size_t i = 0; f && i < l->n; i++)
		fprintf(f, "%s%s=%s", i ? ", " : "", l->keys[i], l->values[i]);
	if (!f || fclose(f)) {
		free(name);
		return NULL;
	}
	return name;
}

static char *row_name(const struct sample_tables *t, const struct sample_group *g,
		      enum sample_by by)
{
	const struct sample_process *p = &t->processes[g->process];
	const bool several = t->n_processes > 1;
	char *name = NULL, of[64] = "", program[PROGRAM_BYTES];
	int n;

	if (by == SAMPLES_BY_LABELS)
		return label_name(t, g->labels);
	if (by == SAMPLES_BY_LIBRARY)
		return strndup(library(t, g).at, library(t, g).n);
	if (by == SAMPLES_BY_PROGRAM)
		return strdup(p->exe ? p->exe : sample_program(p, program));
	if (by == SAMPLES_BY_PROCESS)
		return asprintf(&name, "%s %u", sample_program(p, program), p->pid) < 0 ? NULL
											: name;
	if (several)
		snprintf(of, sizeof(of), "%.40s %u, ", p->comm, p->pid);
	if (by == SAMPLES_BY_GOROUTINE && g->goid)
		n = asprintf(&name, "%sgoroutine %" PRIu64, of, g->goid);
	else
		n = !g->tid ? asprintf(&name, "%sno thread", of)
			    : asprintf(&name, "%sthread %u%s", of, g->tid,
				       by == SAMPLES_BY_GOROUTINE ? ", no goroutine" : "");
	return n < 0 ? NULL : name;
}

/* Of the row of n groups. */
static double square_of(const struct loaded_samples *s, const uint32_t *groups, size_t n)
{
	struct sample_sum sum = { 0 };

	for (size_t i = 0; i < n; i++)
		sample_sum_add(&sum, s, groups[i]);
	return sample_sum_square(&sum, s);
}

int sample_rows_build(struct sample_rows *r, const struct loaded_trace *t, enum sample_by by)
{
	const struct loaded_samples *s = t->samples;
	struct ordering o = { s->groups, s->tables, s->tables ? s->tables->processes : NULL, by };
	uint32_t *order = calloc(s->n_groups + 1, sizeof(*order));
	size_t n = 0, first = 0;
	int err = 0;

	*r = (struct sample_rows){ .rows = calloc(s->n_groups + 1, sizeof(*r->rows)) };
	if (!order || !r->rows)
		err = -ENOMEM;
	for (size_t i = 0; i < s->n_groups && !err; i++)
		if (!s->groups[i].left_out)
			order[n++] = (uint32_t)i;
	if (!err && n)
		qsort_r(order, n, sizeof(*order), by_row, &o);
	for (size_t i = 0; i < n && !err; i++) {
		const struct sample_group *g = &s->groups[order[i]];

		if (!i || by_row(&order[i], &order[i - 1], &o)) {
			first = i;
			r->rows[r->n].name = row_name(s->tables, g, by);
			err = r->rows[r->n++].name ? 0 : -ENOMEM;
		}
		r->rows[r->n - 1].samples += g->samples;
		sample_off_add(&r->rows[r->n - 1].off, g->state, g->weight_ns);
		r->rows[r->n - 1].weight_ns += g->weight_ns;
		if (s->errors && (i + 1 == n || by_row(&order[i], &order[i + 1], &o)))
			r->rows[r->n - 1].square_ns2 = square_of(s, order + first, i + 1 - first);
	}
	free(order);
	if (!err && r->n)
		qsort(r->rows, r->n, sizeof(*r->rows), by_weight);
	return err;
}

void sample_rows_free(struct sample_rows *r)
{
	for (size_t i = 0; i < r->n; i++)
		free(r->rows[i].name);
	free(r->rows);
	*r = (struct sample_rows){ 0 };
}
