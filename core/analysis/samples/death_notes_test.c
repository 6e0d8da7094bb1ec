// SPDX-License-Identifier: BSD-2-Clause
/* Sentences about deaths, of stacks made up here. */
#include "base/test_fixture.h"
#include "analysis/samples/death_notes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/trace.h"

static const char *const names[] = { "runtime.startpanic_m",
				     "runtime.gopanic",
				     "runtime.sigpanic",
				     "main.f",
				     "main.main",
				     "runtime.goexit",
				     "runtime.futex",
				     "work",
				     "_start" };
enum { START, PANIC, SIGPANIC, F, MAIN, GOEXIT, FUTEX, WORK, BEGIN, N_NAMES };

static struct sample_tables t;

/* A process, and the address of each name. */
static void add_process(uint32_t pid)
{
	const uint32_t process = (uint32_t)t.n_processes;

	assert_int_equal(
		sample_tables_process(&t, &(struct sample_process){ pid, "prog", NULL, 0 }), 0);
	for (uint32_t i = 0; i < N_NAMES; i++) {
		const struct sample_frame frame = { i, 0 };
		const struct sample_symbol s = { .name = names[i] };

		if (!process)
			assert_int_equal(sample_tables_symbol(&t, &s), 0);
		assert_int_equal(sample_tables_location(&t, &(struct sample_location){ i, process,
										       1, &frame }),
				 0);
	}
	assert_int_equal(sample_tables_sort(&t), 0);
}

/* Frames end at -1. */
static void add_death(uint8_t kind, uint8_t signal, uint32_t tid, uint64_t goid, uint32_t flags,
		      const int *frames)
{
	uint64_t pcs[16];
	struct sample_stack s = { .process = (uint32_t)t.n_processes - 1,
				  .pcs = pcs,
				  .flags = flags };

	for (; frames[s.n] >= 0; s.n++)
		pcs[s.n] = (uint64_t)frames[s.n];
	assert_int_equal(sample_tables_stack(&t, &s), 0);
	/* alike ones are one stack, as a writer has it */
	uint32_t number = (uint32_t)t.n_stacks - 1;
	for (uint32_t i = number; i-- > 0;)
		if (t.stacks[i].process == s.process && t.stacks[i].n == s.n &&
		    !memcmp(t.stacks[i].pcs, pcs, s.n * 8))
			number = i;
	const struct sample_death d = { 1, goid, s.process, tid, number, signal, kind };

	assert_int_equal(sample_tables_death(&t, &d), 0);
}
#define FRAMES(...) ((const int[]){ __VA_ARGS__, -1 })

static void assert_told(size_t n, const char *const *lines)
{
	struct notes told = { 0 };

	deaths_notes(&t, &told);
	assert_int_equal(told.n, n);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(told.lines[i], lines[i]);
	notes_free(&told);
	sample_tables_free(&t);
}
#define TOLD(...)                                                             \
	assert_told(sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *), \
		    (const char *const[]){ __VA_ARGS__ })

TEST(nothing_died)
{
	struct notes told = { 0 };

	deaths_notes(NULL, &told);
	assert_int_equal(told.n, 0);
}

TEST(panics)
{
	add_process(7);
	add_death(DEATH_PANIC, 0, 7, 1, STACK_SYSTEM, FRAMES(START, PANIC, F, MAIN, GOEXIT));
	TOLD("prog 7 died of a Go panic in main.f < main.main < runtime.goexit (thread 7, goroutine 1)");
	/* A fault that was recovered from is not why. */
	add_process(7);
	add_death(DEATH_PANIC, 11, 7, 1, STACK_SYSTEM, FRAMES(START, PANIC, F));
	TOLD("prog 7 died of a Go panic in main.f (thread 7, goroutine 1)");
	add_process(7);
	add_death(DEATH_PANIC, 11, 7, 1, STACK_SYSTEM, FRAMES(START, PANIC, SIGPANIC, F));
	TOLD("prog 7 died of SIGSEGV (a Go panic) in main.f (thread 7, goroutine 1)");
	add_process(7);
	add_death(DEATH_PANIC, 6, 8, 0, STACK_SIGNAL, FRAMES(START, WORK));
	TOLD("prog 7 died of SIGABRT (ended by Go's runtime) in work (thread 8)");
	add_process(7);
	add_death(DEATH_PANIC, 0, 8, 0, STACK_SYSTEM | STACK_UNREADABLE, FRAMES(START, GOEXIT));
	TOLD("prog 7 died of a Go fatal error in runtime.startpanic_m < runtime.goexit < [unreadable] (thread 8)");
}

TEST(signals)
{
	add_process(7);
	add_death(DEATH_SIGNAL, 11, 9, 0, 0, FRAMES(WORK, BEGIN));
	add_death(DEATH_THREAD, 11, 7, 0, 0, FRAMES(FUTEX, BEGIN));
	add_death(DEATH_THREAD, 11, 8, 0, 0, FRAMES(FUTEX, BEGIN));
	add_process(10);
	add_death(DEATH_THREAD, 9, 10, 3, 0, FRAMES(F, MAIN, 99));
	add_process(20);
	add_death(DEATH_THREAD, 15, 20, 0, 0, FRAMES(FUTEX));
	add_death(DEATH_THREAD, 15, 21, 4, 0, FRAMES(F));
	add_process(30);
	add_death(DEATH_PARKED, 0, 0, 5, 0, FRAMES(FUTEX, F, GOEXIT));
	add_death(DEATH_PARKED, 0, 0, 6, 0, FRAMES(FUTEX, F, GOEXIT));
	add_death(DEATH_PARKED, 0, 0, 7, 0, FRAMES(FUTEX, MAIN));
	add_death(DEATH_PARKED, 0, 0, 8, 0, FRAMES(FUTEX, GOEXIT));
	add_death(DEATH_PANIC, 0, 30, 1, STACK_SYSTEM, FRAMES(START, PANIC, F));
	add_death(DEATH_THREAD, 0, 31, 0, 0, FRAMES(FUTEX));
	TOLD("prog 7 died of SIGSEGV in work < _start (thread 9)",
	     "2 threads were then in runtime.futex < _start",
	     "prog 10 died of SIGKILL in main.f < main.main < [unknown+0x63] (thread 10, goroutine 3)",
	     "prog 20 died of SIGTERM", "thread 21, goroutine 4 was then in main.f",
	     "in Go's runtime alone: 1 threads and goroutines; gotrace info -F json has all",
	     "prog 30 died of a Go panic in main.f (thread 30, goroutine 1)",
	     "2 goroutines were then in runtime.futex < main.f < runtime.goexit",
	     "goroutine 7 was then in runtime.futex < main.main",
	     "in Go's runtime alone: 2 threads and goroutines; gotrace info -F json has all");
}

TEST(as_json)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	struct json j;

	add_process(7);
	add_death(DEATH_SIGNAL, 6, 8, 2, 0, FRAMES(F, MAIN));
	json_init(&j, f, false);
	json_open(&j, '{');
	deaths_json(&t, 0, &j);
	json_close(&j, '}');
	fclose(f);
	assert_string_equal(
		text,
		"{\"deaths\":[{\"process\":\"prog\",\"pid\":7,\"thread\":8,\"goroutine\":2,\"time_ns\":1,"
		"\"kind\":\"signal\",\"signal\":\"SIGABRT\",\"stack\":[\"main.f\",\"main.main\"]}]}\n");
	free(text);
	sample_tables_free(&t);
}

TESTS(nothing_died, panics, signals, as_json)
