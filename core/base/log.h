/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The library's only way to report: a line, a level, a sink.
 *
 * The function that detects a fault logs it once, with the cause and the next step. Its callers
 * return -errno without a message.
 */
#ifndef GOTRACE_LOG_H
#define GOTRACE_LOG_H

#include <stdbool.h>

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARN, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

/* Receives one line without its newline. Any thread may call it, one at a time. */
typedef void log_sink_fn(void *ctx, enum log_level level, const char *line);

/* Replaces the sink. NULL: writes "gotrace: LINE" to stderr, up to the set level, in lines no wider
 * than a terminal. */
void log_set_sink(log_sink_fn *sink, void *ctx);

/* The last level that is written to stderr. Before the first call it is LOG_LEVEL_INFO, and
 * LOG_LEVEL_DEBUG with GOTRACE_DEBUG in the environment. */
void log_set_level(enum log_level last);

/* Until log_limit_end, this thread writes only the first `most` errors and warnings. Other lines
 * are not counted. */
void log_limit(unsigned most);

/* Returns the number of lines that were not written. say_last: writes the last of them. */
unsigned log_limit_end(bool say_last);

void log_line(enum log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Writes a line to stderr, a terminal, in place of the line before. NULL removes that line, and so
 * does a message. */
void log_progress(const char *line);

/* Logs an error because memory ran out. Only the first is written. The first function that meets it
 * knows the use of the memory. */
void log_no_memory(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#define log_error(...) log_line(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warn(...)  log_line(LOG_LEVEL_WARN, __VA_ARGS__)
#define log_info(...)  log_line(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...) log_line(LOG_LEVEL_DEBUG, __VA_ARGS__)

#endif
