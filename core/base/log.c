// SPDX-License-Identifier: BSD-2-Clause
#include "base/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text_format.h"

static atomic_bool last_set;
static _Atomic enum log_level last_level;

void log_set_level(enum log_level last)
{
	last_level = last;
	last_set = true;
}

static void to_stderr(void *ctx, enum log_level level, const char *line)
{
	(void)ctx;
	if (level > (last_set                  ? last_level
		     : getenv("GOTRACE_DEBUG") ? LOG_LEVEL_DEBUG
					       : LOG_LEVEL_INFO))
		return;
	fprintf(stderr, "gotrace: %s", level == LOG_LEVEL_WARN ? "warning: " : "");
	text_safe(stderr, line);
	fputc('\n', stderr);
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

static void say(enum log_level level, bool once, const char *fmt, va_list ap)
{
	char line[1024];

	vsnprintf(line, sizeof(line), fmt, ap);
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

void log_no_memory(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(LOG_LEVEL_ERROR, true, fmt, ap);
	va_end(ap);
}
