// SPDX-License-Identifier: BSD-2-Clause
#include "trace/samples_fixture.h"

#include <errno.h>
#include <fcntl.h>

#include "trace/keys.h"

enum {
	AT_MAIN_ONE = 0x401100,
	AT_MAIN_TWO = 0x401200,
	AT_ONE = 0x402000,
	AT_TWO = 0x403000,
	AT_LEAF = 0x404000,
	AT_GOEXIT = 0x405000,
	AT_C = 0x406000,
	AT_NOWHERE = 0x999000
};
#define AT_KERNEL 0xffffffff81000010ull

/* Stacks, which process 0 has, and who took how many samples in them. */
static const uint64_t one[] = { AT_LEAF, AT_ONE, AT_MAIN_ONE, AT_GOEXIT },
		      two[] = { AT_TWO, AT_MAIN_TWO, AT_GOEXIT },
		      deep[] = { AT_KERNEL, AT_ONE, AT_ONE, AT_MAIN_ONE, AT_GOEXIT },
		      c_part[] = { AT_C }, nowhere[] = { AT_NOWHERE, AT_GOEXIT };

static const struct sample_stack stacks[] = {
	{ 0, 4, one, 0 },
	{ 0, 3, two, 0 },
	{ 0, 5, deep, 0 },
	{ 0, 1, c_part, STACK_SYSTEM | STACK_UNREADABLE },
	{ 0, 2, nowhere, STACK_CUT },
};

static const struct {
	uint32_t stack, tid;
	uint64_t goid;
	bool label;
} taken[FIXTURE_SAMPLES] = {
	{ 0, 101, 1, false }, { 0, 101, 1, true },  { 0, 102, 7, true },  { 1, 101, 1, false },
	{ 1, 102, 7, false }, { 1, 102, 7, false }, { 2, 101, 1, false }, { 3, 103, 0, false },
	{ 0, 102, 7, true },  { 4, 101, 1, false },
};

static const struct sample_symbol symbols[] = {
	{ "main.main", NULL, "/src/main.go", 10, SYMBOL_GO },
	{ "main.one", NULL, "/src/main.go", 20, SYMBOL_GO },
	{ "main.two", NULL, "/src/main.go", 30, SYMBOL_GO },
	{ "main.leaf", NULL, "/src/leaf.go", 3, SYMBOL_GO },
	{ "runtime.goexit", "runtime.goexit.abi0", "/go/asm.s", 1700, SYMBOL_GO },
	{ "work(int)", "_Z4worki", NULL, 0, SYMBOL_NATIVE },
	{ "[nowhere+0x999000]", NULL, NULL, 0, SYMBOL_UNKNOWN },
	{ "do_syscall_64", NULL, NULL, 0, SYMBOL_KERNEL },
};

static const struct sample_frame main_one[] = { { 0, 12 } }, main_two[] = { { 0, 13 } },
				 in_one[] = { { 1, 22 } }, in_two[] = { { 3, 5 }, { 2, 32 } },
				 leaf[] = { { 3, 5 } }, goexit[] = { { 4, 1701 } },
				 in_c[] = { { 5, 0 } }, unknown[] = { { 6, 0 } },
				 kernel[] = { { 7, 0 } };

static const struct sample_location locations[] = {
	{ AT_MAIN_ONE, 0, 1, main_one },
	{ AT_MAIN_TWO, 0, 1, main_two },
	{ AT_ONE, 0, 1, in_one },
	{ AT_TWO, 0, 2, in_two },
	{ AT_LEAF, 0, 1, leaf },
	{ AT_GOEXIT, 0, 1, goexit },
	{ AT_C, 0, 1, in_c },
	{ AT_NOWHERE, 0, 1, unknown },
	{ AT_KERNEL, TRACE_NONE, 1, kernel },
};

static int write_tables(struct trace_writer *w)
{
	const struct sample_process process = { 4711, "prog", "/bin/prog", 5 };
	const struct sample_image image = { .start = 0x400000,
					    .end = 0x500000,
					    .path = "/bin/prog",
					    .build_id = { 1, 2, 3 },
					    .build_id_len = 3,
					    .kind = IMAGE_FILE,
					    .from_ns = 6 },
				  in_kernel = { .process = TRACE_NONE,
						.start = 0xffffffff81000000ull,
						.end = 0xffffffff82000000ull,
						.path = "[kernel]",
						.kind = IMAGE_KERNEL };
	uint32_t number;
	int err = trace_writer_process(w, &process, &number);

	if (!err)
		err = trace_writer_image(w, &image, &number);
	return err ? err : trace_writer_image(w, &in_kernel, &number);
}

int samples_fixture_write(struct trace_writer *w, bool with_symbols)
{
	static const char *const keys[] = { "handler" }, *const values[] = { "/index" };
	const struct sample_labels labels = { 1, keys, values };
	int err = write_tables(w);

	for (uint32_t i = 0; i < FIXTURE_SAMPLES && !err; i++) {
		struct sample s = { .ts_ns = 1000000000 + i * (uint64_t)FIXTURE_WEIGHT_NS,
				    .goid = taken[i].goid,
				    .weight_ns = FIXTURE_WEIGHT_NS,
				    .tid = taken[i].tid };

		err = trace_writer_stack(w, &stacks[taken[i].stack], &s.stack);
		if (!err && taken[i].label)
			err = trace_writer_labels(w, &labels, &s.labels);
		if (!err)
			err = trace_writer_sample(w, &s);
	}
	const struct sample_tables of = {
		.symbols = (struct sample_symbol *)(uintptr_t)symbols,
		.n_symbols = sizeof(symbols) / sizeof(symbols[0]),
		.locations = (struct sample_location *)(uintptr_t)locations,
		.n_locations = sizeof(locations) / sizeof(locations[0]),
	};
	struct sample_tables early = of; /* as of a process that has ended */

	early.n_locations = 1;
	if (!err && with_symbols)
		err = trace_writer_symbols(w, &early);
	return err || !with_symbols ? err : trace_writer_symbols(w, &of);
}

static int write_file(const char *path, bool with_symbols, const struct trace_kv *of, size_t n_of)
{
	struct trace_kv end[] = {
		{ (char *)(uintptr_t)KEY_END_REASON, (char *)(uintptr_t) "exited" },
		{ (char *)(uintptr_t)KEY_END_SAMPLES, (char *)(uintptr_t) "10" },
		{ (char *)(uintptr_t)KEY_END_STRETCH_FROM_NS,
		  (char *)(uintptr_t)FIXTURE_STRETCH_FROM_NS },
		{ (char *)(uintptr_t)KEY_END_STRETCH_TO_NS,
		  (char *)(uintptr_t)FIXTURE_STRETCH_TO_NS },
		{ (char *)(uintptr_t)KEY_END_SAMPLES_LOST, (char *)(uintptr_t) "2" },
		{ (char *)(uintptr_t)KEY_END_SAMPLES_CUT, (char *)(uintptr_t) "1" },
		{ (char *)(uintptr_t)KEY_END_SAMPLES_UNREADABLE, (char *)(uintptr_t) "1" },
		{ (char *)(uintptr_t)KEY_END_SAMPLES_UNRESOLVED, (char *)(uintptr_t) "1" }
	};
	struct trace_info info = { 0 };
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int err = fd < 0 ? -errno : trace_info_set(&info, KEY_MODE, MODE_SAMPLES);

	for (size_t i = 0; i < n_of && !err; i++)
		err = trace_info_set(&info, of[i].key, of[i].value);
	if (!err)
		err = trace_info_set(&info, KEY_COMMAND, "prog");
	struct trace_writer *w = err ? NULL : trace_writer_new(fd, &info);
	trace_info_free(&info);
	if (!w)
		return err ? err : -EIO;
	err = samples_fixture_write(w, with_symbols);
	if (err) {
		trace_writer_abort(w);
		return err;
	}
	return trace_writer_finish(w, end, sizeof(end) / sizeof(end[0]));
}

#define KV(k, v)                                               \
	{                                                      \
		(char *)(uintptr_t)(k), (char *)(uintptr_t)(v) \
	}

int samples_fixture_file(const char *path, bool with_symbols)
{
	const struct trace_kv of[] = { KV(KEY_SAMPLE_FREQUENCY, "100"),
				       KV(KEY_SAMPLE_EVENT, "cpu-clock") };

	return write_file(path, with_symbols, of, 2);
}

int samples_fixture_event(const char *path, const char *event, const char *count)
{
	const struct trace_kv of[] = { KV(KEY_SAMPLE_EVENT, event), KV(KEY_SAMPLE_COUNT, count) };

	return write_file(path, true, of, count ? 2 : 1);
}
