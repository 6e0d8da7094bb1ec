// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/samples/sample_answer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/samples/sample_load.h"
#include "analysis/samples/sample_stacks.h"
#include "analysis/trace_names.h"
#include "analysis/calls/wait_class.h"
#include "analysis/calls/wait_rows.h"
#include "base/text_format.h"

#define MAIN_PCT 60 /* with so much of the time the first part stands alone */
#define PART_PCT 10 /* a part with less of the time is not printed */
#define PARTS    3

struct scanning {
	const struct loaded_trace *t;
	struct wait_classes classes;
	uint64_t ns[CLASSES];
};

/* Waits in its caller's stead. */
static bool acts_for_caller(const char *name)
{
	static const char *const begins[] = { "runtime.", "sync.", "time.Sleep" };

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (!strncmp(name, begins[i], strlen(begins[i])))
			return true;
	return sample_carries_bytes(name);
}

/* Waits that are Go's: system calls have names as well. */
static bool counts(const struct scanning *s, const struct path_waits *w, enum wait_class *is)
{
	*is = wait_class_of(&s->classes, w->reason);
	return *is >= CLASS_LOCK && *is != CLASS_OTHER;
}

static void scan(struct scanning *s)
{
	const struct model_totals *all = s->t->totals;
	enum wait_class is;
	uint64_t known_ns = 0;
	size_t n;
	const struct path_waits *w = model_waits(s->t->model, &n);

	for (size_t i = 0; i < n; i++)
		if (counts(s, &w[i], &is)) {
			s->ns[is] += w[i].ns;
			known_ns += w[i].ns;
		}
	s->ns[CLASS_OTHER] = all->off.wait_ns > known_ns ? all->off.wait_ns - known_ns : 0;
	s->ns[CLASS_RUN] = all->life_ns - off_times_sum(&all->off);
	s->ns[CLASS_CPU] = all->off.runnable_ns + all->off.off_cpu_ns;
	s->ns[CLASS_SYSCALL] = all->off.syscall_ns;
	s->ns[CLASS_UNKNOWN] = all->off.unknown_ns;
}

static enum wait_class largest(const uint64_t ns[CLASSES])
{
	int most = 0;

	for (int c = 1; c < CLASSES; c++)
		most = ns[c] > ns[most] ? c : most;
	return (enum wait_class)most;
}

/* Who waits in a path: the function on whose behalf its last ones act. Where all of them do, it is
 * the outermost that is not the runtime's. */
static uint32_t acting(const struct trace_info *info, const struct path_node *nodes, uint32_t path)
{
	uint32_t at = path, outermost = path;

	while (nodes[at].parent && acts_for_caller(trace_name_func(info, nodes[at].func))) {
		if (strncmp(trace_name_func(info, nodes[at].func), "runtime.", 8) != 0)
			outermost = at;
		at = nodes[at].parent;
	}
	return acts_for_caller(trace_name_func(info, nodes[at].func)) ? outermost : at;
}

/* "  where     main.get, sync.Mutex.Lock (95%)": of the waits of a class, the most of one reason in
 * one function. 0 or -1: no memory. */
static int where(const struct scanning *s, enum wait_class is, FILE *out)
{
	const struct trace_info *info = s->t->info;
	uint64_t *by_func = calloc(s->t->n_funcs + 1, sizeof(*by_func));
	uint32_t reason = 0;
	uint64_t most_ns = 0, longest_ns = 0;
	size_t n, n_nodes, most = 0;
	const struct path_waits *w = model_waits(s->t->model, &n);
	const struct path_node *nodes = model_paths(s->t->model, &n_nodes);
	char number[WAIT_REASON_BYTES];
	enum wait_class c;

	for (size_t i = 0; by_func && i < n; i++) {
		if (!counts(s, &w[i], &c) || c != is)
			continue;
		const uint32_t at = acting(info, nodes, w[i].path);

		if (w[i].ns > longest_ns) {
			longest_ns = w[i].ns;
			reason = w[i].reason;
		}
		if (nodes[at].func >= s->t->n_funcs)
			continue;
		by_func[nodes[at].func] += w[i].ns;
		if (by_func[nodes[at].func] > most_ns) {
			most = nodes[at].func;
			most_ns = by_func[most];
		}
	}
	if (by_func && most_ns)
		fprintf(out, "  where     %s, %s (%.0f%%)\n", trace_name_func(info, (uint32_t)most),
			wait_reason(info, reason, number),
			share_pct(most_ns, s->t->totals->life_ns));
	free(by_func);
	return by_func ? 0 : -1;
}

char *sample_answer_say(const struct loaded_trace *t)
{
	struct scanning s = { .t = t };
	const uint64_t all_ns = t->totals->life_ns;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int err = 0;

	if (!out)
		return NULL;
	wait_classes_fill(&s.classes, t->info);
	scan(&s);
	uint64_t left[CLASSES];

	memcpy(left, s.ns, sizeof(left));
	const enum wait_class first = largest(left);

	if (t->samples->wall && t->totals->goroutines && t->totals->off.wait_ns && all_ns) {
		for (int i = 0; i < PARTS; i++) {
			const enum wait_class is = largest(left);
			const double pct = share_pct(left[is], all_ns);

			if (i && (pct < PART_PCT || share_pct(s.ns[first], all_ns) >= MAIN_PCT))
				break;
			fputs(i ? ", " : "goroutines ", out);
			const struct wait_class_words words = wait_class_words(is);

			fprintf(out, "%s %.0f%% of their time%s%s", words.verb_of_many, pct,
				words.object, words.detail);
			left[is] = 0;
		}
		fprintf(out, " (together %s in %s)\n", HUMAN(all_ns),
			HUMAN(loaded_trace_length_ns(t)));
		if (first >= CLASS_LOCK && first != CLASS_OTHER) {
			err = where(&s, first, out);
			fputs("  ended by  samples do not tell: record says who ends waits and holds locks\n",
			      out);
		}
	}
	if (text_stream_close(out, &text) || err) {
		free(text);
		return NULL;
	}
	return text;
}
