/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The one way in which the library speaks: a line, a level, a sink.
 *
 * The function that detects a fault logs it, once, with the cause and the next
 * step; callers above pass -errno on in silence.
 */
#ifndef GOTRACE_LOG_H
#define GOTRACE_LOG_H

#include <stdbool.h>

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARN, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

/* Receives one line without its newline. Called from any thread, one at a time. */
typedef void log_sink_fn(void *ctx, enum log_level level, const char *line);

/* Replaces the sink (NULL: "gotrace: LINE" on stderr, up to the level that is set, in
 * lines as wide as a terminal at most). */
void log_set_sink(log_sink_fn *sink, void *ctx);

/* The last level that is written to stderr. Before the first call it is LOG_LEVEL_INFO, and
 * LOG_LEVEL_DEBUG with GOTRACE_DEBUG in the environment. */
void log_set_level(enum log_level last);

/* Until log_limit_end, this thread writes only the first `most` errors and warnings. Other lines
 * are not counted. */
void log_limit(unsigned most);

/* Returns how many lines were not written. say_last: writes the last of them. */
unsigned log_limit_end(bool say_last);

void log_line(enum log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Writes a line to stderr, a terminal, in place of the one that stands there; NULL: takes that
 * away, which a message does, too. */
void log_progress(const char *line);

/* An error for want of memory. Only the first is written. The function that meets it first knows
 * what the memory was for. */
void log_no_memory(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#define log_error(...) log_line(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warn(...)  log_line(LOG_LEVEL_WARN, __VA_ARGS__)
#define log_info(...)  log_line(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...) log_line(LOG_LEVEL_DEBUG, __VA_ARGS__)

#endif
