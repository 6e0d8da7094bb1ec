/* SPDX-License-Identifier: BSD-2-Clause */
/* For tests of corrected times. One trace at a time, written from events as text, is loaded and
 * corrected. */
#ifndef GOTRACE_CORRECTION_FIXTURE_H
#define GOTRACE_CORRECTION_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "analysis/calls/correction.h"
#include "analysis/trace_fixture.h"

static char path[TRACE_PATH_BYTES];
static struct trace_reader *reader;
static struct loaded_trace trace;

static void load_by(const char *events, enum correct_by by)
{
	fixture_write_text(events, true, path);
	reader = trace_reader_open(path);
	assert_non_null(reader);
	assert_int_equal(trace_load(&trace, reader, NULL, NULL), 0);
	trace.correct_by = by;
	assert_int_equal(correction_apply(&trace), 0);
}

__attribute__((unused)) static void load(const char *events)
{
	load_by(events, CORRECT_BY_BETTER);
}

static void unload(void)
{
	trace_unload(&trace);
	trace_reader_close(reader);
	unlink(path);
}

static const struct call_stats *of(const char *name)
{
	for (size_t i = 0; i < trace.n_funcs; i++)
		if (!strcmp(trace.info->funcs[i].name, name))
			return &trace.funcs[i];
	fail_msg("no function %s", name);
	return NULL;
}

#endif
