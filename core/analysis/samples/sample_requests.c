// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/samples/sample_requests.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/samples/sample_names.h"
#include "base/text_format.h"

#define REST_PCT 1 /* of the recording: less than this is nothing */
#define NAMED    3

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
	if (!sample_carries_bytes(name)) {
		const size_t n = repository_bytes(l->first);

		l->strange |= n != repository_bytes(name) || memcmp(name, l->first, n) != 0;
	}
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

/* ---- groups */

int sample_requests_find(struct loaded_samples *s, bool leave_out)
{
	const struct sample_tables *t = s->tables;
	bool *server = calloc(t->n_processes + 1, sizeof(*server)),
	     *idle = calloc(t->n_stacks + 1, sizeof(*idle)),
	     *seen = calloc(t->n_stacks + 1, sizeof(*seen));
	uint64_t rest_ns = 0;

	if (!server || !idle || !seen) {
		free(server);
		free(idle);
		free(seen);
		return -ENOMEM;
	}
	for (size_t i = 0; i < s->n_groups; i++) {
		const struct sample_group *g = &s->groups[i];

		if (g->state != STATE_WAITING || !g->goid || seen[g->stack])
			continue;
		const struct looking l = look(t, g->stack);

		seen[g->stack] = true;
		server[g->process] |= l.accepts;
		idle[g->stack] = l.accepts || (l.reads && !l.main && !l.strange);
	}
	for (size_t i = 0; i < s->n_groups; i++) {
		struct sample_group *g = &s->groups[i];

		g->awaits = !g->left_out && !g->parked && g->goid && g->state == STATE_WAITING &&
			    server[g->process] && idle[g->stack];
		rest_ns += g->left_out || g->parked || g->awaits ? 0 : g->weight_ns;
	}
	const bool nothing = rest_ns < (s->last_ns - s->first_ns) / 100 * REST_PCT;

	for (size_t i = 0; i < s->n_groups; i++) {
		struct sample_group *g = &s->groups[i];

		g->awaits &= !nothing;
		g->parked |= g->awaits;
		g->left_out |= g->awaits && leave_out;
	}
	free(server);
	free(idle);
	free(seen);
	return 0;
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
