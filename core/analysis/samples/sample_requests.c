// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/samples/sample_requests.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/calls/wait_class.h"
#include "analysis/calls/wait_rows.h"
#include "analysis/samples/sample_names.h"
#include "base/compare.h"
#include "base/text_format.h"

#define REST_PCT  1  /* of the recording: less than this is nothing */
#define LIFE_PCT  90 /* of its time a goroutine does one thing */
#define PLACE_PCT 1  /* of all time is spent in places that matter */
#define TWINS_PCT 90 /* of the readers of connections have writers */
#define NAMED     3

static bool begins(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

/* ---- packages */

/* Bytes of a function's name up to the end of its package's path: "net/http" of
 * "net/http.(*conn).serve". */
static size_t package_bytes(const char *name)
{
	size_t n = strcspn(name, "[("), from = 0;

	for (size_t i = 0; i < n; i++)
		if (name[i] == '/')
			from = i + 1;
	const char *dot = memchr(name + from, '.', n - from);

	return dot ? (size_t)(dot - name) : n;
}

/* As much of the name as functions of its repository share, "example.com/owner/name"; the package
 * where its path is no address. */
static size_t repository_bytes(const char *name)
{
	const size_t package = package_bytes(name), first = strcspn(name, "/");
	size_t n = first;

	if (first >= package || !memchr(name, '.', first))
		return package;
	for (int i = 0; i < 2 && n < package; i++)
		n += 1 + strcspn(name + n + 1, "/");
	return n < package ? n : package;
}

static bool is_path_above(const char *name, size_t n, const char *below, size_t n_below)
{
	return n < n_below && below[n] == '/' && !memcmp(name, below, n);
}

/* Functions of one repository. Where its path has fewer parts, as google.golang.org/grpc, one
 * package's path begins with the other's. */
static bool same_repository(const char *x, const char *y)
{
	const size_t n = repository_bytes(x), n_x = package_bytes(x), n_y = package_bytes(y);

	return (n == repository_bytes(y) && !memcmp(x, y, n)) || is_path_above(x, n_x, y, n_y) ||
	       is_path_above(y, n_y, x, n_x);
}

/* Methods of one type, and functions that one function has in it. */
static bool same_owner(const char *x, const char *y)
{
	const char *dot = strrchr(x, '.');
	const size_t n = dot ? (size_t)(dot - x) : 0;

	return n > package_bytes(x) && !strncmp(x, y, n + 1) && strrchr(y, '.') == y + n;
}

bool sample_carries_bytes(const char *name)
{
	static const char *const packages[] = {
		"bufio", "compress/", "crypto/",  "golang.org/x/", "internal/",         "io",
		"net",   "net/",      "runtime/", "syscall",       "vendor/golang.org/"
	};
	const size_t n = package_bytes(name);

	for (size_t i = 0; i < sizeof(packages) / sizeof(packages[0]); i++) {
		const size_t len = strlen(packages[i]);

		if (begins(name, packages[i]) && (n == len || packages[i][len - 1] == '/'))
			return true;
	}
	return false;
}

/* ---- stacks */

struct looking {
	const char *first; /* of the goroutine's functions, besides the runtime's */
	bool main, strange, reads, accepts;
};

static void look_at(struct looking *l, const char *name)
{
	if (begins(name, "runtime.")) {
		l->main |= !strcmp(name, "runtime.main");
		return;
	}
	if (!l->first)
		l->first = name;
	l->accepts |= !strcmp(name, "internal/poll.(*FD).Accept");
	l->reads |= !strcmp(name, "internal/poll.(*pollDesc).waitRead");
	l->strange |= !sample_carries_bytes(name) && !same_repository(l->first, name);
}

static struct looking look(const struct sample_tables *t, uint32_t stack)
{
	const struct sample_stack *x = &t->stacks[stack];
	struct looking l = { 0 };

	for (uint32_t i = x->n; i-- > 0;) {
		const struct sample_location *at = sample_tables_find(t, x->process, x->pcs[i]);

		l.strange |= !at;
		for (uint32_t k = at ? at->n : 0; k-- > 0;)
			if (!sample_elided(t, at, i, k))
				look_at(&l, t->symbols[at->frames[k].symbol].name);
	}
	return l;
}

/* ---- places */

/* Where goroutines wait, by stack. */
struct place {
	struct looking is;
	bool seen, idle;
	bool takes;          /* waits for what other goroutines give to it */
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
};

static bool counts(const struct sample_group *g)
{
	return !g->left_out && !g->parked && g->goid;
}

/* A sender does not take: it waits for a receiver to keep up. */
static bool takes(const struct finding *f, uint32_t reason)
{
	const enum wait_class is = wait_class_of(&f->classes, reason);
	char number[WAIT_REASON_BYTES];

	return is == CLASS_COND ||
	       (is == CLASS_CHAN && !begins(wait_reason(f->info, reason, number), "chan send"));
}

static void look_at_places(struct finding *f)
{
	for (size_t i = 0; i < f->s->n_groups; i++) {
		const struct sample_group *g = &f->s->groups[i];
		struct place *p = &f->places[g->stack];

		if (counts(g))
			f->order[f->n++] = (uint32_t)i;
		if (g->state != STATE_WAITING || !g->goid || p->seen)
			continue;
		p->is = look(f->s->tables, g->stack);
		p->seen = true;
		p->idle = p->is.accepts || (p->is.reads && !p->is.main && !p->is.strange);
		p->takes = takes(f, g->reason) && p->is.first && !p->is.main && !p->is.strange;
		f->server[g->process] |= p->is.accepts;
	}
}

static int by_goroutine(const void *x, const void *y, void *ctx)
{
	const struct sample_group *groups = ctx, *a = &groups[*(const uint32_t *)x],
				  *b = &groups[*(const uint32_t *)y];
	int c = compare_u64(a->process, b->process);

	return c ? c : compare_u64(a->goid, b->goid);
}

/* Counts goroutines at the places where they wait nearly all the time. Returns all time. */
static uint64_t count_goroutines(struct finding *f)
{
	struct sample_group *all = f->s->groups;
	uint64_t all_ns = 0;

	if (f->n)
		qsort_r(f->order, f->n, sizeof(*f->order), by_goroutine, all);
	for (size_t i = 0, k; i < f->n; i = k) {
		const struct sample_group *most = &all[f->order[i]];
		uint64_t ns = 0;

		for (k = i; k < f->n && !by_goroutine(&f->order[i], &f->order[k], all); k++) {
			const struct sample_group *g = &all[f->order[k]];

			ns += g->weight_ns;
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

/* A connection that waits for its next message has nothing to write meanwhile. */
static bool are_twins(const struct place *reader, const struct place *writer)
{
	const char *r = reader->is.first, *w = writer->is.first;

	return r && strcmp(r, w) != 0 && as_many(reader->goroutines, writer->goroutines) &&
	       (same_owner(r, w) || (reader->idle && same_repository(r, w)));
}

static void find_twins(struct finding *f)
{
	const struct sample_stack *stacks = f->s->tables->stacks;
	const uint64_t least_ns = count_goroutines(f) / 100 * PLACE_PCT;
	uint32_t large[100 / PLACE_PCT + 1];
	size_t n = 0;

	for (uint32_t i = 0; i < f->s->tables->n_stacks; i++)
		if (f->places[i].goroutines && f->places[i].ns > least_ns &&
		    n < sizeof(large) / sizeof(large[0]))
			large[n++] = i;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++) {
			struct place *reader = &f->places[large[i]], *writer = &f->places[large[k]];

			if (stacks[large[i]].process != stacks[large[k]].process ||
			    !reader->is.reads || reader->is.main || reader->is.accepts ||
			    !writer->takes || !are_twins(reader, writer))
				continue;
			reader->idle = writer->idle = true;
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
			     rest_ns < (f->s->last_ns - f->s->first_ns) / 100 * REST_PCT;

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
			     .server = calloc(t->n_processes + 1, sizeof(*f.server)) };
	const int err = f.places && f.order && f.server ? 0 : -ENOMEM;

	if (!err) {
		wait_classes_fill(&f.classes, info);
		look_at_places(&f);
		find_twins(&f);
		mark(&f, s->groups, s->n_groups, leave_out);
	}
	free(f.places);
	free(f.order);
	free(f.server);
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
		const char *first = g->awaits ? look(s->tables, g->stack).first : NULL;

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
