/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A traced program in miniature. It has a text with one window, its stub, the hook, rings, and the
 * parts of Go's scheduler that the stub reads. It is in memory shared with a child process that
 * executes it under ptrace. Like Go's handlers, the child's preempt at SIGURG and panic at a fault,
 * if they know the pc.
 */
#ifndef GOTRACE_INLINE_WORLD_FIXTURE_H
#define GOTRACE_INLINE_WORLD_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/user.h>

#include "plan/inline_hook.h"
#include "plan/ring.h"

#define WORLD_RINGS 2
#define WORLD_SITE  0x1234567
#define WORLD_SLOTS 4096 /* bytes of slots in a ring */

/* Places in the text. */
enum {
	TEXT_TO_WINDOW = 0xf0, /* a branch to the window */
	TEXT_WINDOW = 0x100,
	TEXT_PADDING = TEXT_WINDOW + 0x40,  /* a jump to the stub, when the window is short */
	TEXT_BRANCH = TEXT_WINDOW + 0x60,   /* target of displaced branches, a breakpoint */
	TEXT_CALLEE = TEXT_WINDOW + 0x200,  /* the function that a displaced call calls */
	TEXT_DATA = TEXT_WINDOW + 0x300,    /* for operands relative to rip */
	TEXT_PREEMPT = TEXT_WINDOW + 0x400, /* SIGURG makes a goroutine call this */
	TEXT_PANIC = TEXT_WINDOW + 0x500,   /* a fault makes it call this, a breakpoint */
	TEXT_RESTORER = TEXT_WINDOW + 0x600,
	TEXT_SIGTRAMP = TEXT_WINDOW + 0x700,
	TEXT_SYSCALL = TEXT_WINDOW + 0x800, /* a syscall instruction and a breakpoint */
};

/* The displaced code and the kind of its stub. */
struct world_case {
	const char *name;
	uint8_t code[16], len;
	uint8_t compare[8], compare_len;
	struct inline_fix fixes[4];
	uint8_t n_fixes;
	bool entry, late, drop, bare, returns;
	uint8_t what;     /* enum inline_tells */
	uint32_t depth;   /* depth of its event, or 0 for that of the stack */
	bool on_g0;       /* r14 is g0, and m.curg the goroutine; one g stands for both */
	uint8_t from, to; /* for INLINE_STATUS: ebx and ecx; rax has the goroutine's address */
	/* every displaced instruction shows it when it is not executed exactly once */
	bool tells;
	uint8_t padding; /* bytes of the jump to it: 2, or 3 with a rex prefix; 0 without padding */
	/* Bytes of the branch to the window, which is to go to the stub: 2 (by way of padding), 5
	 * or 6. 0 when there is no branch. */
	uint8_t branch;
	/* the value of rax (0 for any), and the target of rdi */
	uint64_t rax;
	enum { TO_DATA, NIL, EDGE /* 8 bytes, then nothing is mapped */ } rdi;
};

enum world_policy {
	POLICY_PANIC, /* at a fault at a known pc, it moves pc */
	POLICY_STAY,  /* the handler returns, and the thread tries the instruction again */
};

/* A signal with the registers that the handler saw. */
struct world_signal {
	int32_t sig, code;
	uint64_t regs[23]; /* gregset_t */
};

struct world {
	uint8_t text[4096];
	/* the stub under test, between two stubs of other windows */
	uint8_t before[2048], stub[2048];
	uint8_t hook[8192];
	/* ---- a run changes the members below */
	uint64_t table[512];
	struct ring_signals signals;
	uint8_t g[512], m[WORLD_RINGS][512], p[WORLD_RINGS][64];
	struct {
		struct ring_head head;
		uint8_t pad[RING_DATA - sizeof(struct ring_head)];
		struct ring_slot slots[WORLD_SLOTS / RING_SLOT];
	} rings[WORLD_RINGS];
	uint8_t stack[2048];
	uint32_t policy, n_seen, preempted;
	struct world_signal seen[8];
	uint8_t altstack[32768];
};

/* Begins after the last member of struct world and reaches to the end of its page. */
#define WORLD_BYTES         ((sizeof(struct world) + 16 + 4095) & ~4095ul)
#define WORLD_EDGE          (WORLD_BYTES - 8) /* the last 8 bytes that are mapped */
#define WORLD_G_OTHER_M     256 /* g.m of another thread, where a preempted goroutine continues */
#define WORLD_G_M           48
#define WORLD_G_STATUS      144
#define WORLD_G_GOID        152
#define WORLD_M_P           208
#define WORLD_M_PROCID      72
#define WORLD_M_CURG        184
#define WORLD_G_REASON      176
#define WORLD_G_GOPC        288
#define WORLD_G_STARTPC     304
#define WORLD_G_SCHED_PC    64
#define WORLD_M_MOREBUF_SP  8
#define WORLD_GOID          77
#define WORLD_GOPC          0x123 /* from the text's first byte */
#define WORLD_STARTPC       0x456
#define WORLD_STOPPED_PC    0x789
#define WORLD_STOPPED_USED  128 /* bytes of the stack where a prologue has stopped */
#define WORLD_PROCID(i)     (4000u + (i))
#define WORLD_STACK_BYTE(i) ((uint8_t)((i)*7 + 1)) /* before a run */
#define WORLD_STACK_USED    256                    /* bytes from rsp to the stack's end */

struct child {
	pid_t pid;
	struct world *w;
	const struct world_case *c;
	struct inline_program program;
	struct inline_parts parts;
	bool context_known; /* the first event of ring 0 needs no context slot */
};

/* How a run ended. */
enum world_end {
	END_BACK,   /* after the window */
	END_BRANCH, /* where a branch goes */
	END_PANIC,
	END_LOST, /* anywhere else */
};

/* ---- the world and its child, inline_world_fixture.c */

enum child_handlers {
	HANDLERS_MASKED,  /* installed as by Go: every signal waits until they return */
	HANDLERS_NESTED,  /* others come in between */
	HANDLERS_CHAINED, /* a C handler comes first and calls Go's */
};

/* Makes a world for c and a child that is about to execute its window. */
void child_start(struct child *k, const struct world_case *c, enum child_handlers handlers);
void child_end(struct child *k);
/* Puts stub and hook into the text, or takes them out again. */
void world_patch(struct child *k);
void world_unpatch(struct child *k);
struct inline_stub world_stub(const struct child *k);
/* Resets everything that a run changes. */
void world_reset(struct child *k);
struct user_regs_struct child_first_regs(const struct child *k);
uint64_t world_at(const struct child *k, const void *in_world);

void child_set(const struct child *k, const struct user_regs_struct *regs);
struct user_regs_struct child_get(const struct child *k);
/* Compares all registers but those that are free in the window. `flags` are the flags that the
 * window determines. */
bool child_same_registers(const struct child *k, struct user_regs_struct x,
			  struct user_regs_struct y, uint64_t flags);
/* Executes one instruction, or with `sig` continues to the first instruction of its handler. The
 * signal has a siginfo of `code`. Returns false when the child did not stop at a step. */
bool child_step(const struct child *k, int sig, int code);
/* Continues to a breakpoint at an end. Counts in *traps the jumps that a uprobe would see. */
enum world_end child_run(const struct child *k, int sig, int code, unsigned *traps);
bool at_end(const struct child *k, uint64_t pc, enum world_end *end);
bool in_stub(const struct child *k, uint64_t pc);
int child_syscall(const struct child *k, long nr, long a, long b);

/* ---- events */

struct world_event {
	uint64_t goid, procid, clock;
	uint32_t depth, site, ring;
	uint64_t args[RING_ARGS];
	unsigned n_args;
};
/* Reads the events in the rings, at most 8. `goid` and `procid` are those of the last context
 * slots, 0 before the first. Returns the number of events, or WORLD_BROKEN when a ring is not
 * whole. */
#define WORLD_BROKEN 1000
unsigned world_events(const struct child *k, struct world_event *out);

extern const struct world_case world_cases[];
extern const unsigned n_world_cases;

#endif
