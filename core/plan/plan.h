/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What of a binary is probed, at which instructions, and why the rest is not.
 * Pure: reads a gobin, touches no kernel.
 */
#ifndef GOTRACE_PLAN_H
#define GOTRACE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "binary/gobin.h"

enum probe_strategy {
	PROBE_AUTO,        /* the best one proven on this kernel, for this binary and this mode */
	PROBE_SPRINGBOARD, /* as emulated, but what would be single-stepped is done in a stub */
	PROBE_EMULATED,    /* entry on the first emulated instruction after the stack check */
	PROBE_THESIS,      /* entry on the symbol's first byte, and every call of morestack */
	PROBE_STRATEGIES,
};
const char *probe_strategy_name(enum probe_strategy s);
/* 0 and *out, or -EINVAL. */
int probe_strategy_parse(const char *name, enum probe_strategy *out);

/* What is probed in a stub. */
enum stub_kind {
	STUB_JUMP, /* its jump back: as the trap returns pc is in Go's text again */
	/* a nop that the kernel makes a call of (ba2bfc97b462, Linux 6.18), entries too; only in */
	STUB_NOP5,
	STUB_NOP10, /* functions with a stack check, else STUB_JUMP. Its longer form: Linux 7.2 */
};

/* What the user asked for; borrowed strings. */
struct plan_options {
	/* -p */
	const char *const *packages;
	size_t n_packages;
	/* -f */
	const char *const *globs;
	size_t n_globs;
	/* -x */
	const char *const *excludes;
	size_t n_excludes;
	bool wrappers;
	/* AUTO: as SPRINGBOARD, of which sites_in_text is chosen later */
	enum probe_strategy strategy;
	enum stub_kind stub;
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
	PLAN_LOOP,    /* a loop comes back to its first byte: entries would be counted again */
	PLAN_UNDECODABLE,
	PLAN_NO_CODE,
	PLAN_FATES,
};
const char *plan_fate_name(enum plan_fate f);   /* one word, stable: "probed", "wrapper", ... */
const char *plan_fate_reason(enum plan_fate f); /* a clause for people */

/* In which link a site is attached. */
enum plan_link { LINK_ENTRY, LINK_EXIT, LINK_RUNTIME, LINKS };

struct plan_site {
	uint32_t func;      /* index into plan.funcs; PLAN_NO_FUNC for a runtime site */
	uint32_t target;    /* of a tail jump: the probed function jumped to, else PLAN_NO_FUNC */
	uint16_t kind;      /* EV_* */
	uint16_t sp_adj;    /* bytes rsp lies below the return address */
	uint8_t link;       /* enum plan_link */
	uint8_t class;      /* enum insn_class, of what is probed: in the stub where there is one */
	uint8_t text_class; /* of the instruction at vaddr */
	bool check_jcc;     /* no event when this conditional jump is taken */
	/* a RET that a program can perform, where the probe is on it and in no stub */
	bool plain_ret;
	uint8_t stop; /* EV_RESUME: which STOP_* the place stands for */
	uint64_t vaddr, file_off;
	/* Springboard: */
	uint32_t stub_off; /* where in the stubs the probe sits instead */
	uint16_t stub_adj; /* sp_adj there */
	uint8_t stub_why;  /* enum stub_reason */
	uint8_t stub_kind; /* enum stub_kind */
	/* bytes that a jump to the stub takes the place of; 0: it has no stub, */
	uint8_t window_len;
	uint64_t window_vaddr, window_off; /* at this address, at this place of the file */
	uint32_t enter_off;                /* where in the stubs the jump goes */
	const char *name; /* of a runtime site: the function probed, owned by the gobin */
};
#define PLAN_NO_FUNC UINT32_MAX
#define PLAN_NO_SITE UINT32_MAX

struct plan_func {
	const struct gofunc *fn;
	char *name; /* as outputs spell it; owned */
	enum plan_fate fate;
	uint32_t n_entries, n_exits; /* sites */
	bool has_check;              /* of its stack, in the prologue */
	uint8_t line_end;            /* enum line_end: why the entry is not further on */
	/* the entry, when it lies behind instructions that may fault; else PLAN_NO_SITE */
	uint32_t late_site;
	bool never_returns; /* probed, but it has neither RET nor tail jump */
};

/* Why a site has no stub, or has one. */
enum stub_reason {
	STUB_NOT_ASKED, /* another strategy, or a site of the runtime's */
	STUB_HAS_ONE,
	STUB_CHEAP, /* one trap as it stands */
	STUB_SHORT,
	STUB_TARGET,
	STUB_FLOW,
	STUB_FAULT,
	STUB_FIXED,   /* enum window_fate */
	STUB_RUNTIME, /* the runtime's own code: its stacks have no room to spare */
	STUB_REASONS,
};
const char *stub_reason_name(enum stub_reason r);   /* one word, stable */
const char *stub_reason_clause(enum stub_reason r); /* for people */

/* The code that runs in place of displaced bytes: a file that is mapped into the target. */
struct plan_stubs {
	/* whole pages; 0: no site has a stub */
	uint8_t *code;
	size_t bytes, cap;
	uint64_t vaddr; /* link-time address it is made for; wraps below 0 in a PIE */
	/* an instruction `syscall` in the text, for the tracer to map it with */
	uint64_t syscall_vaddr;
	size_t n_sites;      /* with a stub */
	enum stub_kind kind; /* as asked for */
	/* why a recording had better not use them, a clause; NULL: nothing speaks against it */
	const char *obstacle;
};

/* A function that exists only inside others and so cannot be seen. */
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
	/* index = site number of events */
	struct plan_site *sites;
	size_t n_sites, cap_sites;
	/* by name */
	struct plan_inlined *inlined;
	size_t n_inlined, cap_inlined;
	struct plan_stubs stubs;
	size_t n_probed;
	size_t n_fate[PLAN_FATES];
	size_t n_link[LINKS];
	bool faults_seen; /* entries may lie behind what may fault */
	/* the runtime sites that this Go version has */
	bool ends_seen, creates_seen, unwinds_seen, stops_seen;
};

/*
 * Builds the plan. NULL and errno: ENOENT when nothing matches (logged, with
 * near names), ENOMEM, or what the binary's tables gave. A pattern that matches nothing
 * beside others that do is warned about.
 */
struct plan *plan_build(const struct gobin *b, const struct plan_options *opt);
void plan_free(struct plan *p);

/* The site that misses a call which faults at link-time address pc: the entry of its function when
 * that lies further on. PLAN_NO_SITE: there is none. */
uint32_t plan_site_missing(const struct plan *p, uint64_t pc);

/* Makes it a plan without stubs: every site in the text, single-stepped where it must be. */
void plan_drop_stubs(struct plan *p);
/* The same for one site that has a stub. */
void plan_drop_stub(struct plan *p, size_t site);
/* Five bytes at `at`: a jump from the address `from` to the address `to`, less than 2 GiB apart. */
void stubs_write_jump(uint8_t *at, uint64_t from, uint64_t to);

#endif
