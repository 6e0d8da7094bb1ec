// SPDX-License-Identifier: BSD-2-Clause
#include "base/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text_wrap.h"

#define LINE_BYTES 1024

static atomic_bool last_set;
static _Atomic enum log_level last_level;

void log_set_level(enum log_level last)
{
	last_level = last;
	last_set = true;
}

#define HANGING 2

/* Columns of a terminal; 0: it is none, or they are not known. */
static unsigned width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;

	if (!isatty(STDERR_FILENO))
		return 0;
	if (columns && atoi(columns) > 0)
		return (unsigned)atoi(columns);
	return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) ? 0 : size.ws_col;
}

static bool shows_progress; /* under the lock */

static void clear_progress(void)
{
	if (shows_progress)
		fputs("\r\033[K", stderr);
	shows_progress = false;
}

static void to_stderr(void *ctx, enum log_level level, const char *line)
{
	(void)ctx;
	if (level > (last_set                  ? last_level
		     : getenv("GOTRACE_DEBUG") ? LOG_LEVEL_DEBUG
					       : LOG_LEVEL_INFO))
		return;
	char text[LINE_BYTES + 32];

	snprintf(text, sizeof(text), "gotrace: %s%s", level == LOG_LEVEL_WARN ? "warning: " : "",
		 line);
	clear_progress();
	text_wrap(stderr, text, width(), HANGING);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static log_sink_fn *sink = to_stderr;
static void *sink_ctx;
static bool no_memory_said;

void log_set_sink(log_sink_fn *fn, void *ctx)
{
	pthread_mutex_lock(&lock);
	sink = fn ? fn : to_stderr;
	sink_ctx = ctx;
	no_memory_said = false;
	pthread_mutex_unlock(&lock);
}

static _Thread_local struct {
	bool on;
	unsigned most, n; /* n: lines so far */
	enum log_level level;
	char last[LINE_BYTES];
} limit;

void log_limit(unsigned most)
{
	limit.on = true;
	limit.most = most;
	limit.n = 0;
}

unsigned log_limit_end(bool say_last)
{
	const unsigned held = limit.n > limit.most ? limit.n - limit.most : 0;

	limit.on = false;
	if (held && say_last)
		log_line(limit.level, "%s", limit.last);
	return held;
}

/* The line is one too many. */
static bool is_held(enum log_level level, const char *line)
{
	if (!limit.on || level > LOG_LEVEL_WARN || ++limit.n <= limit.most)
		return false;
	limit.level = level;
	snprintf(limit.last, sizeof(limit.last), "%s", line);
	return true;
}

static void say(enum log_level level, bool once, const char *fmt, va_list ap)
{
	char line[LINE_BYTES];

	vsnprintf(line, sizeof(line), fmt, ap);
	if (is_held(level, line))
		return;
	pthread_mutex_lock(&lock);
	if (!once || !no_memory_said)
		sink(sink_ctx, level, line);
	no_memory_said |= once;
	pthread_mutex_unlock(&lock);
}

void log_line(enum log_level level, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(level, false, fmt, ap);
	va_end(ap);
}

void log_progress(const char *line)
{
	pthread_mutex_lock(&lock);
	clear_progress();
	if (line) {
		fputs(line, stderr);
		shows_progress = true;
	}
	fflush(stderr);
	pthread_mutex_unlock(&lock);
}

void log_no_memory(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(LOG_LEVEL_ERROR, true, fmt, ap);
	va_end(ap);
}
