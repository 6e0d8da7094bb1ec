// SPDX-License-Identifier: BSD-2-Clause
/* What the real `go tool pprof` says of a profile: self times and calls are those of the report. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "analysis/trace_load.h"
#include "analysis/trace_names.h"
#include "export/export_fixture.h"

static const char *const traces[] = {
	"chain.go1.27.thesis",        "panics.emulated",         "growth.thesis",
	"coroutines.go1.27.emulated", "callbacks.go1.19.thesis",
};
#define N_TRACES (sizeof(traces) / sizeof(traces[0]))

static bool has_go(void)
{
	return system("command -v go >/dev/null || [ -x /usr/local/go/bin/go ]") == 0;
}

/* The profile of a recorded trace in a new file. */
static void profile(const char *trace, const struct export_options *opt,
		    char file[TRACE_PATH_BYTES])
{
	char path[256];
	size_t n;

	snprintf(path, sizeof(path), "fixtures/traces/%s.gotrace", trace);
	char *data = fixture_export(path, "pprof", opt, &n);

	strcpy(file, "/tmp/gotrace-pprof-XXXXXX");
	int fd = mkstemp(file);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, n), n);
	close(fd);
	free(data);
}

/* What pprof prints; to be freed. */
static char *pprof(const char *options, const char *file)
{
	const size_t most = 1 << 20;
	char command[512], *text = calloc(1, most);

	snprintf(command, sizeof(command),
		 "$(command -v go || echo /usr/local/go/bin/go) tool pprof -nodecount=1000000 "
		 "-nodefraction=0 -edgefraction=0 -unit=ns %s %s 2>&1",
		 options, file);
	FILE *in = popen(command, "r");

	assert_true(in && text);
	assert_true(fread(text, 1, most - 1, in) < most - 1);
	if (pclose(in))
		fail_msg("%s\n%s", command, text);
	return text;
}

/* The flat value that `top` lists for the function; 0 when it lists none. */
static uint64_t flat_of(const char *top, const char *name)
{
	char line[512];

	for (const char *at = strstr(top, "flat%"); at && (at = strchr(at, '\n'));) {
		const char *end = strchr(++at, '\n');
		char *function;

		if (!end || (size_t)(end - at) >= sizeof(line))
			break;
		snprintf(line, sizeof(line), "%.*s", (int)(end - at), at);
		function = strrchr(line, '%');
		if (function && !strcmp(function + strspn(function, "% "), name))
			return strtoull(line, NULL, 10);
	}
	return 0;
}

TEST(test_top)
{
	if (!has_go())
		skip();
	for (size_t i = 0; i < N_TRACES; i++) {
		char file[TRACE_PATH_BYTES], path[256];
		struct loaded_trace trace;

		profile(traces[i], &(struct export_options){ 0 }, file);
		char *self = pprof("-top", file), *calls = pprof("-top -sample_index=calls", file);

		snprintf(path, sizeof(path), "fixtures/traces/%s.gotrace", traces[i]);
		struct trace_reader *r = trace_reader_open(path);

		assert_non_null(r);
		assert_int_equal(trace_load(&trace, r, NULL, NULL), 0);
		for (size_t f = 0; f < trace.n_funcs; f++) {
			assert_int_equal(flat_of(self, trace_name_func(trace.info, (uint32_t)f)),
					 trace.funcs[f].self_ns);
			assert_int_equal(flat_of(calls, trace_name_func(trace.info, (uint32_t)f)),
					 trace.funcs[f].calls);
		}
		trace_unload(&trace);
		trace_reader_close(r);
		free(self);
		free(calls);
		unlink(file);
	}
}

/* Edges of go statements: there, with the statement's line, or cut. */
TEST(test_go_edges)
{
	char file[TRACE_PATH_BYTES];

	if (!has_go())
		skip();
	profile("chain.go1.27.thesis", &(struct export_options){ 0 }, file);
	char *tree = pprof("-tree", file), *raw = pprof("-raw", file), id[128];
	struct trace_reader *r = trace_reader_open("fixtures/traces/chain.go1.27.thesis.gotrace");

	assert_non_null(r);
	snprintf(id, sizeof(id), "/chain %s [FN][FL][LN]",
		 trace_info_get(trace_reader_info(r), "binary.build_id"));
	trace_reader_close(r);

	assert_non_null(strstr(tree, "[go]main.right"));
	/* From Go 1.23 on a column stands behind the line. */
	assert_non_null(strstr(raw, "[go]main.left gotrace.example/programs/chain/main.go:31"));
	assert_non_null(strstr(raw, "main.main gotrace.example/programs/chain/main.go:20"));
	assert_non_null(strstr(raw, " s=20\n"));
	assert_non_null(strstr(
		raw,
		"calls/count wall/nanoseconds[dflt] morestack/nanoseconds preempt/nanoseconds"));
	/* The mapping is the text segment, so that -disasm finds the code; file and build id. */
	assert_non_null(strstr(raw, "1: 0x400000/0x4"));
	assert_non_null(strstr(raw, id));
	free(tree);
	free(raw);
	unlink(file);
	profile("chain.go1.27.thesis", &(struct export_options){ .no_go_edges = true }, file);
	tree = pprof("-tree", file);
	assert_null(strstr(tree, "[go]"));
	free(tree);
	unlink(file);
}

/* The line of one call. */
static uint32_t one_line(void *ctx, uint32_t caller, uint32_t callee)
{
	const struct trace_info *info = ctx;

	return !strcmp(info->funcs[caller].name, "main.nested") &&
			       !strcmp(info->funcs[callee].name, "main.cleanup")
		       ? 61
		       : 0;
}

/* A caller stands at the line of its call, where that is known, and its own time at its begin. */
TEST(test_call_lines)
{
	char file[TRACE_PATH_BYTES];

	if (!has_go())
		skip();
	struct trace_reader *r = trace_reader_open("fixtures/traces/panics.emulated.gotrace");

	assert_non_null(r);
	profile("panics.emulated",
		&(struct export_options){ .call_line = one_line,
					  .call_ctx = (void *)(uintptr_t)trace_reader_info(r) },
		file);
	trace_reader_close(r);
	char *raw = pprof("-raw", file);

	assert_non_null(strstr(raw, "main.nested gotrace.example/programs/panics/main.go:61"));
	assert_non_null(strstr(raw, "main.nested gotrace.example/programs/panics/main.go:58"));
	assert_null(strstr(raw, "main.guard gotrace.example/programs/panics/main.go:61"));
	free(raw);
	unlink(file);
}

TEST(test_goroutines)
{
	char file[TRACE_PATH_BYTES];

	if (!has_go())
		skip();
	profile("hop.emulated", &(struct export_options){ .goroutines = true }, file);
	char *tags = pprof("-tags", file), *one = pprof("-top -tagfocus=goroutine=1", file),
	     *all = pprof("-top", file);

	assert_non_null(strstr(tags, "goroutine: "));
	assert_int_equal(flat_of(one, "main.main"), flat_of(all, "main.main"));
	assert_true(flat_of(all, "main.main") > 0);
	free(tags);
	free(one);
	free(all);
	unlink(file);
}

/* Many go statements, each of which starts two goroutines: each frame [go] has a name and line. */
TEST(test_go_statements)
{
	enum { STATEMENTS = 500, BYTES = 1 << 18 };
	char *text = calloc(1, BYTES), *got = NULL, trace[TRACE_PATH_BYTES], want[128];
	size_t n, size;
	FILE *in = fmemopen(text, BYTES, "w"), *out = open_memstream(&got, &size);

	assert_true(in && out);
	for (unsigned i = 0; i < STATEMENTS; i++)
		fprintf(in, "@pc %#x main.main file=/src/main.go line=%u\n", 0x401000 + i, i + 1);
	fprintf(in, "1 entry main.main 100 1000\n");
	for (unsigned i = 0; i < 2 * STATEMENTS; i++) {
		unsigned ts_ns = 2000 + 10 * i;

		fprintf(in, "1 create - 0 %u arg0=%u arg1=%#x arg2=0\n", ts_ns, i + 2,
			0x401000 + i % STATEMENTS);
		fprintf(in, "%u entry main.w%u 100 %u\n", i + 2, i, ts_ns + 1);
		fprintf(in, "%u exit main.w%u 100 %u\n", i + 2, i, ts_ns + 2);
	}
	assert_int_equal(fclose(in), 0);
	fixture_write_text(text, true, trace);
	char *data = fixture_export(trace, "pprof", &(struct export_options){ 0 }, &n);

	fixture_print_pprof(data, n, out);
	assert_int_equal(fclose(out), 0);
	for (unsigned i = 0; i < 2 * STATEMENTS; i++) {
		snprintf(want, sizeof(want),
			 " main.w%u [go]main.w%u(/src/main.go:%u 0 M0) main.main\n", i, i,
			 i % STATEMENTS + 1);
		assert_non_null(strstr(got, want));
	}
	unlink(trace);
	free(data);
	free(text);
	free(got);
}

TESTS(test_top, test_go_edges, test_call_lines, test_goroutines, test_go_statements)
