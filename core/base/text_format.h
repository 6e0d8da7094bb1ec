/* SPDX-License-Identifier: BSD-2-Clause */
/* What tables for people share: times, shares, names, indents. */
#ifndef GOTRACE_TEXT_FORMAT_H
#define GOTRACE_TEXT_FORMAT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* "12.3ms" in buf: 3 significant digits, at most 6 characters up to a day. */
const char *human_ns(uint64_t ns, char buf[16]);
/* "12345", "1.23M": at most 6 characters up to 999T. */
const char *human_count(uint64_t n, char buf[16]);
#define HUMAN(ns) human_ns((ns), (char[16]){ 0 })
/* Of part in whole, in percent; 0 when whole is 0. */
double share_pct(uint64_t part, uint64_t whole);
/* Columns that n takes, at least `least`. */
int text_width(uint64_t n, int least);
/* "s" unless n is 1. */
const char *plural(uint64_t n);
/* The style of what is written next to a terminal, up to STYLE_END. */
enum text_style { STYLE_NONE, STYLE_BOLD, STYLE_DIM, STYLE_REASON, STYLE_WARNING, STYLE_END };
void text_style(FILE *out, enum text_style style);
/* A line over a table, bold on a terminal. */
void text_heading(bool colour, FILE *out, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * Every string that gotrace did not make itself (names of functions and files, keys, arguments)
 * is written as text_safe does: what would break a line or reach the terminal's own language, and
 * what is no UTF-8, as \xHH. JSON writes it as \uHHHH.
 */
void text_safe(FILE *out, const char *s);
/* Bytes of the character at s, which is not empty; *unsafe: text_escape is to write it. */
int text_char(const char *s, bool *unsafe);
/* The n bytes of the character at s, as \xHH; one that changes the order of others, as \uHHHH. */
void text_escape(FILE *out, const char *s, int n);
/* Bytes of the control character (C0, DEL, C1, order of writing) at s, 0 when it is none. */
int text_control(const char *s);
/* A frame of folded stacks: UTF-8, with no ';' and no control character in it. */
void text_frame(FILE *out, const char *name);
/* Two blanks a level; levels that are deeper than `room` columns are numbered, and very deep ones:
 * the text would grow with the square of the depth. room 0: any. Returns the columns it took. */
int text_indent(FILE *out, uint64_t level, unsigned room);

/* Closes a stream of open_memstream. 0, or -ENOMEM when not all of it is there: *text is freed
 * then, and NULL. (fclose alone tells of a part only.) */
int text_stream_close(FILE *f, char **text);

#endif
