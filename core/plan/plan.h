/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plan of a recording: which functions of a binary are probed, at which instructions, and why
 * the others are not. Made from the binary alone, and constant once it is built.
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
	PROBE_INLINE,      /* stubs write the events themselves: no trap */
	PROBE_SPRINGBOARD, /* as emulated, with stubs for what would be single-stepped */
	PROBE_EMULATED,    /* entry on the first emulated instruction after the stack check */
	PROBE_THESIS,      /* entry on the symbol's first byte, and every call of morestack */
	PROBE_STRATEGIES,
};
const char *probe_strategy_name(enum probe_strategy s);
/* 0 and *out, or -EINVAL. */
int probe_strategy_parse(const char *name, enum probe_strategy *out);

/* What is probed in a stub. */
enum stub_kind {
	STUB_JUMP, /* its jump back: when the trap returns, pc is in Go's text again */
	/* A nop that the kernel turns into a call (ba2bfc97b462, Linux 6.18). Entries get such
	 * stubs too. Functions without a stack check get STUB_JUMP. */
	STUB_NOP5,
	STUB_NOP10, /* the same with a longer nop: Linux 7.2 */
	/* It writes the event into a ring (plan/ring.h); its probed jump back, as STUB_JUMP's, is
	 * for when that cannot be. */
	STUB_INLINE,
};

/* What inline stubs need to know. */
struct plan_inline_options {
	const char *obstacle; /* borrowed: why there can be none here, a clause; NULL: there can */
	const struct golayout *layout; /* borrowed; NULL: only sites are of interest, as in plan */
	uint32_t ring_bytes;           /* of slots in a ring, a power of two */
	bool drop;                     /* a full ring: count the event, do not trap */
	bool shadow_stack;             /* no return address may be pushed by hand */
};

/* What the user asked for; borrowed strings. */
/* Where stubs lie: above the bss of all but giants. brk begins at most 1 GB above it. */
#define PLAN_STUBS_VADDR 0x60000000ull
/* More than all stubs of the largest program and their table of rings take. */
#define PLAN_STUBS_ROOM 0x10000000ull

struct plan_options {
	/* -p */
	const char *const *packages;
	size_t n_packages;
	/* -f */
	const char *const *globs;
	size_t n_globs;
	/* what another option names: in addition to the selection */
	const char *const *also;
	size_t n_also;
	/* -x */
	const char *const *excludes;
	size_t n_excludes;
	unsigned presets; /* PRESET_* (presets.h): in addition */
	/* --args and --ret, FUNCTION(EXPRESSION,...): these functions in addition */
	const char *const *args;
	size_t n_args;
	const char *const *rets;
	size_t n_rets;
	bool wrappers;
	bool states;           /* of goroutines are recorded, too */
	bool states_if_inline; /* only where stubs write them */
	bool running;          /* to be probed in a process that runs already */
	bool stubs_below;      /* something is mapped at PLAN_STUBS_VADDR there */
	/* With `running`, functions that a stub cannot record there without a trap are probed, too
	 */
	bool traps;
	/* AUTO is planned like INLINE, and where there can be no inline stubs like SPRINGBOARD: a
	 * recording decides whether it uses them */
	enum probe_strategy strategy;
	enum stub_kind stub;                     /* of springboard */
	struct plan_inline_options inline_stubs; /* of AUTO and INLINE */
};

/* What becomes of a selected function. */
enum plan_fate {
	PLAN_PROBED,
	PLAN_EXCLUDED, /* -x */
	PLAN_WRAPPER,  /* compiler-made, --wrappers not given */
	PLAN_ASSEMBLY,
	PLAN_ABI0,    /* R14 does not hold g there */
	PLAN_FIPS,    /* its bytes are hashed at start */
	PLAN_REFUSED, /* the kernel refuses a probe on an instruction of it */
	PLAN_LOOP,    /* a loop comes back to its first byte: each turn would count as a call */
	PLAN_UNDECODABLE,
	PLAN_NO_CODE,
	PLAN_TRAPS,     /* it would trap in a process that runs, --traps not given */
	PLAN_REWRITTEN, /* the program can copy it or write over it; -f does not name it */
	PLAN_FATES,
};
const char *plan_fate_name(enum plan_fate f);   /* one word, stable: "probed", "wrapper", ... */
const char *plan_fate_reason(enum plan_fate f); /* a clause for people */

/* Which BPF program runs at a site. */
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
	STUB_RUNTIME, /* a function of the runtime: its stacks have no room to spare */
	STUB_VALUES,  /* a probe reads arguments there */
	STUB_REASONS,
};
const char *stub_reason_name(enum stub_reason r);   /* one word, stable */
const char *stub_reason_clause(enum stub_reason r); /* for people */

#define STUB_PROBE_BYTES 5 /* of the probed jumps of a stub, which stand in a row */

/* The stub of a site: displaced instructions of the text, and the probe. A jump in the text goes to
 * it, and it jumps back. Offsets are in plan_stubs.code. */
struct site_stub {
	uint8_t why;           /* enum stub_reason */
	uint8_t kind;          /* enum stub_kind */
	uint8_t displaced_len; /* bytes that the jump to the stub replaces; 0: there is no stub */
	uint16_t rsp_to_ra_bytes; /* at the probe */
	uint64_t displaced_vaddr;
	uint32_t enter_off; /* where the jump in the text goes */
	uint32_t probe_off; /* the probed instruction */
	/* Of STUB_INLINE: */
	uint16_t ring_rsp_to_ra_bytes; /* where it takes the depth of its event */
	bool keeps_rdx;                /* an entry: rdx may hold the closure */
	bool late;                     /* its event is written after the displaced instructions */
	bool has_call;                 /* the last of them is a call */
	bool returns; /* displaced are a RET and padding: the stub returns in its place */
	uint8_t n_rip;
	uint8_t rip[4]; /* displacements relative to rip, from the first displaced byte, ascending
			 */
	/* Jumps among the displaced instructions, likewise: the stub has a probed jump
	 * for each, after the one at probe_off. */
	uint8_t n_jumps;
	uint8_t jumps[3];
	/* of the instruction before the displaced ones, whose flags they need; 0: they need none */
	uint8_t compare_len;
	/* Where a jump of two bytes goes when there is no room for five: to padding, which jumps on
	 * to the stub. 0: there is room. */
	uint64_t padding_vaddr;
	/* Where no padding is near, it is in the place of other code, plan_stubs.rooms[room]. */
	bool has_room;
	uint32_t room;
	/* Of a RET that branches go to: those, in plan_stubs.branches, go to a second stub instead.
	 * Where there are some displaced_len may be 0, when nobody comes to the RET but by them. */
	uint32_t first_branch;
	uint8_t n_branches;
	uint64_t branches_to; /* where they go without: the RET, or right before it */
	uint32_t branches_enter_off, branches_probe_off; /* of that stub */
};

/* Code of the text that runs in a stub of its own, without a probe. Its room holds the jump to that
 * stub and other jumps, five bytes each. */
struct plan_room {
	uint64_t vaddr;
	uint8_t len;
	/* as site_stub's */
	uint8_t n_rip, rip[4], n_jumps, jumps[3];
	uint8_t n_used; /* of the other jumps, one after the other */
	uint32_t enter_off;
};

/* A branch of the text that goes to a stub instead of its RET: only its distance is changed. */
struct plan_branch {
	uint64_t vaddr;
	uint8_t len;            /* of the instruction: 2, 5 or 6 */
	uint64_t padding_vaddr; /* when len is 2: as site_stub's, perhaps shared with another */
	bool has_room;          /* likewise */
	uint32_t room;
};

/* An instruction that is probed. */
struct plan_site {
	/* the site's number: its index in plan.sites, and in every array said to be by site;
	 * events, cookies and the trace's table of sites carry it */
	uint32_t number;
	uint32_t func;   /* index into plan.funcs; PLAN_NO_FUNC for a site inside the runtime */
	uint32_t target; /* of a tail jump: the probed function jumped to, else PLAN_NO_FUNC */
	uint64_t vaddr, file_off;
	uint64_t target_vaddr;    /* of a tail jump: where to, 0 when that is not known */
	uint16_t kind;            /* EV_* */
	uint16_t rsp_to_ra_bytes; /* from rsp up to the return address */
	uint8_t program;          /* enum site_program */
	uint8_t insn_class;       /* enum insn_class, of the instruction at vaddr */
	bool check_jcc;           /* no event when this conditional jump is taken */
	bool plain_ret;           /* a RET that a BPF program can perform */
	uint8_t prologue_stop;    /* EV_RESUME: STOP_* */
	uint8_t state_at;         /* EV_STATE: STATE_AT_* */
	const char *runtime_func; /* of a site inside the runtime: its function; the gobin's */
	struct site_stub stub;
};
#define PLAN_NO_FUNC UINT32_MAX
#define PLAN_NO_SITE UINT32_MAX

struct plan_func {
	const struct gofunc *fn;
	char *name;      /* as outputs spell it; owned */
	bool of_runtime; /* in one of the runtime's own packages */
	enum plan_fate fate;
	uint32_t n_exits; /* sites: RETs and tail jumps */
	bool has_check;   /* of its stack, in the prologue */
	uint8_t line_end; /* enum line_end: why the entry is not further on */
	/* number of the entry site when it is after instructions that may fault; PLAN_NO_SITE */
	uint32_t past_fault_entry;
	/* short, without loops and calls: its entry's event counts as its exit, too */
	bool brief;
	bool never_returns; /* probed, but it has neither RET nor tail jump */
	bool rewritable;    /* PLAN_REWRITTEN, if -f did not name it */
	/* in plan.values.list: first its arguments, then its results */
	uint32_t first_value;
	uint16_t n_args, n_results;
	bool values_named;    /* a request without a pattern asks for some */
	bool no_values_entry; /* there are arguments to be read, and no place where they are whole
			       */
};

/* An argument or a result that is recorded. */
struct plan_value {
	char *name; /* as the user wrote it; owned */
	struct govalue v;
	bool result;
};

/* What --args and --ret ask for (plan/plan_values.h). */
struct plan_values {
	struct value_request *requests;
	size_t n_requests;
	struct plan_value *list; /* a function's are next to each other */
	size_t n, cap;
};

/* What inline stubs have in common. All zero for other strategies. */
struct plan_inline {
	struct plan_inline_options options;
	size_t n_sites; /* that have one */
	/* why there are none, a clause: springboard's stubs then; NULL: there may be */
	const char *obstacle;
	uint64_t
		table_vaddr; /* link-time address of the table of rings, then struct ring_signals */
	uint64_t sigtramp_vaddr; /* of runtime.sigtramp, which is made to jump to the hook */
	uint32_t hook_off;       /* in plan_stubs.code */
	uint64_t *paddings; /* places of padding that are taken, in the order of their taking */
	size_t n_paddings, cap_paddings;
};
/* A private page with the table of rings, then a shared one with struct ring_signals. */
#define PLAN_INLINE_TABLE_BYTES   4096
#define PLAN_INLINE_SIGNALS_BYTES 4096

/* The code of all stubs, to be mapped into the target. */
struct plan_stubs {
	/* whole pages; 0: no site has a stub */
	uint8_t *code;
	size_t bytes;
	uint64_t vaddr; /* its link-time address; wraps below 0 in a PIE */
	/* where the code lies in its file: no other plan's is there (stubs_file_off) */
	uint64_t file_off;
	/* a `syscall` instruction in the text, which the tracer uses to map the code */
	uint64_t syscall_vaddr;
	size_t n_sites;               /* that have a stub */
	struct plan_branch *branches; /* by site */
	size_t n_branches, cap_branches;
	struct plan_room *rooms; /* by the first site that needs it */
	size_t n_rooms, cap_rooms;
	enum stub_kind kind; /* as asked for */
	/* why a recording must not use them, a clause; NULL: it may */
	const char *obstacle;
	struct plan_inline inl;
};

/* How states of goroutines are seen. */
struct plan_states {
	const char *obstacle;             /* why they are not, a clause; NULL: they are */
	struct wait_reasons reasons;      /* n 0: not known for this Go version */
	uint32_t depth[STATE_AT_MAX + 1]; /* EV_STATE's, by STATE_AT_*; 0: it is found out there */
};

/* A function that is inlined wherever it is called and so cannot be probed. */
struct plan_inlined {
	char *name;
	uint32_t into; /* how many selected functions it was inlined into */
};

struct plan {
	const struct gobin *binary; /* borrowed */
	enum probe_strategy strategy;
	/* selected, by vaddr */
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
	size_t n_program[SITE_PROGRAMS]; /* sites of each */
	/* runtime.sigpanic is probed: entries may lie after instructions that may fault */
	bool faults_seen;
	/* the sites inside the runtime that this Go version has */
	bool ends_seen, creates_seen, unwinds_seen, stops_seen;
	bool loads_plugins; /* the program can: package plugin is linked */
	/* a function of it that makes its text writable, as the linker spells it; the gobin's;
	 * NULL: it seems to have none */
	const char *text_writer;
	/* with plan_options.states; NULL else */
	struct plan_states *states;
};

/*
 * Builds the plan; borrows b. NULL and errno: ENOENT when nothing matches (logged, with
 * similar names), ENOMEM, or the error of the binary's tables. When some patterns match and
 * others do not, each of those is warned about.
 */
struct plan *plan_build(const struct gobin *b, const struct plan_options *opt);
void plan_free(struct plan *p);

/* Finds the entry site that a call would have reached after its fault at link-time address pc.
 * PLAN_NO_SITE when it has passed its entry, or there is no such function. in_stub[site] is whether
 * the site is recorded where its stub's window begins. */
uint32_t plan_missed_entry(const struct plan *p, const bool *in_stub, uint64_t pc);

/* Link-time address of the text's first function: program counters in rings are told less that. */
uint64_t plan_text_vaddr(const struct plan *p);

/* A byte of a site's inline stubs that may be written while the program runs. From then on a stub
 * takes its slow path, to the probed jump. It records nothing once no probe is there. */
struct plan_switch {
	uint32_t off; /* in plan_stubs.code */
	uint8_t records, silent;
};
/* Those of s, which has an inline stub: up to PLAN_SWITCHES. Returns how many. */
#define PLAN_SWITCHES 2
unsigned plan_switches(const struct plan *p, const struct plan_site *s,
		       struct plan_switch out[PLAN_SWITCHES]);

/* Whether sites of the plan's strategy may have stubs. */
static inline bool plan_has_stubs(const struct plan *p)
{
	return p->strategy != PROBE_EMULATED && p->strategy != PROBE_THESIS;
}

/* Whether inline stubs were asked for, or are the best; stubs.inl says whether there are any. */
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

/* Does the jump to the stub lie on the very instruction that is probed without one? That is a RET,
 * or the jump that an entry is seen at, and other tools may probe it, too. A probe of our own lies
 * under the jump. Its breakpoint is there only while another tool's is, and after that. */
static inline bool site_jumps_on_probed(const struct plan_site *s)
{
	return s->stub.displaced_len && s->stub.displaced_vaddr == s->vaddr;
}

/* The values that are recorded with events of the site: how many, from *first on. */
size_t site_values_of(const struct plan *p, const struct plan_site *s,
		      const struct plan_value **first);
struct site_values;
/* How a BPF program reads those n values. */
void site_values_recipes(const struct plan_value *list, size_t n, struct site_values *out);

/* Offsets in the stubs' code of the instructions that are probed for s: how many. */
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

/* Whether an inline stub can be given to a process that runs. What is written must lie in one page,
 * since gotrace could be killed between two. Not where the jump
 * lies on a probed instruction, or branches go to the stub: another tool's probe there would hide
 * calls, and branches are not put back; nor is what was moved to make room. */
bool plan_can_join(const struct plan_site *s);

/* Whether a hit costs two traps: the kernel single-steps the instruction, and no stub avoids it. (A
 * RET counts: whether a BPF program performs it is the kernel's matter.) */
bool site_is_stepped(const struct plan_site *s);

/* Five bytes at `at`: a jump from the address `from` to the address `to`, less than 2 GiB apart. */
void stubs_write_jump(uint8_t *at, uint64_t from, uint64_t to);

#endif
