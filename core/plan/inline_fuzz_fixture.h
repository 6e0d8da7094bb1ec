/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stops a stub and the hook at each of their instructions, sends each kind of signal there, and
 * compares the result with the same instructions executed without a stub.
 */
#ifndef GOTRACE_INLINE_FUZZ_FIXTURE_H
#define GOTRACE_INLINE_FUZZ_FIXTURE_H

#include "plan/inline_world_fixture.h"

/* The ring's state when the stub runs. */
enum fuzz_ring {
	RING_FRESH, /* a context slot is due, and slots wrap around */
	RING_SAME,  /* goroutine and thread are those of the last event */
	RING_FULL,
	RING_OFF,     /* disabled */
	RING_STOPPED, /* the goroutine is not running, so the stub takes the slow path */
	RING_SILENT,  /* the stub is set to record nothing, likewise */
	RING_TOLD,    /* the stub is set so just when the signal comes */
	RING_RESTS,   /* recording is off */
	FUZZ_RINGS,
};

struct fuzz {
	struct child k;
	enum child_handlers handlers;
	bool nested; /* signals come at the hook's instructions, too */
	bool quiet;  /* failures are counted but not printed */
	uint64_t runs, failures;
};

/* A signal. */
struct shot {
	int sig, code;
	enum world_policy policy;
	const char *name;
};

/* The window without a stub: the states that may be seen, and the end. */
struct reference {
	struct user_regs_struct states[32]; /* before each instruction, and at the end */
	unsigned n;
	enum world_end end; /* END_PANIC: the last state's instruction faults */
	uint64_t flags;     /* the flags that the window determines */
	uint64_t data;
	uint8_t stack[sizeof(((struct world *)0)->stack)];
};

#define WORLD_MUTABLE (sizeof(struct world) - offsetof(struct world, table))

struct snapshot {
	struct user_regs_struct regs;
	uint64_t mask, data;
	unsigned traps;
	uint8_t memory[WORLD_MUTABLE];
};

/* A path through a stub. */
struct walk {
	struct fuzz *f;
	struct reference ref;
	struct snapshot at, hook; /* where a first signal comes, and where a second one does */
	enum fuzz_ring ring;
	struct world start; /* the world before the window */
	const struct shot *first, *second;
	uint64_t first_pc, second_pc;
};

/* Returns true for a signal that the kernel sends at an instruction that cannot be executed. */
bool of_kernel(const struct shot *s);

/* ---- requirements for a run, inline_check_fixture.c */

void make_reference(struct child *k, struct reference *r);
/* Returns the cause of a fault at pc: the record or the program. *original is the address in the
 * text of the program's instruction. */
enum place { OF_RECORD, OF_PROGRAM, OF_NONE };

enum place place_of(const struct child *k, uint64_t pc, uint64_t *original);
/* Returns the number of all events: by stub, by trap, and counted as dropped. */
uint64_t total_events(const struct child *k, unsigned traps);
/* Each returns true, or reports the difference and counts it. */
bool wrong(struct walk *w, const char *what);
bool check_seen(struct walk *w);
bool check_end(struct walk *w, enum world_end end, unsigned traps);
bool check_next(struct walk *w, unsigned traps);
bool check_fault(struct walk *w, enum world_end end, unsigned traps, uint64_t pc, unsigned before);
bool check_signal(struct walk *w, enum place place);

/* ---- the fuzzer, inline_fuzz_fixture.c */

/* Runs all checks for c with a ring in this state. */
void fuzz_case(struct fuzz *f, const struct world_case *c, enum fuzz_ring ring);
/* Does as fuzz_case after `plant` has changed something in the world. `plant` gets `n`. */
enum planted { PLANTED, NOT_PLANTED, NO_MORE };
typedef enum planted fuzz_plant(struct child *k, unsigned n);
enum planted fuzz_planted(struct fuzz *f, const struct world_case *c, enum fuzz_ring ring,
			  fuzz_plant *plant, unsigned n);

#endif
