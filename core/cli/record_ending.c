// SPDX-License-Identifier: BSD-2-Clause
/* What gotrace record prints when it is done. */
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/calls/probe_cost.h"
#include "base/log.h"
#include "base/text_format.h"
#include "cli/record_run.h"
#include "trace/keys.h"
#include "trace/stops.h"

static int take_keys(struct trace_info *to, const struct trace_info *from)
{
	int err = 0;

	for (size_t i = 0; i < from->n_kvs && !err; i++)
		err = trace_info_set(to, from->kvs[i].key, from->kvs[i].value);
	return err;
}

/* "gotrace.out: 207 events in 3.8 KB, none lost; hardly slower than untraced (probes 82us
 * of 3.2ms of processor time); next: gotrace report" */
static void say_what_there_is(const struct run *r, const struct collector_stats *s, bool cut_short)
{
	const struct trace_info *end = &r->recording.outcome.end;
	const char *file = r->opt->output;
	char lost[48], stops[STOPS_BYTES], pause[STOPS_BYTES + 40] = "", said[PROBE_OVERHEAD_BYTES];
	const char *cost = NULL, *warning = NULL;
	struct trace_info all = { 0 };
	struct stat st;
	/* The collector does not know of the last block. */
	uint64_t bytes = stat(file, &st) ? s->bytes : (uint64_t)st.st_size;

	if (!take_keys(&all, &r->info) && !take_keys(&all, end)) {
		cost = probe_overhead_say(&all, said);
		warning = probe_overhead_warn(&all);
	}
	snprintf(lost, sizeof(lost), "%s", cut_short ? "the rest lost" : "none lost");
	if (s->lost_events)
		snprintf(lost, sizeof(lost), "%" PRIu64 " lost", s->lost_events);
	if (stops_say(end, stops))
		snprintf(pause, sizeof(pause), "; all threads were stopped for %s", stops);
	uint64_t kept = trace_info_u64(end, KEY_END_KEPT,
				       trace_info_u64(end, KEY_END_WINDOW_EVENTS, s->events));
	char of[40] = "";

	if (kept != s->events)
		snprintf(of, sizeof(of), " of %" PRIu64, s->events);
	log_info("%s: %s%" PRIu64 "%s events in %.1f %s, %s%s%s%s; next: gotrace report%s%s", file,
		 r->opt->keep.summary ? "summary of " : "", kept, of,
		 bytes / (bytes < 1000000 ? 1e3 : 1e6), bytes < 1000000 ? "KB" : "MB", lost,
		 cost ? "; " : "", cost ? cost : "", pause, strcmp(file, "gotrace.out") ? " " : "",
		 strcmp(file, "gotrace.out") ? file : "");
	if (warning)
		log_warn("%s", warning);
	if (trace_info_get(end, KEY_WARN_LOAD))
		log_info("%s", trace_info_get(end, KEY_WARN_LOAD));
	trace_info_free(&all);
}

/* Did the command die as a program does that executes what is no code of its own? The Go
 * runtime turns such a signal into an exit with status 2. */
static bool died_of_its_code(const struct target *t)
{
	const int status = t->wait_status;

	if (!t->launched || !t->ended)
		return false;
	if (WIFEXITED(status))
		return WEXITSTATUS(status) == 2;
	const int sig = WTERMSIG(status);

	return sig == SIGSEGV || sig == SIGTRAP || sig == SIGILL || sig == SIGBUS;
}

/* A probed function that the program copies crashes: which one to leave out. */
static void say_what_it_rewrites(const struct run *r)
{
	const struct text_watch *w = &r->recording.text_watch;
	const char *first = NULL;
	size_t n = 0;

	if (!died_of_its_code(&r->target))
		return;
	for (size_t i = 0; i < r->chosen.plan->n_funcs; i++) {
		const struct plan_func *f = &r->chosen.plan->funcs[i];

		if (f->fate != PLAN_PROBED || !f->rewritable)
			continue;
		n++;
		first = first ? first : f->name;
	}
	if (n)
		log_warn(
			"the program died, and %s makes its text writable: a copy of a probed function "
			"crashes; to leave out %s: -x '%s'",
			r->chosen.plan->text_writer,
			n == 1 ? "the one that it can copy" : "the first that it can copy", first);
	else if (w->n_gone || w->n_replaced)
		log_warn("the program died, and it had changed its text: a copy of a probed "
			 "function crashes; to leave out what it replaces: -x NAME");
}

void record_say_how_it_ended(const struct run *r, int err)
{
	const struct recording *rec = &r->recording;
	const struct collector_stats s = rec->collector ? collector_stats(rec->collector)
							: (struct collector_stats){ 0 };

	if (s.layout_wrong)
		log_warn(
			"the first events contradict the layout of runtime.g that gotrace assumed for this Go "
			"version; do not trust this trace");
	if (err)
		log_warn("%s was cut short: %s; what is in it can be read", r->opt->output,
			 strerror(-err));
	else if (rec->outcome.reason == END_DURATION || rec->outcome.reason == END_SIZE ||
		 rec->outcome.reason == END_WHEN)
		log_info("tracing ended by %s%s",
			 rec->outcome.reason == END_DURATION ? "-d"
			 : rec->outcome.reason == END_WHEN   ? "--when"
							     : "--max-size",
			 r->target.launched && !r->target.ended ? "; the command keeps running"
								: "");
	else if (rec->outcome.reason == END_COST)
		log_warn(
			"tracing ended: probing takes about %.0f%% of the processor time, no function is left to "
			"release, and --max-cost=%g%% is allowed; fewer functions (-p, -f), --no-states or a larger "
			"--max-cost help",
			100 * fmin(rec->releasing.last_share, 1), 100 * r->given.max_cost);
	if (s.lost_events)
		log_warn("%" PRIu64 " events were lost; %s or fewer functions help", s.lost_events,
			 r->opt->drop ? "a larger --ring" : "a larger -m");
	if (!s.events && !err && rec->outcome.reason == END_EXITED)
		log_warn(
			"no call was recorded%s",
			r->opt->exe && !r->opt->pid
				? ": BINARY must be executed by COMMAND's own process (exec), children are not followed"
				: "");
	say_what_it_rewrites(r);
	say_what_there_is(r, &s, err || rec->outcome.reason == END_WRITE_ERROR);
}
