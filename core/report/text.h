/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports as text, with a file for each kind of row, and their shared parts. */
#ifndef GOTRACE_TEXT_H
#define GOTRACE_TEXT_H

#include "analysis/notes.h"
#include "report/rows.h"
#include "report/table.h"

/* Print tables, each in a file of its name (text_functions.c). 0 or -ENOMEM (logged) */
int text_functions(const struct report *rep, FILE *out);
int text_paths(const struct report *rep, FILE *out);
int text_goroutines(const struct report *rep, FILE *out);
int text_calls(const struct report *rep, FILE *out);
int text_reasons(const struct report *rep, FILE *out);

/* text_answer.c: prints the reason why it takes long, before the numbers. Prints nothing where that
 * is not known. 0 or -ENOMEM (logged) */
int text_answer(const struct report *rep, FILE *out);

/* text_notes.c: prints the notes below the numbers. 0 or -ENOMEM (logged) */
int text_notes(const struct report *rep, FILE *out);

/* text_states.c */
/* Return whether the trace has states of goroutines, and such times among them. rep is a struct
 * report. */
bool text_has_states(const void *rep);
bool text_any_off_cpu(const void *rep);
bool text_any_unknown(const void *rep);
/* Writes the largest parts of a function's time, such as "sleep 74%, running 25%", safe to print.
 * `off` has the parts in which it did not run. Words have `words` columns (0 for any number). The
 * time is self time in a recording of calls, and all time in one of samples. */
void text_spent_on(const struct report *rep, uint32_t func, uint64_t all_ns,
		   const struct off_times *off, unsigned words, char buf[CELL_BYTES]);
/* a time in a cell, "-" for 0 */
#define CELL_TIME(ns) ((ns) ? HUMAN(ns) : "-")
/* Writes a remark after a name with the reasons for most of its self time, such as "  (sleep 74%,
 * select 25%)". "" where they are small. */
#define WAITS_BYTES 160
const char *text_waits(const struct report *rep, uint32_t row, uint64_t self_ns,
		       char buf[WAITS_BYTES]);
/* Writes a remark after a call's name with the reasons for most of its waiting. It includes the
 * calls below. For example: "  (total: sleep 300ms, select 488ms)". */
void text_call_waits(const struct report *rep, const struct call_states *s, uint64_t dur_ns,
		     char buf[WAITS_BYTES]);
/* Adds the line below a report that explains the columns. */
void text_states_note(const struct report *rep, struct notes *to);

/* Prints, before the numbers, that no row is certain, and the options for certain rows. */
void text_none_sure(const struct report *rep, FILE *out);

/* Writes a self time to buf. It is "<1.2s", an upper limit, when it is less than the uncertainty of
 * the correction. It begins with "≈" when probes took more than remains. */
#define SELF_BYTES 24
const char *text_self(const struct call_stats *st, char buf[SELF_BYTES]);
/* Writes a total in that way. Its error is no less than that of the self time in it. */
const char *text_total(const struct call_stats *st, char buf[SELF_BYTES]);
/* Writes a number of calls to buf, "-" for a function that only calls functions of --focus. */
#define CALLS_BYTES 24
const char *text_calls_of(const struct call_stats *st, char buf[CALLS_BYTES]);
/* Writes the weight of samples to buf, as a time or as a number of events. */
const char *text_weight(const struct report *rep, uint64_t weight_ns, char buf[SELF_BYTES]);
#define WEIGHT(rep, ns) text_weight((rep), (ns), (char[SELF_BYTES]){ 0 })
/* Returns the width that lines must fit; 0 for any. */
unsigned text_limit(const struct report *rep);
/* Returns the most columns by which names are indented, where `used` columns are taken before; 0
 * for any. */
unsigned text_indent_room(const struct report *rep, size_t used);
/* Ends a line, whose first `used` columns are taken, with a function's name and remarks on it.
 * Remarks begin with two blanks, or are "". They come below the name where it leaves too little
 * room. */
void text_named(const struct report *rep, FILE *out, const char *name, size_t used,
		const char *after);
/* Does that for a terminal of `width` columns; 0 for any number. */
void text_name_after(FILE *out, unsigned width, bool colour, const char *name, size_t used,
		     const char *after);
/* text_marks.c: writes marks after a name, such as "  (1 unfinished, 3 suspect)". "" when all calls
 * finished. */
#define MARKS_BYTES 160
const char *text_marks(const struct call_stats *st, char buf[MARKS_BYTES]);
/* Writes that the function `func` was released, such as "  (released after 5 calls)". Writes that
 * its self time includes released functions, such as "  (self includes main.leaf, released)".
 * Writes
 * "" where nothing was released. */
#define RELEASED_BYTES 512
const char *text_released(const struct report *rep, uint32_t func, const struct call_stats *st,
			  struct released_below below, char buf[RELEASED_BYTES]);
/* Prints "3 more functions (-n 0 shows all)" when the limit cut some. */
void text_hidden(const struct report *rep, FILE *out, const char *what);

#endif
