// SPDX-License-Identifier: BSD-2-Clause
/* Which functions are named for what their probes cost, and when none is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "analysis/calls/correction.h"
#include "analysis/calls/costly_probes.h"
#include "analysis/trace_fixture.h"
#include "base/shell_word.h"

/* What is said of a trace with n calls of each name, in the order of their cost; "" when nothing
 * is. To be freed. */
static char *said(const char *const names[], const unsigned n[])
{
	char path[TRACE_PATH_BYTES], *events = NULL, *line = NULL;
	struct notes notes = { 0 };
	struct loaded_trace trace;
	uint64_t now_ns = 1000;
	size_t size;
	FILE *out = open_memstream(&events, &size);

	assert_non_null(out);
	fputs("@set cost.emulated_ns 1000\n", out);
	for (unsigned i = 0; names[i]; i++)
		for (unsigned k = 0; k < n[i]; k++, now_ns += 10000)
			fprintf(out,
				"1 entry %s 100 %llu how=emulated\n1 exit %s 100 %llu how=emulated\n",
				names[i], (unsigned long long)now_ns, names[i],
				(unsigned long long)now_ns + 5000);
	assert_int_equal(fclose(out), 0);
	fixture_write_text(events, true, path);
	struct trace_reader *r = trace_reader_open(path);

	assert_non_null(r);
	assert_int_equal(trace_load(&trace, r, NULL, NULL), 0);
	costly_probes_notes(&trace, &notes);
	assert_int_equal(notes.n, 0); /* costs are not known */
	assert_int_equal(correction_apply(&trace), 0);
	costly_probes_notes(&trace, &notes);
	assert_int_equal(notes.err, 0);
	line = strdup(notes.n ? notes.lines[0] : "");
	assert_non_null(line);
	notes_free(&notes);
	trace_unload(&trace);
	trace_reader_close(r);
	unlink(path);
	free(events);
	return line;
}

TEST(test_few)
{
	char *line = said((const char *const[]){ "main.a", "main.(*T).b", "main.c", NULL },
			  (const unsigned[]){ 4, 14, 2 });

	assert_string_equal(line, "2 functions made 90% of that cost; to leave them out: "
				  "-x 'main.(*T).b' -x main.a");
	free(line);
	line = said((const char *const[]){ "main.a", NULL }, (const unsigned[]){ 4 });
	assert_string_equal(line, "1 function made 100% of that cost; to leave it out: -x main.a");
	free(line);
}

/* Eleven that cost the same. */
TEST(test_many)
{
	static const char *const names[] = { "main.a", "main.b", "main.c", "main.d", "main.e",
					     "main.f", "main.g", "main.h", "main.i", "main.j",
					     "main.k", "main.l", "main.m", NULL };

	char *line = said(names, (const unsigned[]){ 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2 });

	assert_string_equal(line, "");
	free(line);
}

TEST(test_word)
{
	static const char *const words[][2] = {
		{ "main.f", "main.f" },
		{ "main.(*T).f", "'main.(*T).f'" },
		{ "it's", "'it'\\''s'" },
		{ "", "''" },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		char *got = NULL;
		size_t size;
		FILE *out = open_memstream(&got, &size);

		assert_non_null(out);
		shell_word(out, words[i][0]);
		assert_int_equal(fclose(out), 0);
		assert_string_equal(got, words[i][1]);
		free(got);
	}
}

TESTS(test_few, test_many, test_word)
