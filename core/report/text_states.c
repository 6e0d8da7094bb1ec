// SPDX-License-Identifier: BSD-2-Clause
/* Time by what goroutines did in it: remarks, the table of reasons and the line below a report. */
#include <inttypes.h>
#include <string.h>

#include "analysis/samples/sample_notes.h"
#include "analysis/trace_notes.h"
#include "base/text_format.h"
#include "base/text_name.h"
#include "base/text_wrap.h"
#include "report/text.h"
#include "trace/keys.h"

#define REMARK_PCT \
	10.0 /* of a function's self time or a call's, for a reason to stand by its name */

#define LONG_FROM 120 /* columns of a terminal with room for all states beside a name */

static bool only_inside(const struct report *rep)
{
	return trace_info_get(rep->trace.info, KEY_KEEP_TRIGGER ".0");
}

bool text_has_states(const void *ctx)
{
	const struct report *rep = ctx;

	return rep->trace.totals->states;
}

/* Outside of the trigger's calls no state is recorded: that is in no row but a goroutine's. */
bool text_any_unknown(const void *ctx)
{
	const struct report *rep = ctx;
	const struct model_totals *t = rep->trace.totals;

	return t->states && t->off.unknown_ns > 0 &&
	       (!only_inside(rep) || t->loss_records || t->windows || rep->opt->by == BY_GOROUTINE);
}

bool text_any_off_cpu(const void *ctx)
{
	const struct report *rep = ctx;

	return rep->trace.totals->states && rep->trace.totals->off.off_cpu_ns > 0;
}

/* Is a terminal too narrow for so much? */
static bool narrower(const struct report *rep, unsigned width)
{
	return text_limit(rep) && text_limit(rep) < width;
}

const char *text_waits(const struct report *rep, uint32_t row, uint64_t self_ns,
		       char buf[WAITS_BYTES])
{
	size_t n, len = 0;
	const struct wait_row *w = wait_rows_of(&rep->waits, row, &n);
	char number[WAIT_REASON_BYTES];

	buf[0] = '\0';
	for (size_t i = 0; i < n && len < WAITS_BYTES / 2; i++) {
		double pct = share_pct(rep->trace.samples ? w[i].total_ns : w[i].self_ns, self_ns);

		if (pct >= REMARK_PCT)
			len += (size_t)snprintf(buf + len, WAITS_BYTES - len, "%s%.40s %d%%",
						len ? ", " : "  (",
						wait_reason(rep->trace.info, w[i].reason, number),
						(int)pct);
	}
	if (len)
		snprintf(buf + len, WAITS_BYTES - len, ")");
	return buf;
}

#define SPENT_PARTS 3 /* named in a row, at most */

/* Time in a state, or for a reason to wait. */
struct spent {
	const char *state; /* NULL: waiting, for */
	uint32_t reason;
	uint64_t ns;
};

/* Keeps the longest, in order. */
static void spend(struct spent *most, struct spent s)
{
	size_t i = SPENT_PARTS;

	for (; i && most[i - 1].ns < s.ns; i--)
		if (i < SPENT_PARTS)
			most[i] = most[i - 1];
	if (i < SPENT_PARTS)
		most[i] = s;
}

static void spent_parts(const struct report *rep, uint32_t func, uint64_t all_ns,
			const struct off_times *off, struct spent parts[SPENT_PARTS])
{
	size_t n;
	const struct wait_row *w = wait_rows_of(&rep->waits, func, &n);

	spend(parts, (struct spent){ "running", 0, all_ns - off_times_sum(off) });
	spend(parts, (struct spent){ "no processor", 0, off->off_cpu_ns });
	spend(parts, (struct spent){ "runnable", 0, off->runnable_ns });
	if (!rep->trace.samples) /* samples have these by name */
		spend(parts, (struct spent){ "system call", 0, off->syscall_ns });
	spend(parts, (struct spent){ "unknown", 0, off->unknown_ns });
	for (size_t i = 0; i < n; i++)
		spend(parts, (struct spent){ NULL, w[i].reason,
					     rep->trace.samples ? w[i].total_ns : w[i].self_ns });
}

void text_spent_on(const struct report *rep, uint32_t func, uint64_t all_ns,
		   const struct off_times *off, unsigned words, char buf[CELL_BYTES])
{
	const size_t most = !words ? SPENT_PARTS : narrower(rep, LONG_FROM) ? 1 : 2;
	const bool cut = words && words < TABLE_LONG;
	struct spent parts[SPENT_PARTS] = { 0 };
	char number[WAIT_REASON_BYTES];
	FILE *out = fmemopen(buf, CELL_BYTES, "w");

	buf[0] = '\0';
	if (!out)
		return;
	spent_parts(rep, func, all_ns, off, parts);
	for (size_t i = 0; i < most && share_pct(parts[i].ns, all_ns) >= REMARK_PCT; i++) {
		const char *on = parts[i].state
					 ? parts[i].state
					 : wait_reason(rep->trace.info, parts[i].reason, number);
		double pct = share_pct(parts[i].ns, all_ns);

		on += cut && !strncmp(on, "sync.", 5) ? 5 : 0;
		fputs(i ? ", " : "", out);
		text_name(out, on, cut ? (int)words : TABLE_LONG);
		fprintf(out, " %.0f%%", pct < 100 ? pct : 100);
	}
	fclose(out);
}

/* Adds "(total: WHAT 1.2ms" where that is much of a call. */
static size_t add_remark(char *buf, size_t len, const char *what, uint64_t ns, uint64_t dur_ns)
{
	if (len >= WAITS_BYTES / 2 || share_pct(ns, dur_ns) < REMARK_PCT)
		return len;
	return len + (size_t)snprintf(buf + len, WAITS_BYTES - len, "%s%.40s %s",
				      len ? ", " : "  (total: ", what, HUMAN(ns));
}

void text_call_waits(const struct report *rep, const struct call_states *s, uint64_t dur_ns,
		     char buf[WAITS_BYTES])
{
	size_t len = 0;
	char number[WAIT_REASON_BYTES];

	buf[0] = '\0';
	for (size_t i = 0; i < s->n_waits; i++)
		len = add_remark(buf, len, wait_reason(rep->trace.info, s->waits[i].reason, number),
				 s->waits[i].total_ns, dur_ns);
	if (narrower(rep, LONG_FROM)) { /* these have no columns */
		len = add_remark(buf, len, "runnable", s->total.runnable_ns, dur_ns);
		len = add_remark(buf, len, "no processor", s->total.off_cpu_ns, dur_ns);
		len = add_remark(buf, len, "system call", s->total.syscall_ns, dur_ns);
	}
	if (len)
		snprintf(buf + len, WAITS_BYTES - len, ")");
}

/* "12.3s waiting", with its share; "" where there is none. */
static const char *share(uint64_t ns, uint64_t all_ns, const char *what, char buf[64])
{
	buf[0] = '\0';
	if (ns)
		snprintf(buf, 64, ", %s %s (%.1f%%)", HUMAN(ns), what, share_pct(ns, all_ns));
	return buf;
}

void text_states_note(const struct report *rep, struct notes *to)
{
	const struct model_totals *t = rep->trace.totals;
	const char *of = rep->trace.samples ? rep->opt->by == BY_FUNCTION || rep->opt->by == BY_PATH
						      ? "TOTAL"
						      : "TIME"
			 : rep->opt->by == BY_GOROUTINE ? "LIFE"
			 : rep->opt->by == BY_CALL      ? "DURATION"
							: "SELF";
	char parts[6][64];

	if (!t->states)
		return;
	uint64_t life_ns = t->life_ns - t->idle_life_ns,
		 off_ns = off_times_sum(&t->off) - off_times_sum(&t->idle_off);
	notes_add(to, "%s%s %s together: %s running (%.1f%%)%s%s%s%s%s",
		  rep->trace.samples ? sample_lives(rep->trace.info) : "goroutines",
		  rep->trace.samples ? " were seen for" : " with calls lived", HUMAN(life_ns),
		  HUMAN(life_ns - off_ns), share_pct(life_ns - off_ns, life_ns),
		  share(t->off.off_cpu_ns - t->idle_off.off_cpu_ns, life_ns, "without a processor",
			parts[4]),
		  share(t->off.runnable_ns - t->idle_off.runnable_ns, life_ns, "runnable",
			parts[0]),
		  share(t->off.wait_ns - t->idle_off.wait_ns, life_ns, "waiting", parts[1]),
		  share(t->off.syscall_ns - t->idle_off.syscall_ns, life_ns, "in system calls",
			parts[2]),
		  share(t->off.unknown_ns - t->idle_off.unknown_ns, life_ns,
			only_inside(rep) ? "not recorded, outside of the trigger"
					 : "unknown, because events may be missing",
			parts[3]));
	const char *told = trace_info_get(rep->trace.info, KEY_STATES_OFF_CPU);
	const uint64_t missed = trace_info_u64(rep->trace.info, KEY_END_OFF_CPU_MISSED, 0);

	if (told && strcmp(told, OFF_CPU_TOLD) != 0)
		notes_add(to, "RUN includes time in which threads had no processor: %s", told);
	if (missed)
		notes_add(
			to,
			"%" PRIu64
			" switches of threads were not seen; RUN and OFF-CPU are wrong by the time up to the "
			"next event",
			missed);
	if (t->idlers)
		notes_add(to, "%" PRIu64 " other%s%s ran for %s", t->idlers,
			  t->idlers == 1 ? "" : "s",
			  trace_idlers_of_runtime(&rep->trace) ? ", mostly of the runtime,"
							       : " without a recorded call",
			  HUMAN(t->idle_life_ns - off_times_sum(&t->idle_off)));
	if (rep->opt->by != BY_REASON)
		notes_add(
			to,
			"RUN%s, READY (runnable), WAIT and SYSCALL are the parts of %s; --by=reason shows why they waited",
			text_any_off_cpu(rep)
				? ", OFF-CPU (would run, but the thread had no processor)"
				: "",
			of);
}
