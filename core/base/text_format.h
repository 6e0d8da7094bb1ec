/* SPDX-License-Identifier: BSD-2-Clause */
/* Times, shares, names and indents for people. */
#ifndef GOTRACE_TEXT_FORMAT_H
#define GOTRACE_TEXT_FORMAT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Writes a time such as "12.3ms" to buf, with 3 significant digits, at most 6 characters up to a
 * day. */
const char *human_ns(uint64_t ns, char buf[16]);
/* Writes a number such as "12345" or "1.23M", at most 6 characters up to 999T. */
const char *human_count(uint64_t n, char buf[16]);
#define HUMAN(ns) human_ns((ns), (char[16]){ 0 })
/* Returns part in whole, in per cent; 0 when whole is 0. */
double share_pct(uint64_t part, uint64_t whole);
/* Returns the columns that n takes, at least `least`. */
int text_width(uint64_t n, int least);
/* Returns "s", or "" when n is 1. */
const char *plural(uint64_t n);
/* Sets the style of the next text on a terminal, up to STYLE_END. */
enum text_style { STYLE_NONE, STYLE_BOLD, STYLE_DIM, STYLE_REASON, STYLE_WARNING, STYLE_END };
void text_style(FILE *out, enum text_style style);
/* Writes a line above a table, bold on a terminal. */
void text_heading(bool colour, FILE *out, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * text_safe writes every string that gotrace did not make itself (names of functions and files,
 * keys, arguments). It writes \xHH for characters that would break a line or control the terminal,
 * and for bytes that are not UTF-8. JSON writes \uHHHH.
 */
void text_safe(FILE *out, const char *s);
/* Returns the bytes of the character at s, which is not empty. *unsafe: text_escape must write
 * it. */
int text_char(const char *s, bool *unsafe);
/* Writes the n bytes of the character at s as \xHH. A character that changes the order of others is
 * written as \uHHHH. */
void text_escape(FILE *out, const char *s, int n);
/* Returns the bytes of the control character (C0, DEL, C1, order of writing) at s, 0 when it is
 * none. */
int text_control(const char *s);
/* Writes a frame of folded stacks in UTF-8, without ';' and control characters. */
void text_frame(FILE *out, const char *name);
/* Writes two blanks for each level. Levels deeper than `room` columns are numbered, and so are very
 * deep ones, because the text would grow with the square of the depth. room 0: any number of
 * columns. Returns the columns written. */
int text_indent(FILE *out, uint64_t level, unsigned room);

/* Closes a stream of open_memstream. 0, or -ENOMEM when a part is missing; then *text is freed and
 * NULL. (fclose alone does not report all errors.) */
int text_stream_close(FILE *f, char **text);

#endif
