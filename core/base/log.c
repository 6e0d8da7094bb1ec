// SPDX-License-Identifier: BSD-2-Clause
#include "base/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text_format.h"

static void to_stderr(void *ctx, enum log_level level, const char *line)
{
	(void)ctx;
	if (level == LOG_LEVEL_DEBUG && !getenv("GOTRACE_DEBUG"))
		return;
	fprintf(stderr, "gotrace: %s", level == LOG_LEVEL_WARN ? "warning: " : "");
	text_safe(stderr, line);
	fputc('\n', stderr);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static log_sink_fn *sink = to_stderr;
static void *sink_ctx;

void log_set_sink(log_sink_fn *fn, void *ctx)
{
	pthread_mutex_lock(&lock);
	sink = fn ? fn : to_stderr;
	sink_ctx = ctx;
	pthread_mutex_unlock(&lock);
}

void log_line(enum log_level level, const char *fmt, ...)
{
	char line[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	pthread_mutex_lock(&lock);
	sink(sink_ctx, level, line);
	pthread_mutex_unlock(&lock);
}
