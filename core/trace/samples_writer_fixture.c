// SPDX-License-Identifier: BSD-2-Clause
#include "trace/samples_writer_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "trace/keys.h"

struct trace_writer *samples_writer_fixture(void)
{
	struct trace_info info = { 0 };
	int fd = memfd_create("x", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(trace_info_set(&info, KEY_MODE, MODE_SAMPLES), 0);
	struct trace_writer *w = trace_writer_new(fd, &info);

	assert_non_null(w);
	trace_info_free(&info);
	return w;
}
