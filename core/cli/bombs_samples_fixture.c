// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "cli/bombs_fixture.h"

#define ADDRESS 0x400000ull

static void put_process(struct trace_writer *w, uint32_t pid)
{
	const struct sample_process process = { .pid = pid, .comm = "bomb" };
	uint32_t number;

	assert_int_equal(trace_writer_process(w, &process, &number), 0);
}

static uint32_t put_stack(struct trace_writer *w, uint32_t process, const uint64_t *pcs, uint32_t n)
{
	const struct sample_stack x = { process, n, pcs, 0 };
	uint32_t number;

	assert_int_equal(trace_writer_stack(w, &x, &number), 0);
	return number;
}

static void put_sample(struct trace_writer *w, const struct sample *like, uint64_t ts_ns)
{
	struct sample s = *like;

	s.ts_ns = ts_ns;
	s.weight_ns = 1000;
	assert_int_equal(trace_writer_sample(w, &s), 0);
}

/* No two stacks have more than their leaf in common, or each sample is of a goroutine of its own.
 */
static void flat(struct trace_writer *w, enum bomb b)
{
	static uint64_t pcs[40];
	const uint32_t n_pcs = sizeof(pcs) / sizeof(*pcs);
	const uint32_t n = bomb_many(b == STACKS ? 20000 : b == FEW_GOROUTINES ? 262000 : 3000000);
	uint32_t stack = 0;

	put_process(w, 1);
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t k = 1; k < n_pcs && b == STACKS; k++)
			pcs[k] = ADDRESS + (uint64_t)(i * k) % 1000;
		if (b == STACKS || !i)
			stack = put_stack(w, 0, pcs, b == STACKS ? n_pcs : 2);
		put_sample(w, &(struct sample){ .goid = i + 1, .stack = stack }, i);
	}
}

/* Stacks as deep as there are, none of which repeats itself: each function on them has a path. */
static void deep(struct trace_writer *w)
{
	static uint64_t pcs[STACK_MAX_FRAMES];
	uint64_t random = 1;

	put_process(w, 1);
	for (uint32_t i = 0; i < bomb_many(12); i++) {
		for (uint32_t k = 0; k < STACK_MAX_FRAMES; k++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			pcs[k] = ADDRESS + (random >> 54);
		}
		put_sample(w,
			   &(struct sample){ .goid = 1,
					     .stack = put_stack(w, 0, pcs, STACK_MAX_FRAMES) },
			   i);
	}
}

/* Each goroutine has the deepest stack that there is; that they waited, where that is asked for, is
 * told with errors, which are kept for each path. */
static void deep_goroutines(struct trace_writer *w, bool waiting)
{
	static uint64_t pcs[STACK_MAX_FRAMES];

	put_process(w, 1);
	for (uint32_t k = 0; k < STACK_MAX_FRAMES; k++)
		pcs[k] = ADDRESS + k;
	const uint32_t stack = put_stack(w, 0, pcs, STACK_MAX_FRAMES);

	for (uint32_t i = 0; i < bomb_many(262000); i++)
		put_sample(w,
			   &(struct sample){ .goid = i + 1,
					     .stack = stack,
					     .state = waiting ? STATE_WAITING : 0,
					     .error_ns = waiting },
			   i);
}

/* Each address is in as many functions as one may be; all of a stack differ from those of others.
 */
static void inlined(struct trace_writer *w)
{
	enum { LOCATIONS = 8000, OF_STACK = 500, SYMBOLS = 4096 };
	static struct sample_frame frames[LOCATION_MAX_FRAMES];
	struct sample_tables found = { 0 };
	uint64_t pcs[OF_STACK];
	char name[16];

	put_process(w, 1);
	assert_int_equal(sample_tables_process(&found, &(struct sample_process){ .pid = 1 }), 0);
	for (uint32_t i = 0; i < SYMBOLS; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		assert_int_equal(
			sample_tables_symbol(&found, &(struct sample_symbol){ .name = name }), 0);
	}
	for (uint32_t i = 0; i < bomb_many(LOCATIONS); i++) {
		for (uint32_t k = 0; k < LOCATION_MAX_FRAMES; k++)
			frames[k].symbol = (i + k) % SYMBOLS;
		const struct sample_location l = { ADDRESS + i, 0, LOCATION_MAX_FRAMES, frames };

		assert_int_equal(sample_tables_location(&found, &l), 0);
	}
	for (uint32_t i = 0; i < bomb_many(LOCATIONS); i += OF_STACK) {
		for (uint32_t k = 0; k < OF_STACK; k++)
			pcs[k] = ADDRESS + i + k;
		put_sample(w,
			   &(struct sample){ .goid = 1, .stack = put_stack(w, 0, pcs, OF_STACK) },
			   i);
	}
	assert_int_equal(trace_writer_symbols(w, &found), 0);
	sample_tables_free(&found);
}

/* With an address in each, in stacks of a hundred. */
static void images(struct trace_writer *w, enum bomb b)
{
	enum { OF_STACK = 100 };
	const uint32_t n = bomb_many(100000);
	uint64_t pcs[OF_STACK];
	uint32_t number;
	char path[32];

	for (uint32_t i = 0; i < (b == PROCESSES ? n : 1); i++)
		put_process(w, i);
	for (uint32_t i = 0; i < n; i++) {
		const uint64_t start = b == PROCESSES ? ADDRESS : ADDRESS + 0x1000ull * i;
		const struct sample_image x = { .process = b == PROCESSES ? i : 0,
						.start = start,
						.end = start + 0x1000,
						.path = path,
						.build_id_len = b == BUILD_IDS ? 20 : 0 };

		snprintf(path, sizeof(path), "/nonexistent/%u", i);
		assert_int_equal(trace_writer_image(w, &x, &number), 0);
		pcs[i % OF_STACK] = start;
		if (b == PROCESSES)
			number = put_stack(w, i, &start, 1);
		else if ((i + 1) % OF_STACK == 0)
			number = put_stack(w, 0, pcs, OF_STACK);
		else
			continue;
		put_sample(w, &(struct sample){ .goid = 1, .process = x.process, .stack = number },
			   i);
	}
}

static void waiting_long(struct trace_writer *w)
{
	const uint64_t pc = ADDRESS;

	put_process(w, 1);
	const uint32_t stack = put_stack(w, 0, &pc, 1);

	for (uint32_t i = 0; i < bomb_many(3000000); i++)
		put_sample(w,
			   &(struct sample){ .goid = i % 1000 + 1,
					     .stack = stack,
					     .state = STATE_WAITING,
					     .error_ns = 1 },
			   i);
}

static void labels(struct trace_writer *w)
{
	uint32_t number;
	char value[16];
	const uint64_t pc = ADDRESS;
	const char *const key = "key", *const values[] = { value };

	put_process(w, 1);
	for (uint32_t i = 0; i < bomb_many(300000); i++) {
		snprintf(value, sizeof(value), "%u", i);
		const struct sample_labels l = { 1, &key, values };

		assert_int_equal(trace_writer_labels(w, &l, &number), 0);
		put_sample(w,
			   &(struct sample){
				   .goid = 1, .stack = put_stack(w, 0, &pc, 1), .labels = number },
			   i);
	}
}

static void deaths(struct trace_writer *w)
{
	static uint64_t pcs[STACK_MAX_FRAMES];

	put_process(w, 1);
	for (uint32_t k = 0; k < STACK_MAX_FRAMES; k++)
		pcs[k] = ADDRESS + k;
	for (uint32_t i = 0; i < bomb_many(16384); i++) {
		pcs[0] = 2 * ADDRESS + i;
		const struct sample_death d = { .ts_ns = i,
						.tid = i + 1,
						.kind = DEATH_THREAD,
						.stack = put_stack(w, 0, pcs, STACK_MAX_FRAMES) };

		assert_int_equal(trace_writer_death(w, &d), 0);
	}
}

void bomb_samples(struct trace_writer *w, enum bomb b)
{
	if (b == DEEP_STACKS)
		deep(w);
	else if (b == INLINED)
		inlined(w);
	else if (b == DEEP_GOROUTINES || b == WAITING_GOROUTINES)
		deep_goroutines(w, b == WAITING_GOROUTINES);
	else if (b == WAITING_LONG)
		waiting_long(w);
	else if (b == LABELS)
		labels(w);
	else if (b == DEATHS)
		deaths(w);
	else if (b > INLINED)
		images(w, b);
	else
		flat(w, b);
}
