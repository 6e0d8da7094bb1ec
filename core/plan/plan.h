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
	PROBE_EMULATED, /* entry on the first emulated instruction after the stack check */
	PROBE_THESIS,   /* entry on the symbol's first byte, and every call of morestack */
};
const char *probe_strategy_name(enum probe_strategy s);
/* 0 and *out, or -EINVAL. "auto" is the best one proven: PROBE_EMULATED. */
int probe_strategy_parse(const char *name, enum probe_strategy *out);

/* What the user asked for; borrowed strings. */
struct plan_options {
	const char *const *packages; size_t n_packages; /* -p */
	const char *const *globs;    size_t n_globs;    /* -f */
	const char *const *excludes; size_t n_excludes; /* -x */
	bool wrappers;
	enum probe_strategy strategy;
};

/* What becomes of a selected function. */
enum plan_fate {
	PLAN_PROBED,
	PLAN_EXCLUDED,    /* -x */
	PLAN_WRAPPER,     /* compiler-made, --wrappers not given */
	PLAN_ASSEMBLY,
	PLAN_ABI0,        /* R14 does not hold g there */
	PLAN_FIPS,        /* its bytes are hashed at start */
	PLAN_REFUSED,     /* the kernel refuses a probe on an instruction of it */
	PLAN_LOOP,        /* a loop comes back to its first byte: entries would be counted again */
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
	uint8_t class;      /* enum insn_class */
	bool check_jcc;     /* no event when this conditional jump is taken */
	uint8_t stop;       /* EV_RESUME: which STOP_* the place stands for */
	uint64_t vaddr, file_off;
	const char *name;   /* of a runtime site: the function probed, owned by the gobin */
};
#define PLAN_NO_FUNC UINT32_MAX

struct plan_func {
	const struct gofunc *fn;
	char *name;         /* as outputs spell it; owned */
	enum plan_fate fate;
	uint32_t n_entries, n_exits; /* sites */
	bool never_returns; /* probed, but it has neither RET nor tail jump */
};

/* A function that exists only inside others and so cannot be seen. */
struct plan_inlined {
	char *name;
	uint32_t into;      /* how many selected functions it was inlined into */
};

struct plan {
	const struct gobin *binary; /* borrowed */
	enum probe_strategy strategy;
	struct plan_func *funcs;       size_t n_funcs, cap_funcs;  /* selected, by vaddr */
	struct plan_site *sites;       size_t n_sites, cap_sites;  /* index = site number of events */
	struct plan_inlined *inlined;  size_t n_inlined, cap_inlined; /* by name */
	size_t n_probed;
	size_t n_fate[PLAN_FATES];
	size_t n_link[LINKS];
	bool ends_seen, creates_seen, unwinds_seen, stops_seen; /* the runtime sites that this Go version has */
};

/*
 * Builds the plan. NULL and errno: ENOENT when nothing matches (logged, with
 * near names), ENOMEM, or what the binary's tables gave. A pattern that matches nothing
 * beside others that do is warned about.
 */
struct plan *plan_build(const struct gobin *b, const struct plan_options *opt);
void plan_free(struct plan *p);

#endif
