// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/samples/sample_notes.h"

#include "analysis/samples/sample_parked.h"
#include "analysis/samples/sample_requests.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/samples/sample_processes.h"
#include "base/text_format.h"
#include "trace/keys.h"

#define SINGLE 0.9 /* of a weight: its error, where there is no second sighting to speak of */

double sample_pct(const struct loaded_trace *t, uint64_t weight_ns, uint64_t samples)
{
	const struct model_totals *all = t->totals;

	return all->root_ns ? share_pct(weight_ns, all->root_ns) : share_pct(samples, all->calls);
}

/* Only clocks have a frequency: others are counted, or sampled by a period that the kernel keeps.
 */
const char *sample_counted(const struct trace_info *i)
{
	return trace_info_get(i, KEY_SAMPLE_FREQUENCY) ? NULL : trace_info_get(i, KEY_SAMPLE_EVENT);
}

const char *sample_lives(const struct trace_info *i)
{
	bool threads = trace_info_u64(i, KEY_END_THREADS_LISTED, 0);

	if (threads && trace_info_u64(i, KEY_END_SNAPSHOTS_LISTED, 0))
		return "goroutines and threads";
	return threads ? "threads" : "goroutines";
}

double sample_error_ns(double square_ns2)
{
	return ceil(sqrt(square_ns2));
}

bool sample_is_single(uint64_t weight_ns, double square_ns2)
{
	return weight_ns && sqrt(square_ns2) >= SINGLE * (double)weight_ns;
}

void sample_headline(const struct loaded_trace *t, struct notes *to)
{
	const struct sample_counts *c = &t->samples->shown;
	const char *event = trace_info_get(t->info, KEY_SAMPLE_EVENT);
	const char *hz = trace_info_get(t->info, KEY_SAMPLE_FREQUENCY);

	if (t->samples->wall) {
		notes_add(to,
			  "%" PRIu64 " sample%s of %s%s%s%s and %" PRIu64
			  " of snapshots of %s in %s; they stand for %s of %s' time",
			  c->run_samples, plural(c->run_samples), event ? event : "what executed",
			  hz ? " at " : "", hz ? hz : "", hz ? " Hz" : "",
			  c->samples - c->run_samples, sample_lives(t->info),
			  HUMAN(loaded_trace_length_ns(t)), HUMAN(c->weight_ns),
			  sample_lives(t->info));
		return;
	}
	if (sample_counted(t->info)) {
		notes_add(to, "%" PRIu64 " sample%s of %s in %s; they stand for %s %s, no time",
			  c->samples, plural(c->samples), event, HUMAN(loaded_trace_length_ns(t)),
			  human_count(c->weight_ns, (char[16]){ 0 }), event);
		return;
	}
	notes_add(to, "%" PRIu64 " sample%s%s%s%s%s%s in %s; they stand for %s%s", c->samples,
		  plural(c->samples), event ? " of " : "", event ? event : "", hz ? " at " : "",
		  hz ? hz : "", hz ? " Hz" : "", HUMAN(loaded_trace_length_ns(t)),
		  HUMAN(c->weight_ns), t->samples->shown.weight_ns ? "" : " (no weights)");
}

#define NAMED 6 /* programs that the note names */

void sample_programs_note(const struct loaded_trace *t, struct notes *to)
{
	const struct sample_programs *p = &t->samples->programs;
	uint32_t *order = p->n ? sample_programs_order(t->samples) : NULL;
	char text[1024] = "";
	size_t at = 0, shown = 0;

	while (order && shown < p->n && shown < NAMED && p->list[order[shown]].samples) {
		const struct sample_program *x = &p->list[order[shown]];

		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%.100s %.1f%%",
				       shown ? ", " : "", x->name,
				       sample_pct(t, x->weight_ns, x->samples));
		shown++;
	}
	size_t more = 0;

	for (size_t i = shown; order && i < p->n; i++)
		more += p->list[order[i]].samples != 0;
	if (shown && more)
		notes_add(to, "programs: %s, and %zu more (--by=program)", text, more);
	else if (shown)
		notes_add(to, "programs: %s", text);
	free(order);
}

/* How much processor time no sample stands for. */
static void without(const struct loaded_trace *t, struct notes *to)
{
	uint64_t cpu_ns = trace_info_u64(t->info, KEY_END_SAMPLED_CPU_NS, 0),
		 has_ns = t->samples->all.run_ns;

	if (!cpu_ns)
		cpu_ns = trace_info_u64(t->info, KEY_END_TARGET_CPU_NS, 0);
	if (!cpu_ns)
		notes_add(to, "the processor time that has no sample is not known");
	else if (cpu_ns > has_ns)
		notes_add(to, "%s of %s of processor time (%.1f%%) has no sample",
			  HUMAN(cpu_ns - has_ns), HUMAN(cpu_ns),
			  share_pct(cpu_ns - has_ns, cpu_ns));
	else
		notes_add(to, "samples stand for all of the processor time, %s", HUMAN(cpu_ns));
}

/* Of some stacks; nothing where there are none. */
static void of_stacks(char *text, size_t size, uint64_t n, const char *what)
{
	const size_t had = strlen(text);

	if (n && had)
		snprintf(text + had, size - had, ", of %" PRIu64 " it %s", n, what);
	else if (n)
		snprintf(text, size, "the stack of %" PRIu64 " sample%s %s", n, plural(n), what);
}

/* In no goroutine, of processes that have some. */
static uint64_t outside(const struct loaded_samples *s)
{
	bool *go = calloc(s->tables ? s->tables->n_processes + 1 : 1, sizeof(*go));
	uint64_t n = 0;

	for (size_t i = 0; go && i < s->n_groups; i++)
		go[s->groups[i].process] |= s->groups[i].goid != 0;
	for (size_t i = 0; go && i < s->n_groups; i++)
		n += go[s->groups[i].process] && !s->groups[i].goid && !s->groups[i].left_out
			     ? s->groups[i].samples
			     : 0;
	free(go);
	return n;
}

static void missing(const struct loaded_trace *t, struct notes *to)
{
	const struct sample_counts *c = &t->samples->shown;
	const char *lost = trace_info_get(t->info, KEY_END_SAMPLES_LOST);
	uint64_t n = trace_info_u64(t->info, KEY_END_SAMPLES_LOST, 0);
	char text[256] = "";

	if (lost && !n)
		notes_add(to, "no sample was lost");
	else if (lost)
		notes_add(to, "%" PRIu64 " sample%s lost", n, n == 1 ? " was" : "s were");
	else
		notes_add(to, "the number of lost samples is not known");
	of_stacks(text, sizeof(text), c->cut, "is cut off as too deep");
	of_stacks(text, sizeof(text), c->unreadable, "is unreadable from some frame on");
	of_stacks(text, sizeof(text), c->unresolved, "has an address of no known symbol");
	if (*text)
		notes_add(to, "%s", text);
	n = outside(t->samples);
	if (n)
		notes_add(to, "%" PRIu64 " sample%s in no goroutine", n, plural(n));
}

static void looked_at(const struct trace_info *i, struct notes *to, const char *of,
		      const char *const key[4])
{
	const uint64_t n = trace_info_u64(i, key[0], 0), drawn = trace_info_u64(i, key[1], 0),
		       listed = trace_info_u64(i, key[2], 0), torn = trace_info_u64(i, key[3], 0);

	notes_add(to,
		  "%" PRIu64 " snapshot%s of %" PRIu64
		  " %s each on average looked at %.1f%% of them; %" PRIu64
		  " kept changing, so their time is unknown",
		  n, plural(n), n ? listed / n : 0, of, share_pct(drawn, listed), torn);
}

/* Where the samples of what did not execute are from. */
static void snapshots(const struct loaded_trace *t, struct notes *to)
{
	static const char *const goroutines[] = { KEY_END_SNAPSHOTS, KEY_END_SNAPSHOTS_DRAWN,
						  KEY_END_SNAPSHOTS_LISTED,
						  KEY_END_SNAPSHOTS_TORN },
				 *const threads[] = { KEY_END_THREADS_SNAPSHOTS,
						      KEY_END_THREADS_DRAWN, KEY_END_THREADS_LISTED,
						      KEY_END_THREADS_TORN };
	const struct trace_info *i = t->info;
	const uint64_t of_threads = trace_info_u64(i, KEY_END_THREADS_LISTED, 0),
		       of_goroutines = trace_info_u64(i, KEY_END_SNAPSHOTS, 0),
		       running_ns = trace_info_u64(i, KEY_END_SNAPSHOTS_RUNNING_NS, 0) +
				    trace_info_u64(i, KEY_END_THREADS_RUNNING_NS, 0),
		       idle_ns = trace_info_u64(i, KEY_END_SNAPSHOTS_IDLE_NS, 0),
		       not_told = trace_info_u64(i, KEY_END_SNAPSHOTS_NOT_GO, 0),
		       silent = trace_info_u64(i, KEY_END_SNAPSHOTS_SILENT, 0);

	if (trace_info_get(i, KEY_SAMPLE_HOST)) {
		notes_add(to, "waits are recorded only for processes whose rule sets \"waiting\"");
		return;
	}
	if (!trace_info_get(i, KEY_END_SNAPSHOTS)) {
		notes_add(to, "the number of snapshots is not known");
		return;
	}
	if (of_goroutines || !of_threads)
		looked_at(i, to, "places for goroutines", goroutines);
	if (of_threads)
		looked_at(i, to, "threads", threads);
	notes_add(to, "in snapshots %s were running for %s%s; samples stand for %s of it",
		  sample_lives(i), HUMAN(running_ns),
		  of_goroutines || !of_threads ? ", with time for which they had no processor" : "",
		  HUMAN(t->samples->all.run_ns));
	if (idle_ns)
		notes_add(to, "goroutines of Go's runtime waited %s for work: left out",
			  HUMAN(idle_ns));
	if (silent)
		notes_add(to,
			  "the memory of %" PRIu64
			  " process%s did not answer; goroutines there are not seen from then on",
			  silent, silent == 1 ? "" : "es");
	if (not_told)
		notes_add(to, "only execution is known of %" PRIu64 " process%s; %s", not_told,
			  not_told == 1 ? "" : "es",
			  trace_info_get(i, KEY_END_THREADS_SNAPSHOTS)
				  ? "waiting threads need Linux 5.18"
				  : "snapshots are of goroutines of Go programs");
}

void sample_notes(const struct loaded_trace *t, struct notes *to)
{
	const char *path = trace_info_get(t->info, KEY_BINARY_PATH);
	const char *go = trace_info_get(t->info, KEY_GO_VERSION);
	const uint64_t n = t->samples->shown.samples, goroutines = t->totals->goroutines,
		       processes = sample_processes_seen(t->samples);
	char *left_out = NULL;

	if (path)
		notes_add(to, "%s%s%s", path, go ? ", " : "", go ? go : "");
	if (goroutines)
		notes_add(to,
			  "samples were taken in %" PRIu64 " goroutine%s of %" PRIu64 " process%s",
			  goroutines, plural(goroutines), processes, processes == 1 ? "" : "es");
	else if (processes > 1)
		notes_add(to, "samples were taken in %" PRIu64 " processes", processes);
	if (t->view && (left_out = loaded_trace_left_out(t)))
		notes_add(to, "%s", left_out);
	free(left_out);
	char *parked = sample_parked_say(t);
	if (parked)
		notes_add(to, "%s", parked);
	free(parked);
	char *requests = sample_requests_say(t);
	if (requests)
		notes_add(to, "%s", requests);
	free(requests);
	if (t->samples->errors)
		notes_add(
			to,
			"± is one standard error. In 95 of 100 such recordings a time is within two of them of "
			"the true one, also for goroutines that act in step. A single sighting shows that "
			"something happened, not for how long");
	if (t->samples->wall)
		snapshots(t, to);
	else if (n)
		notes_add(
			to,
			"shares are estimates; a true share of 10%% is within %.1f points in 95 of 100 such "
			"recordings",
			196 * sqrt(0.1 * 0.9 / (double)n));
	missing(t, to);
	if (!sample_counted(t->info))
		without(t, to);
}
