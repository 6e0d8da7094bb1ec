// SPDX-License-Identifier: BSD-2-Clause
/*
 * Recordings of samples that are well formed and make no sense, into every report and export
 * (libFuzzer; ci/fuzz.sh). The input is a list of what a trace writer is given: processes, images,
 * labels, stacks, symbols, samples, deaths. What the writer refuses is left out, so that all traces
 * are accepted.
 *
 * An input: which output, whether the trace is cut short, then a byte that says what comes next and
 * the bytes that it needs; missing ones are 0.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "cli/outputs_fixture.h"
#include "trace/keys.h"
#include "trace/samples.h"

#define THINGS_MAX 300
#define FRAMES_MAX 40

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void silence(void *ctx, enum log_level level, const char *line)
{
	(void)ctx;
	(void)level;
	if (!*line)
		abort(); /* an error has words */
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	log_set_sink(silence, NULL);
	return 0;
}

/* ---- the input */

struct input {
	const uint8_t *at;
	size_t left;
};

static unsigned byte(struct input *in)
{
	if (!in->left)
		return 0;
	in->left--;
	return *in->at++;
}

static const uint64_t numbers[] = {
	0,
	1,
	1000,
	0x401000,
	0x7fffffff,
	0xffffffff,
	0x100000000,
	0x7fffffffffffffff,
	0x8000000000000000,
	0xffffffff81000000,
	0xfffffffffffffffe,
	UINT64_MAX,
};
#define NUMBERS (sizeof(numbers) / sizeof(*numbers))

/* A small number, or one at an end of what there is. */
static uint64_t number(struct input *in)
{
	unsigned n = byte(in);

	return n < 240 ? n : numbers[byte(in) % NUMBERS];
}

/* An index of something of which there are n, or one too many. */
static uint32_t one_of(struct input *in, size_t n)
{
	return byte(in) % (uint32_t)(n + 1);
}

static const char *const names[] = {
	"main.f", "",       "a;b,\"c\"",           "\xff\xfe", "\x1b[31m", "=1+1", "<b>&amp;</b>",
	"%s%n",   "a\nb",   "runtime.goexit",      "[go]",     "[other]",  "main", "\xe2\x80\xae",
	"main.g", "main.f", "main.(*T[...]).m-fm", "start",
};
static const char *name(struct input *in)
{
	return names[byte(in) % (sizeof(names) / sizeof(*names))];
}

/* ---- what is written */

static void add_stack(struct trace_writer *w, struct input *in, const struct sample_tables *t)
{
	uint64_t pcs[FRAMES_MAX];
	uint32_t number_of;
	struct sample_stack s = { .process = one_of(in, t ? t->n_processes : 0),
				  .n = byte(in) % FRAMES_MAX,
				  .pcs = pcs,
				  .flags = byte(in) % (STACK_FLAGS + 1) };

	for (uint32_t i = 0; i < s.n; i++)
		pcs[i] = number(in);
	trace_writer_stack(w, &s, &number_of);
}

static void add_image(struct trace_writer *w, struct input *in, const struct sample_tables *t)
{
	uint32_t number_of;
	struct sample_image i = { .process = byte(in) % 4 ? one_of(in, t ? t->n_processes : 0)
							  : TRACE_NONE,
				  .start = number(in),
				  .end = number(in),
				  .file_off = number(in),
				  .path = name(in),
				  .build_id_len = byte(in) % (SAMPLE_BUILD_ID_BYTES + 1),
				  .kind = byte(in) % IMAGE_KINDS,
				  .from_ns = number(in) };

	trace_writer_image(w, &i, &number_of);
}

static void add_labels(struct trace_writer *w, struct input *in)
{
	const char *keys[4], *values[4];
	uint32_t number_of;
	struct sample_labels l = { .n = byte(in) % 5, .keys = keys, .values = values };

	for (size_t i = 0; i < l.n; i++) {
		keys[i] = name(in);
		values[i] = name(in);
	}
	trace_writer_labels(w, &l, &number_of);
}

/* A symbol, and an address that is in it and in some before. */
static void add_location(struct sample_tables *symbols, struct input *in,
			 const struct sample_tables *t)
{
	struct sample_frame frames[3];
	const char *text = name(in);
	struct sample_symbol s = { .name = text,
				   .linker = byte(in) % 2 ? name(in) : NULL,
				   .file = byte(in) % 2 ? name(in) : NULL,
				   .start_line = (uint32_t)number(in),
				   .kind = byte(in) % SYMBOL_KINDS };
	struct sample_location l = { .pc = number(in),
				     .process = byte(in) % 4 ? one_of(in, t ? t->n_processes : 0)
							     : TRACE_NONE,
				     .n = byte(in) % 4,
				     .frames = frames };

	sample_tables_symbol(symbols, &s);
	for (uint32_t i = 0; i < l.n; i++)
		frames[i] = (struct sample_frame){ one_of(in, symbols->n_symbols),
						   (uint32_t)number(in) };
	sample_tables_location(symbols, &l);
}

static void add_sample(struct trace_writer *w, struct input *in, const struct sample_tables *t)
{
	struct sample s = { .ts_ns = number(in),
			    .goid = number(in),
			    .weight_ns = number(in),
			    .process = one_of(in, t ? t->n_processes : 0),
			    .tid = (uint32_t)number(in),
			    .stack = one_of(in, t ? t->n_stacks : 0),
			    .labels = one_of(in, t ? t->n_labels : 0) };

	if (byte(in) % 2) {
		s.state = byte(in) % (SAMPLE_STATE_UNKNOWN + 2);
		s.reason = byte(in);
	}
	trace_writer_sample(w, &s);
}

static void add_death(struct trace_writer *w, struct input *in, const struct sample_tables *t)
{
	struct sample_death d = { .ts_ns = number(in),
				  .goid = number(in),
				  .process = one_of(in, t ? t->n_processes : 0),
				  .tid = (uint32_t)number(in),
				  .stack = one_of(in, t ? t->n_stacks : 0),
				  .signal = byte(in),
				  .kind = byte(in) % (DEATH_KINDS + 1) };

	trace_writer_death(w, &d);
}

static void add(struct trace_writer *w, struct sample_tables *symbols, struct input *in)
{
	const struct sample_tables *t = trace_writer_tables(w);
	uint32_t number_of;

	switch (byte(in) % 16) {
	case 0: {
		struct sample_process p = { .pid = (uint32_t)number(in), .comm = name(in) };

		p.exe = byte(in) % 2 ? name(in) : NULL;
		p.start_ns = number(in);
		trace_writer_process(w, &p, &number_of);
		break;
	}
	case 1:
		add_image(w, in, t);
		break;
	case 2:
		add_labels(w, in);
		break;
	case 3:
	case 4:
	case 5:
		add_stack(w, in, t);
		break;
	case 6:
	case 7:
		add_location(symbols, in, t);
		break;
	case 8:
		add_death(w, in, t);
		break;
	case 9:
		trace_writer_flush(w);
		break;
	default:
		add_sample(w, in, t);
	}
}

static void add_keys(struct trace_info *info, struct input *in)
{
	static const char *const keys[] = {
		KEY_SAMPLE_FREQUENCY,     KEY_SAMPLE_COUNT,       KEY_SAMPLE_EVENT,
		KEY_SAMPLE_KERNEL,        KEY_SAMPLE_WALL,        KEY_SAMPLE_LABELS,
		KEY_STATES_REASON ".0",   KEY_STATES_REASON ".1", KEY_WARN_MAPS,
		KEY_CLOCK_MONOTONIC_NS,   KEY_WARN_THREADS,       KEY_END_SNAPSHOTS,
		KEY_END_SNAPSHOTS_LISTED, KEY_END_THREADS_LISTED, KEY_END_THREADS_SNAPSHOTS,
		KEY_END_STRETCH_FROM_NS,  KEY_END_STRETCH_TO_NS,  KEY_END_SAMPLES_EARLY,
	};

	for (unsigned n = byte(in) % 8; n > 0; n--) {
		const char *key = keys[byte(in) % (sizeof(keys) / sizeof(*keys))];

		if (byte(in) % 2)
			trace_info_set(info, key, name(in));
		else
			trace_info_setf(info, key, "%llu", (unsigned long long)number(in));
	}
}

/* The trace in memory, -1: it could not be written. */
static int write_trace(struct input *in)
{
	struct sample_tables symbols = { 0 };
	struct trace_info info = { 0 };
	int fd = memfd_create("trace", MFD_CLOEXEC), kept = dup(fd);
	bool cut = byte(in) & 1;

	if (fd < 0 || kept < 0 || trace_info_set(&info, KEY_MODE, MODE_SAMPLES))
		abort();
	add_keys(&info, in);
	struct trace_writer *w = trace_writer_new(fd, &info);

	for (unsigned n = 0; w && in->left && n < THINGS_MAX; n++)
		add(w, &symbols, in);
	if (w && !sample_tables_sort(&symbols))
		trace_writer_symbols(w, &symbols);
	if (w && cut)
		trace_writer_abort(w);
	else if (w)
		trace_writer_finish(w, NULL, 0);
	sample_tables_free(&symbols);
	trace_info_free(&info);
	if (w)
		return kept;
	close(kept);
	return -1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	unsigned which = byte(&in) & 127;
	char path[32];
	int fd = size > 2 ? write_trace(&in) : -1;

	if (fd < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	outputs_print(path, "fixtures/samples/shares.gotrace", which);
	close(fd);
	return 0;
}
