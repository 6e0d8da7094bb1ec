/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports as text: a file for each kind of row, and what they share. */
#ifndef GOTRACE_TEXT_H
#define GOTRACE_TEXT_H

#include "analysis/notes.h"
#include "report/rows.h"
#include "report/table.h"

/* Tables, each in a file of its name (text_functions.c). 0 or -ENOMEM (logged) */
int text_functions(const struct report *rep, FILE *out);
int text_paths(const struct report *rep, FILE *out);
int text_goroutines(const struct report *rep, FILE *out);
int text_calls(const struct report *rep, FILE *out);
int text_reasons(const struct report *rep, FILE *out);

/* text_answer.c: why it takes long, before the numbers; nothing where that is not known. 0 or
 * -ENOMEM (logged) */
int text_answer(const struct report *rep, FILE *out);

/* text_notes.c: what stands below the numbers. 0 or -ENOMEM (logged) */
int text_notes(const struct report *rep, FILE *out);

/* text_states.c */
/* Has the trace states of goroutines, and such times among them? Of a struct report. */
bool text_has_states(const void *rep);
bool text_any_off_cpu(const void *rep);
bool text_any_unknown(const void *rep);
/* "sleep 74%, running 25%": what most of a function's time was spent on, of which `off` has the
 * parts that did not run, in words of so many columns (0: any number); safe to print. Of a
 * recording that is its self time; of samples all of it. */
void text_spent_on(const struct report *rep, uint32_t func, uint64_t all_ns,
		   const struct off_times *off, unsigned words, char buf[CELL_BYTES]);
/* A time in a cell; "-": none. */
#define CELL_TIME(ns) ((ns) ? HUMAN(ns) : "-")
/* "  (sleep 74%, select 25%)" after a name: for what most of its self time was spent waiting;
 * "" where that is little. */
#define WAITS_BYTES 160
const char *text_waits(const struct report *rep, uint32_t row, uint64_t self_ns,
		       char buf[WAITS_BYTES]);
/* "  (total: sleep 300ms, select 488ms)" after a call's name: for what most of its time was spent
 * waiting, in the calls below it, too. */
void text_call_waits(const struct report *rep, const struct call_states *s, uint64_t dur_ns,
		     char buf[WAITS_BYTES]);
/* The line below a report that says what the columns are. */
void text_states_note(const struct report *rep, struct notes *to);

/* A self time in buf: "<1.2s" when it is less than what the correction may be off: at most that. */
/* What stands before the numbers where no row is certain: that, and what can tell. */
void text_none_sure(const struct report *rep, FILE *out);

#define SELF_BYTES 24
const char *text_self(const struct call_stats *st, char buf[SELF_BYTES]);
/* The same of a total, which is off by no less than the self time in it. */
const char *text_total(const struct call_stats *st, char buf[SELF_BYTES]);
/* Calls in buf; "-" of a function that only calls what --focus asks for. */
#define CALLS_BYTES 24
const char *text_calls_of(const struct call_stats *st, char buf[CALLS_BYTES]);
/* What samples stand for, in buf: a time, or how many events where these were counted. */
const char *text_weight(const struct report *rep, uint64_t weight_ns, char buf[SELF_BYTES]);
#define WEIGHT(rep, ns) text_weight((rep), (ns), (char[SELF_BYTES]){ 0 })
/* The width that lines are to fit; 0: any. */
unsigned text_limit(const struct report *rep);
/* Columns to indent names by at most, where `used` columns are taken before; 0: any. */
unsigned text_indent_room(const struct report *rep, size_t used);
/* Ends a line whose first `used` columns are taken, with a function's name and remarks on it. These
 * begin with two blanks, or are "". They stand below the name where they leave it too little room.
 */
void text_named(const struct report *rep, FILE *out, const char *name, size_t used,
		const char *after);
/* Writes it on a terminal of `width` columns; 0: any number. */
void text_name_after(FILE *out, unsigned width, bool colour, const char *name, size_t used,
		     const char *after);
/* text_marks.c: "  (1 unfinished, 3 suspect)" after a name; "" for calls that just finished. */
#define MARKS_BYTES 160
const char *text_marks(const struct call_stats *st, char buf[MARKS_BYTES]);
/* "  (released after 5 calls)", "  (self includes main.leaf, released)": the function `func`, and
 * what its self time includes; "" where nothing was released. */
#define RELEASED_BYTES 512
const char *text_released(const struct report *rep, uint32_t func, const struct call_stats *st,
			  struct released_below below, char buf[RELEASED_BYTES]);
/* "3 more functions (-n 0 shows all)" when the limit cut some. */
void text_hidden(const struct report *rep, FILE *out, const char *what);

#endif
