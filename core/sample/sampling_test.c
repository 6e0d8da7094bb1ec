// SPDX-License-Identifier: BSD-2-Clause
/* A trace that takes all memory that it may ends early, and takes no more meanwhile. */

#include <sys/mman.h>

#include "base/test_fixture.h"
#include "sample/sampling.c"

#define BEGINS_NS 1000000000000ull

static struct sampling_given given;

static int set_up(void **state)
{
	struct trace_info info = { 0 };
	struct sampling *s = calloc(1, sizeof(*s));
	int fd = memfd_create("x", MFD_CLOEXEC);

	assert_non_null(s);
	assert_true(fd >= 0);
	assert_int_equal(trace_info_set(&info, KEY_MODE, MODE_SAMPLES), 0);
	s->writer = trace_writer_new(fd, &info);
	assert_non_null(s->writer);
	trace_info_free(&info);
	given = (struct sampling_given){ 0 };
	s->given = &given;
	s->begun_ns = BEGINS_NS;
	*state = s;
	return 0;
}

static int tear_down(void **state)
{
	struct sampling *s = *state;

	trace_writer_abort(s->writer);
	free(s);
	return 0;
}

static void put_labels(struct sampling *s, const char *value)
{
	struct sample_label_record r = { .n = 1, .n_all = 1 };

	r.label[0].key_bytes = 3;
	memcpy(r.label[0].key, "key", 3);
	r.label[0].value_bytes = (uint32_t)strlen(value);
	memcpy(r.label[0].value, value, strlen(value));
	take_labels(s, &r);
	assert_int_equal(s->err, 0);
}

static void expect_cut(struct sampling *s)
{
	sampling_cut_for_room(s, BEGINS_NS + 1);
	sampling_cut_for_room(s, BEGINS_NS + STRETCH_LEAST_NS - 1);
	assert_false(s->cut);
	assert_false(s->cut_for_room);
	sampling_cut_for_room(s, BEGINS_NS + STRETCH_LEAST_NS);
	assert_true(s->cut);
	assert_true(s->cut_for_room);
}

static void test_processes_full(void **state)
{
	struct sampling *s = *state;

	sampling_cut_for_room(s, BEGINS_NS + STRETCH_LEAST_NS);
	assert_false(s->cut);
	s->processes.full = true;
	expect_cut(s);
}

static void test_tables_full(void **state)
{
	struct sampling *s = *state;

	put_labels(s, "a");
	given.most_bytes = 1;
	expect_cut(s);
}

/* They come before their samples, which count. */
static void test_labels_left_out(void **state)
{
	struct sampling *s = *state;

	put_labels(s, "a");
	given.most_bytes = 1;
	put_labels(s, "b");
	assert_int_equal(trace_writer_tables(s->writer)->n_labels, 1);
	assert_int_equal(s->counts.no_memory, 0);
	assert_false(sampling_has_room(s));
	assert_int_equal(s->counts.no_memory, 1);
	assert_int_equal(s->counts.outside, 1);
	given.most_bytes = 0;
	put_labels(s, "b");
	assert_int_equal(trace_writer_tables(s->writer)->n_labels, 2);
}

TESTS_EACH(set_up, tear_down, test_processes_full, test_tables_full, test_labels_left_out)
