// SPDX-License-Identifier: BSD-2-Clause
#include "trace/programs_fixture.h"

#include <errno.h>
#include <fcntl.h>

#include "trace/keys.h"
#include "trace/samples.h"

enum { AT_MAIN = 0x401100, AT_WORK = 0x402000, AT_NOWHERE = 0x403000 };
enum { SHELL, PROG, KID, KID_AGAIN, IDLE, PROCESSES };

static const uint64_t work[] = { AT_WORK, AT_MAIN }, nowhere[] = { AT_NOWHERE, AT_MAIN };

static const struct sample_symbol symbols[] = {
	{ "main.main", NULL, "/src/main.go", 10, SYMBOL_GO },
	{ "main.work", NULL, "/src/main.go", 20, SYMBOL_GO },
};
static const struct sample_frame in_main[] = { { 0, 12 } }, in_work[] = { { 1, 22 } };

/* Who took how many samples in what. */
static const struct {
	struct sample_stack stack;
	unsigned samples;
} taken[] = {
	{ { PROG, 2, work, 0 }, 6 },
	{ { KID, 2, work, 0 }, 3 },
	{ { KID_AGAIN, 2, nowhere, 0 }, 1 },
};

static int write_tables(struct trace_writer *w, const struct programs_fixture *of)
{
	const char *kid = of->kid ?: "/opt/kid", *prog = of->prog ?: "/bin/prog";
	const struct sample_process processes[PROCESSES] = {
		{ 10, "sh", "/bin/sh", 5 }, { 11, "prog", prog, 6 }, { 12, "kid", kid, 7 },
		{ 13, "kid", kid, 8 },      { 14, "kid", kid, 9 },
	};
	uint32_t number;
	int err = 0;

	for (uint32_t i = 0; i < PROCESSES && !err; i++) {
		const struct sample_image image = { .process = i,
						    .start = 0x400000,
						    .end = 0x500000,
						    .path = processes[i].exe,
						    .build_id = { 'G', 'o', (uint8_t)i },
						    .build_id_len = i % 2 ? FILE_ID_GO_BYTES : 3,
						    .kind = IMAGE_FILE };

		err = trace_writer_process(w, &processes[i], &number);
		if (!err)
			err = trace_writer_image(w, &image, &number);
	}
	return err;
}

static int write_samples(struct trace_writer *w, const struct programs_fixture *of)
{
	const unsigned times = of->times ?: 1;
	uint64_t at_ns = 1000000000;
	int err = 0;

	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]) && !err; i++) {
		struct sample s = { .weight_ns = PROGRAMS_WEIGHT_NS,
				    .process = taken[i].stack.process,
				    .tid = 10 + taken[i].stack.process };

		if (s.process != PROG && !of->kid)
			continue;
		err = trace_writer_stack(w, &taken[i].stack, &s.stack);
		for (unsigned k = 0; k < times * taken[i].samples && !err; k++) {
			s.goid = taken[i].stack.process == PROG && k >= of->outside;
			s.ts_ns = at_ns += PROGRAMS_WEIGHT_NS;
			err = trace_writer_sample(w, &s);
		}
	}
	return err;
}

static int write_symbols(struct trace_writer *w)
{
	struct sample_location locations[2 * PROCESSES];
	size_t n = 0;

	for (uint32_t i = 0; i < PROCESSES; i++) {
		locations[n++] = (struct sample_location){ AT_MAIN, i, 1, in_main };
		locations[n++] = (struct sample_location){ AT_WORK, i, 1, in_work };
	}
	return trace_writer_symbols(w,
				    &(struct sample_tables){
					    .symbols = (struct sample_symbol *)(uintptr_t)symbols,
					    .n_symbols = sizeof(symbols) / sizeof(symbols[0]),
					    .locations = locations,
					    .n_locations = n,
				    });
}

int programs_fixture_write(const char *path, const struct programs_fixture *of)
{
	struct trace_info info = { 0 };
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int err = fd < 0 ? -errno : trace_info_set(&info, KEY_MODE, MODE_SAMPLES);

	if (!err)
		err = trace_info_set(&info, KEY_SAMPLE_EVENT, "cpu-clock");
	if (!err)
		err = trace_info_set(&info, KEY_SAMPLE_FREQUENCY, "100");
	struct trace_writer *w = err ? NULL : trace_writer_new(fd, &info);

	trace_info_free(&info);
	if (!w)
		return err ? err : -EIO;
	err = write_tables(w, of);
	if (!err)
		err = write_samples(w, of);
	if (!err)
		err = write_symbols(w);
	if (err) {
		trace_writer_abort(w);
		return err;
	}
	return trace_writer_finish(w, NULL, 0);
}

int programs_fixture_file(const char *path, const char *kid)
{
	return programs_fixture_write(path, &(struct programs_fixture){ .kid = kid });
}
