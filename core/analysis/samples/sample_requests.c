// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/samples/sample_requests.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/calls/wait_class.h"
#include "analysis/parked_rule.h"
#include "analysis/samples/sample_stacks.h"
#include "base/text_format.h"

#define LIFE_PCT  90 /* of its time a goroutine does one thing */
#define PLACE_PCT 1  /* of all time is spent in places that matter */
#define TWINS_PCT 90 /* of the readers of connections have writers */
#define TAKEN_PCT 10 /* of a reader's time: in requests, less than this is nothing */
#define NAMED     3
#define SERVING   "net/http.(*connReader).backgroundRead"

/* ---- places */

/* Where goroutines wait, by stack. */
struct place {
	struct stack_look is;
	bool seen, idle;
	bool takes;          /* waits for what other goroutines give to it */
	uint64_t visitors;   /* goroutines that were seen to wait here */
	uint64_t goroutines; /* that do hardly anything else */
	uint64_t ns;         /* their time here */
};

struct finding {
	const struct loaded_samples *s;
	const struct trace_info *info;
	struct wait_classes classes;
	struct place *places;
	uint32_t *order; /* groups of goroutines, those of one together */
	size_t n;
	bool *server; /* by process */
	/* by process: time of the goroutines that net/http has while it serves a request */
	uint64_t *serving_ns;
};

static bool counts(const struct sample_group *g)
{
	return !g->left_out && !g->parked && g->goid;
}

static void look_at_place(const struct finding *f, struct place *p, const struct sample_group *g)
{
	p->is = sample_stack_look(f->s->tables, g->stack);
	p->seen = true;
	p->idle = p->is.accepts || (p->is.reads && !p->is.main && !p->is.strange);
	p->takes = wait_for_work(f->info, &f->classes, g->reason) && stack_look_own(&p->is);
}

static void look_at_places(struct finding *f)
{
	for (size_t i = 0; i < f->s->n_groups; i++) {
		const struct sample_group *g = &f->s->groups[i];
		struct place *p = &f->places[g->stack];

		if (counts(g) || (g->parked && g->goid))
			f->order[f->n++] = (uint32_t)i;
		if (g->state != STATE_WAITING || !g->goid)
			continue;
		if (!p->seen)
			look_at_place(f, p, g);
		f->server[g->process] |= p->is.accepts;
		if (p->is.first && !strcmp(p->is.first, SERVING))
			f->serving_ns[g->process] += g->weight_ns;
	}
}

/* Counts goroutines at the places where they wait nearly all the time. Returns all time. */
static uint64_t count_goroutines(struct finding *f)
{
	struct sample_group *all = f->s->groups;
	uint64_t all_ns = 0;

	if (f->n)
		qsort_r(f->order, f->n, sizeof(*f->order), sample_by_goroutine, all);
	for (size_t i = 0, k; i < f->n; i = k) {
		const struct sample_group *most = &all[f->order[i]];
		uint64_t ns = 0;

		for (k = i; k < f->n && !sample_by_goroutine(&f->order[i], &f->order[k], all);
		     k++) {
			const struct sample_group *g = &all[f->order[k]];

			ns += g->weight_ns;
			f->places[g->stack].visitors += g->state == STATE_WAITING;
			most = g->weight_ns > most->weight_ns ? g : most;
		}
		all_ns += ns;
		if (most->state != STATE_WAITING || most->weight_ns / LIFE_PCT < ns / 100)
			continue;
		f->places[most->stack].goroutines++;
		f->places[most->stack].ns += most->weight_ns;
	}
	return all_ns;
}

static bool as_many(uint64_t x, uint64_t y)
{
	return x * 100 >= y * TWINS_PCT && y * 100 >= x * TWINS_PCT;
}

/* A handler that reads from a connection which it took over from net/http, as for a WebSocket. For
 * other handlers net/http has a goroutine that waits for the connection's end
 * (net/http/server.go, startBackgroundRead and hijackLocked). */
static bool took_over(const struct finding *f, uint32_t reader)
{
	const struct place *p = &f->places[reader];
	const uint64_t serving_ns = f->serving_ns[f->s->tables->stacks[reader].process];

	return !strcmp(p->is.first, "net/http.(*conn).serve") &&
	       serving_ns < p->ns / 100 * TAKEN_PCT;
}

/* The writer's connections are those that the reader reads from. */
static bool are_twins(const struct finding *f, uint32_t reader, const struct place *writer)
{
	const struct place *p = &f->places[reader];
	const char *r = p->is.first, *w = writer->is.first;

	if (!r || !strcmp(r, w) || !as_many(p->visitors, writer->goroutines))
		return false;
	return sample_same_owner(r, w) || (p->idle && sample_same_repository(r, w)) ||
	       (took_over(f, reader) && sample_stack_passes(f->s->tables, reader, w));
}

/* The writer waits for something to send. So does the reader for its next message, unless it does
 * other things, too. */
static void pair(struct finding *f, uint32_t reader, struct place *writer)
{
	struct place *p = &f->places[reader];

	if (!are_twins(f, reader, writer))
		return;
	writer->idle = true;
	p->idle |= as_many(p->goroutines, writer->goroutines);
}

static void find_twins(struct finding *f)
{
	const struct sample_stack *stacks = f->s->tables->stacks;
	const uint64_t least_ns = count_goroutines(f) / 100 * PLACE_PCT;

	for (uint32_t i = 0; i < f->s->tables->n_stacks; i++) {
		struct place *writer = &f->places[i];

		if (!writer->takes || !writer->goroutines || writer->ns <= least_ns)
			continue;
		for (uint32_t k = 0; k < f->s->tables->n_stacks; k++) {
			const struct place *p = &f->places[k];

			if (stacks[i].process == stacks[k].process && p->is.reads && !p->is.main &&
			    !p->is.accepts && p->visitors)
				pair(f, k, writer);
		}
	}
}

/* ---- groups */

static void mark(struct finding *f, struct sample_group *groups, size_t n, bool leave_out)
{
	uint64_t rest_ns = 0;

	for (size_t i = 0; i < n; i++) {
		struct sample_group *g = &groups[i];

		g->awaits = counts(g) && g->state == STATE_WAITING && f->server[g->process] &&
			    f->places[g->stack].idle;
		rest_ns += g->left_out || g->parked || g->awaits ? 0 : g->weight_ns;
	}
	/* What remains of parked goroutines is no request either. */
	const bool nothing = f->s->only_parked ||
			     parked_rule_keeps_all(rest_ns, f->s->last_ns - f->s->first_ns);

	for (size_t i = 0; i < n; i++) {
		struct sample_group *g = &groups[i];

		g->awaits &= !nothing;
		g->parked |= g->awaits;
		g->left_out |= g->awaits && leave_out;
	}
}

int sample_requests_find(struct loaded_samples *s, const struct trace_info *info, bool leave_out)
{
	const struct sample_tables *t = s->tables;
	struct finding f = { .s = s,
			     .info = info,
			     .places = calloc(t->n_stacks + 1, sizeof(*f.places)),
			     .order = calloc(s->n_groups + 1, sizeof(*f.order)),
			     .server = calloc(t->n_processes + 1, sizeof(*f.server)),
			     .serving_ns = calloc(t->n_processes + 1, sizeof(*f.serving_ns)) };
	const int err = f.places && f.order && f.server && f.serving_ns ? 0 : -ENOMEM;

	if (!err) {
		wait_classes_fill(&f.classes, info);
		look_at_places(&f);
		find_twins(&f);
		mark(&f, s->groups, s->n_groups, leave_out);
	}
	free(f.places);
	free(f.order);
	free(f.server);
	free(f.serving_ns);
	return err;
}

/* ---- saying it */

struct waited {
	const char *first;
	uint64_t ns;
};

static int most_first(const void *a, const void *b)
{
	const struct waited *x = a, *y = b;

	return x->ns != y->ns ? (x->ns < y->ns ? 1 : -1) : strcmp(x->first, y->first);
}

/* By the function that the goroutine began with. */
static size_t sum_up(const struct loaded_samples *s, struct waited *w, uint64_t *all_ns)
{
	size_t n = 0, k;

	for (size_t i = 0; i < s->n_groups; i++) {
		const struct sample_group *g = &s->groups[i];
		const char *first = g->awaits ? sample_stack_look(s->tables, g->stack).first : NULL;

		if (!first)
			continue;
		for (k = 0; k < n && strcmp(w[k].first, first) != 0;)
			k++;
		if (k == n && n <= NAMED)
			w[n++] = (struct waited){ k < NAMED ? first : "others", 0 };
		w[k < n ? k : n - 1].ns += g->weight_ns;
		*all_ns += g->weight_ns;
	}
	return n;
}

char *sample_requests_say(const struct loaded_trace *t)
{
	struct waited w[NAMED + 1];
	uint64_t all_ns = 0;
	const size_t n = sum_up(t->samples, w, &all_ns);
	char *line = NULL;
	size_t size;
	FILE *f = n ? open_memstream(&line, &size) : NULL;

	if (!f)
		return NULL;
	qsort(w, n, sizeof(*w), most_first);
	fprintf(f,
		"left out: %s of waiting for the next request (--parked shows it):", HUMAN(all_ns));
	for (size_t i = 0; i < n && (!i || share_pct(w[i].ns, all_ns) >= 1); i++)
		fprintf(f, "%s %.0f%% in %s", i ? "," : "", share_pct(w[i].ns, all_ns), w[i].first);
	return text_stream_close(f, &line) ? NULL : line;
}
