/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plan of a recording: the functions of a binary to probe, the instructions to probe, and the
 * reason why other functions are not probed. It is made from the binary alone, and constant once it
 * is built.
 */
#ifndef GOTRACE_PLAN_H
#define GOTRACE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "binary/gobin.h"
#include "binary/govalue.h"
#include "binary/wait_reasons.h"
#include "bpf/event.h"

enum probe_strategy {
	PROBE_AUTO,        /* the best one proven on this kernel, for this binary and this mode */
	PROBE_INLINE,      /* stubs write the events themselves, without a trap */
	PROBE_SPRINGBOARD, /* like emulated, with stubs in place of single steps */
	PROBE_EMULATED,    /* entry on the first emulated instruction after the stack check */
	PROBE_THESIS,      /* entry on the symbol's first byte, and every call of morestack */
	PROBE_STRATEGIES,
};
const char *probe_strategy_name(enum probe_strategy s);
/* Returns 0 and *out, or -EINVAL. */
int probe_strategy_parse(const char *name, enum probe_strategy *out);

/* The probed instruction of a stub. */
enum stub_kind {
	STUB_JUMP, /* its jump back; when the trap returns, pc is in Go's text again */
	/* A nop that the kernel turns into a call (ba2bfc97b462, Linux 6.18). Entries get such
	 * stubs too. Functions without a stack check get STUB_JUMP. */
	STUB_NOP5,
	STUB_NOP10, /* like STUB_NOP5 with a longer nop, from Linux 7.2 */
	/* The stub writes the event into a ring (plan/ring.h). Its probed jump back, like that of
	 * STUB_JUMP, serves when it cannot write. */
	STUB_INLINE,
};

/* Facts that inline stubs need. */
struct plan_inline_options {
	const char *obstacle; /* borrowed; a clause why this program can have none, or NULL */
	/* borrowed; NULL when only sites are of interest, as in plan */
	const struct golayout *layout;
	uint32_t ring_bytes; /* bytes of slots in a ring, a power of two */
	bool drop;           /* when the ring is full, count the event and do not trap */
	bool shadow_stack;   /* a stub may push no return address */
};

/* The address of stubs, above the bss of all but giants. brk begins at most 1 GB above it. */
#define PLAN_STUBS_VADDR 0x60000000ull
/* More bytes than all stubs of the largest program and their table of rings take. */
#define PLAN_STUBS_ROOM 0x10000000ull

/* The user's requests. The strings are borrowed. */
struct plan_options {
	/* -p */
	const char *const *packages;
	size_t n_packages;
	/* -f */
	const char *const *globs;
	size_t n_globs;
	/* functions that other options name, in addition to the selection */
	const char *const *also;
	size_t n_also;
	/* -x */
	const char *const *excludes;
	size_t n_excludes;
	unsigned presets; /* PRESET_* (presets.h), in addition */
	/* --args and --ret, FUNCTION(EXPRESSION,...), whose functions are recorded in addition */
	const char *const *args;
	size_t n_args;
	const char *const *rets;
	size_t n_rets;
	bool wrappers;
	bool states;           /* record states of goroutines, too */
	bool states_if_inline; /* record them only where stubs write them */
	bool running;          /* the probes are for a process that runs already */
	bool stubs_below;      /* something is mapped at PLAN_STUBS_VADDR there */
	/* With `running`: also probe functions that a stub cannot record there without a trap. */
	bool traps;
	/* AUTO is planned like INLINE, or like SPRINGBOARD where there can be no inline stubs. A
	 * recording decides whether it uses the stubs. */
	enum probe_strategy strategy;
	enum stub_kind stub;                     /* kind of springboard's stubs */
	struct plan_inline_options inline_stubs; /* for AUTO and INLINE */
};

/* The fate of a selected function. */
enum plan_fate {
	PLAN_PROBED,
	PLAN_EXCLUDED, /* -x */
	PLAN_WRAPPER,  /* compiler-made, --wrappers not given */
	PLAN_ASSEMBLY,
	PLAN_ABI0,    /* g need not be in its register there */
	PLAN_FIPS,    /* its bytes are hashed at start */
	PLAN_REFUSED, /* the kernel refuses a probe on an instruction of it */
	PLAN_LOOP,    /* a loop comes back to its first byte, so each turn would count as a call */
	PLAN_UNDECODABLE,
	PLAN_NO_CODE,
	PLAN_TRAPS,     /* it would trap in a process that runs, --traps not given */
	PLAN_REWRITTEN, /* the program can copy it or write over it, and -f does not name it */
	PLAN_FATES,
};
const char *plan_fate_name(enum plan_fate f); /* one word, stable: "probed", "wrapper", ... */
struct plan;
/* Returns a clause for people, with the registers of the plan's processor. */
const char *plan_fate_reason(const struct plan *p, enum plan_fate f);

/* The BPF program that runs at a site. */
enum site_program { PROGRAM_ENTRY, PROGRAM_EXIT, PROGRAM_RUNTIME, SITE_PROGRAMS };

/* Why a site has a stub, or has none. */
enum stub_reason {
	STUB_NOT_ASKED, /* another strategy, or a site inside the runtime */
	STUB_HAS_ONE,
	STUB_CHEAP, /* one trap without a stub */
	STUB_SHORT,
	STUB_TARGET,
	STUB_FLOW,
	STUB_FAULT,
	STUB_FIXED,   /* enum window_fate */
	STUB_RUNTIME, /* a function of the runtime, because its stacks have no room to spare */
	STUB_VALUES,  /* a probe reads arguments there */
	STUB_ARCH,    /* there are none for the program's processor */
	STUB_REASONS,
};
const char *stub_reason_name(enum stub_reason r);   /* one word, stable */
const char *stub_reason_clause(enum stub_reason r); /* for people */

#define STUB_PROBE_BYTES 5 /* bytes of each probed jump of a stub; these stand in a row */

/* The stub of a site: displaced instructions of the text, and the probe. A jump in the text goes to
 * it, and it jumps back. Offsets are in plan_stubs.code. */
struct site_stub {
	uint8_t why;  /* enum stub_reason */
	uint8_t kind; /* enum stub_kind */
	/* bytes that the jump to the stub replaces, 0 when there is no stub */
	uint8_t displaced_len;
	uint16_t to_frame_bytes; /* from the stack pointer up to the return address, at the probe */
	uint64_t displaced_vaddr;
	uint32_t enter_off; /* target of the jump in the text */
	uint32_t probe_off; /* the probed instruction */
	/* For STUB_INLINE: */
	/* bytes from the stack pointer up to the return address, where the stub takes the depth of
	 * its event */
	uint16_t ring_to_frame_bytes;
	bool keeps_rdx; /* an entry: rdx may hold the closure */
	/* the stub writes its event after the displaced instructions */
	bool late;
	bool has_call; /* the last of them is a call */
	/* the displaced bytes are a RET and padding, so the stub returns in its place */
	bool returns;
	uint8_t n_rip;
	/* offsets of displacements relative to rip, from the first displaced byte, ascending */
	uint8_t rip[4];
	/* Offsets of jumps among the displaced instructions, likewise. For each of them the stub
	 * has a probed jump after the one at probe_off. */
	uint8_t n_jumps;
	uint8_t jumps[3];
	/* Bytes of the instruction before the displaced ones, which sets flags that they need. 0
	 * when they need none. */
	uint8_t compare_len;
	/* Target of a jump of two bytes when there is no room for five: padding that jumps on to
	 * the stub. 0 when there is room. */
	uint64_t padding_vaddr;
	/* Where no padding is near, that target is in the place of other code,
	 * plan_stubs.rooms[room]. */
	bool has_room;
	uint32_t room;
	/* For a RET with branches to it. Those branches (in plan_stubs.branches) go to a second
	 * stub instead. When there are some, and nobody comes to the RET but by them, displaced_len
	 * may be 0. */
	uint32_t first_branch;
	uint8_t n_branches;
	uint64_t branches_to; /* the branches' own target: the RET, or right before it */
	uint32_t branches_enter_off, branches_probe_off; /* offsets of that second stub */
};

/* Code of the text that runs in a stub of its own, without a probe. Its room holds the jump to that
 * stub and other jumps, five bytes each. */
struct plan_room {
	uint64_t vaddr;
	uint8_t len;
	/* like the fields of site_stub */
	uint8_t n_rip, rip[4], n_jumps, jumps[3];
	uint8_t n_used; /* number of the other jumps, which stand in a row */
	uint32_t enter_off;
};

/* A branch of the text that goes to a stub instead of its RET. Only its distance is changed. */
struct plan_branch {
	uint64_t vaddr;
	uint8_t len; /* bytes of the instruction: 2, 5 or 6 */
	/* when len is 2: like site_stub's, perhaps shared with another branch */
	uint64_t padding_vaddr;
	bool has_room; /* likewise */
	uint32_t room;
};

/* An instruction that is probed. */
struct plan_site {
	/* The site's number. It is the index in plan.sites and in every array by site. Events,
	 * cookies and the trace's table of sites carry it. */
	uint32_t number;
	uint32_t func;   /* index into plan.funcs; PLAN_NO_FUNC for a site inside the runtime */
	uint32_t target; /* the probed function that a tail jump goes to, else PLAN_NO_FUNC */
	uint64_t vaddr, file_off;
	uint64_t target_vaddr;   /* target of a tail jump, 0 when it is not known */
	uint16_t kind;           /* EV_* */
	uint16_t to_frame_bytes; /* from the stack pointer up to the return address */
	uint8_t program;         /* enum site_program */
	uint8_t insn_class;      /* enum insn_class, of the instruction at vaddr */
	bool check_jcc;          /* no event when this conditional jump is taken */
	bool plain_ret;          /* a RET that a BPF program can perform */
	uint8_t prologue_stop;   /* EV_RESUME: STOP_* */
	uint8_t state_at;        /* EV_STATE: STATE_AT_* */
	/* function of a site inside the runtime, a string of the gobin */
	const char *runtime_func;
	struct site_stub stub;
};
#define PLAN_NO_FUNC UINT32_MAX
#define PLAN_NO_SITE UINT32_MAX

struct plan_func {
	const struct gofunc *fn;
	char *name;      /* name as outputs spell it, owned */
	bool of_runtime; /* in one of the runtime's own packages */
	enum plan_fate fate;
	uint32_t n_exits; /* sites: RETs and tail jumps */
	bool has_check;   /* its prologue checks its stack */
	uint8_t line_end; /* enum line_end: the reason why the entry is not further on */
	/* Number of the entry site if it is after instructions that may fault, else
	 * PLAN_NO_SITE. */
	uint32_t past_fault_entry;
	/* The function is short, without loops and calls. Its entry's event counts as its exit,
	 * too. */
	bool brief;
	bool never_returns; /* probed, but without a RET or tail jump */
	bool rewritable;    /* its fate is PLAN_REWRITTEN unless -f names it */
	/* index in plan.values.list of its arguments, which its results follow */
	uint32_t first_value;
	uint16_t n_args, n_results;
	bool values_named;    /* a request without a pattern asks for some */
	bool no_values_entry; /* arguments are to be read, but no place has them whole */
};

/* An argument or a result that is recorded. */
struct plan_value {
	char *name; /* name as the user wrote it, owned */
	struct govalue v;
	bool result;
};

/* The values that --args and --ret ask for (plan/plan_values.h). */
struct plan_values {
	struct value_request *requests;
	size_t n_requests;
	struct plan_value *list; /* a function's are next to each other */
	size_t n, cap;
};

/* The parts that inline stubs share. All zero for other strategies. */
struct plan_inline {
	struct plan_inline_options options;
	size_t n_sites; /* number of sites that have one */
	/* A clause why there are none, and the stubs are springboard's. NULL when there may be
	 * some. */
	const char *obstacle;
	uint64_t
		table_vaddr; /* link-time address of the table of rings, then struct ring_signals */
	/* address of runtime.sigtramp, whose beginning is made a jump to the hook */
	uint64_t sigtramp_vaddr;
	uint32_t hook_off;  /* in plan_stubs.code */
	uint64_t *paddings; /* addresses of padding that is taken, in the order of taking */
	size_t n_paddings, cap_paddings;
};
/* A private page with the table of rings, then a shared one with struct ring_signals. */
#define PLAN_INLINE_TABLE_BYTES   4096
#define PLAN_INLINE_SIGNALS_BYTES 4096

/* The code of all stubs, to be mapped into the target. */
struct plan_stubs {
	/* whole pages, or 0 when no site has a stub */
	uint8_t *code;
	size_t bytes;
	uint64_t vaddr; /* its link-time address; wraps below 0 in a PIE */
	/* Offset of the code in its file. No other plan has code there (stubs_file_off). */
	uint64_t file_off;
	/* a `syscall` instruction in the text, which the tracer uses to map the code */
	uint64_t syscall_vaddr;
	size_t n_sites;               /* number of sites that have a stub */
	struct plan_branch *branches; /* by site */
	size_t n_branches, cap_branches;
	struct plan_room *rooms; /* by the first site that needs it */
	size_t n_rooms, cap_rooms;
	enum stub_kind kind; /* the kind that the options ask for */
	/* a clause why a recording must not use them, or NULL when it may */
	const char *obstacle;
	struct plan_inline inl;
};

/* How a recording sees states of goroutines. */
struct plan_states {
	const char *obstacle;        /* a clause why it cannot, or NULL when it can */
	struct wait_reasons reasons; /* n is 0 when not known for this Go version */
	/* depth of EV_STATE, by STATE_AT_*; 0 when the probe finds it out */
	uint32_t depth[STATE_AT_MAX + 1];
};

/* A function that is inlined wherever it is called and so cannot be probed. */
struct plan_inlined {
	char *name;
	uint32_t into; /* number of selected functions that it was inlined into */
};

struct plan {
	const struct gobin *binary; /* borrowed */
	enum probe_strategy strategy;
	/* selected functions, sorted by vaddr */
	struct plan_func *funcs;
	size_t n_funcs, cap_funcs;
	/* by number */
	struct plan_site *sites;
	size_t n_sites, cap_sites;
	/* by name */
	struct plan_inlined *inlined;
	size_t n_inlined, cap_inlined;
	struct plan_stubs stubs;
	struct plan_values values;
	size_t n_probed;
	size_t n_fate[PLAN_FATES];
	size_t n_program[SITE_PROGRAMS]; /* number of sites, by program */
	/* runtime.sigpanic is probed, so entries may lie after instructions that may fault */
	bool faults_seen;
	/* true for sites inside the runtime that this Go version has */
	bool ends_seen, creates_seen, unwinds_seen, stops_seen;
	bool loads_plugins; /* the program can load plugins, because package plugin is linked */
	/* A function of the program that makes its text writable, as the linker spells it. The
	 * string is the gobin's. NULL when the program seems to have none. */
	const char *text_writer;
	/* with plan_options.states, else NULL */
	struct plan_states *states;
};

/*
 * Builds the plan and borrows b. Returns NULL with errno on an error: ENOENT when nothing matches
 * (logged, with similar names), ENOMEM, or the error of the binary's tables. When only some
 * patterns match, it warns of each other pattern.
 */
struct plan *plan_build(const struct gobin *b, const struct plan_options *opt);
void plan_free(struct plan *p);

/* Finds the entry site that a call would have reached after its fault at link-time address pc.
 * Returns PLAN_NO_SITE when the call has passed its entry, or there is no such function.
 * in_stub[site] is true when the site is recorded where its stub's window begins. */
uint32_t plan_missed_entry(const struct plan *p, const bool *in_stub, uint64_t pc);

/* Link-time address of the text's first function. Program counters in rings are offsets from it. */
uint64_t plan_text_vaddr(const struct plan *p);

/* A byte of a site's inline stub that may be written while the program runs. With `silent` there, a
 * stub takes its slow path, to the probed jump. It records nothing when that has no probe. */
struct plan_switch {
	uint32_t off; /* in plan_stubs.code */
	uint8_t records, silent;
};
/* Fills in the switches of s, which has an inline stub. Returns their number, PLAN_SWITCHES at
 * most. */
#define PLAN_SWITCHES 2
unsigned plan_switches(const struct plan *p, const struct plan_site *s,
		       struct plan_switch out[PLAN_SWITCHES]);

/* Returns true when sites of the plan's strategy may have stubs. */
static inline bool plan_has_stubs(const struct plan *p)
{
	return p->strategy != PROBE_EMULATED && p->strategy != PROBE_THESIS;
}

/* Returns true when inline stubs were asked for, or are the best. stubs.inl shows whether there are
 * any. */
static inline bool plan_wants_inline(const struct plan *p)
{
	return p->strategy == PROBE_INLINE || p->strategy == PROBE_AUTO;
}

static inline bool site_has_stub(const struct plan_site *s)
{
	return s->stub.displaced_len > 0 || s->stub.n_branches > 0;
}

static inline bool site_is_inline(const struct plan_site *s)
{
	return site_has_stub(s) && s->stub.kind == STUB_INLINE;
}

/* Returns true when the jump to the stub lies on the very instruction that is probed without a
 * stub. That is a RET, or the jump at which a probe sees the entry, and other tools may probe it,
 * too. Our own probe lies under the jump. Its breakpoint is there only while another tool's is, and
 * after that. */
static inline bool site_jumps_on_probed(const struct plan_site *s)
{
	return s->stub.displaced_len && s->stub.displaced_vaddr == s->vaddr;
}

/* Returns the number of values that are recorded with events of the site. They begin at *first. */
size_t site_values_of(const struct plan *p, const struct plan_site *s,
		      const struct plan_value **first);
struct site_values;
/* Fills *out with the recipes by which a BPF program reads those n values. */
void site_values_recipes(const struct plan_value *list, size_t n, struct site_values *out);

/* Returns the number of instructions that are probed for s in its stubs. `out` gets their offsets
 * in the stubs' code. */
#define SITE_PROBES_MAX 5
static inline unsigned site_stub_probes(const struct plan_site *s, uint32_t out[SITE_PROBES_MAX])
{
	unsigned n = 0;

	for (unsigned i = 0; s->stub.displaced_len && i <= s->stub.n_jumps; i++)
		out[n++] = s->stub.probe_off + STUB_PROBE_BYTES * i;
	if (s->stub.n_branches)
		out[n++] = s->stub.branches_probe_off;
	return n;
}

/* Returns true when a process that runs can get the inline stub. The written bytes must lie in one
 * page, since gotrace could be killed between two. There are three obstacles. The jump may lie on a
 * probed instruction, where another tool's probe would hide calls. Branches may go to the stub, and
 * gotrace does not put them back. Code may have been moved to make room, which is not put back
 * either. */
bool plan_can_join(const struct plan_site *s);

/* Returns true when a hit costs two traps, because the kernel single-steps the instruction and no
 * stub avoids it. A RET counts as stepped. The kernel determines whether a BPF program can perform
 * it. */
bool site_is_stepped(const struct plan_site *s);

/* Writes five bytes at `at`: a jump from the address `from` to the address `to`, less than 2 GiB
 * apart. */
void stubs_write_jump(uint8_t *at, uint64_t from, uint64_t to);

#endif
