// SPDX-License-Identifier: BSD-2-Clause
#include "plan/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/side_job.h"
#include "base/vec.h"
#include "binary/arch.h"
#include "binary/gocode.h"
#include "binary/goname.h"
#include "plan/codes.h"
#include "plan/func_glob.h"
#include "plan/inline_sites.h"
#include "plan/inlined.h"
#include "plan/rewritten.h"
#include "plan/runtime_sites.h"
#include "plan/select.h"
#include "plan/sites.h"
#include "plan/state_sites.h"
#include "plan/stubs.h"
#include "plan/plan_values.h"

static const char *const strategy_names[PROBE_STRATEGIES] = {
	[PROBE_AUTO] = "auto",
	[PROBE_INLINE] = "inline",
	[PROBE_SPRINGBOARD] = "springboard",
	[PROBE_EMULATED] = "emulated",
	[PROBE_THESIS] = "thesis",
};

const char *probe_strategy_name(enum probe_strategy s)
{
	return strategy_names[s];
}

int probe_strategy_parse(const char *name, enum probe_strategy *out)
{
	for (size_t i = 0; i < PROBE_STRATEGIES; i++) {
		if (strcmp(name, strategy_names[i]) == 0) {
			*out = i;
			return 0;
		}
	}
	return -EINVAL;
}

struct fate_words {
	const char *name, *reason;
};
#define WORDS(...) ((struct fate_words){ __VA_ARGS__ })

/* The compiler names a fate without words. */
static struct fate_words words_of(enum plan_fate f, const struct arch_words *of)
{
	switch (f) {
	case PLAN_PROBED:
		return WORDS("probed", "probed");
	case PLAN_EXCLUDED:
		return WORDS("excluded", "excluded by -x");
	case PLAN_WRAPPER:
		return WORDS("wrapper", "made by the compiler; --wrappers includes it");
	case PLAN_ASSEMBLY:
		return WORDS("assembly", of->assembly);
	case PLAN_ABI0:
		return WORDS("abi0", of->abi0);
	case PLAN_FIPS:
		return WORDS(
			"fips",
			"in the range that the FIPS 140 self-check hashes: a breakpoint fails it");
	case PLAN_REFUSED:
		return WORDS("refused", of->refused);
	case PLAN_LOOP:
		return WORDS(
			"loop",
			"a loop comes back to its first instruction: each turn would count as a call");
	case PLAN_UNDECODABLE:
		return WORDS("undecodable", "holds an instruction that cannot be decoded");
	case PLAN_NO_CODE:
		return WORDS("no-code", "the file holds no code for it");
	case PLAN_TRAPS:
		return WORDS(
			"would-trap",
			"in a process that runs a stub cannot write all of its events, and its calls "
			"would trap; --traps includes it");
	case PLAN_REWRITTEN:
		return WORDS(
			"rewritten",
			"the program makes its own text writable. It can copy or replace this function, and would crash; -f NAME includes it");
	case PLAN_FATES:
		break;
	}
	return WORDS("", "");
}

const char *plan_fate_name(enum plan_fate f)
{
	return words_of(f, &(struct arch_words){ 0 }).name;
}

const char *plan_fate_reason(const struct plan *p, enum plan_fate f)
{
	return words_of(f, &gobin_arch(p->binary)->words).reason;
}

/* ---- functions */

static enum plan_fate fate_by_flags(const struct gofunc *fn, const struct goname *name,
				    const struct plan_options *opt)
{
	if (fn->flags & GOFUNC_ASM)
		return PLAN_ASSEMBLY;
	if (fn->flags & GOFUNC_FIPS)
		return PLAN_FIPS;
	if (fn->flags & GOFUNC_ABI0)
		return PLAN_ABI0;
	/* F.deferwrap1 and F.gowrap1 carry the compiler's mark, but are what a defer or go
	 * statement of the source calls. */
	if (fn->flags & GOFUNC_WRAPPER && !opt->wrappers && name->kind != GONAME_DEFERWRAP)
		return PLAN_WRAPPER;
	return PLAN_PROBED;
}

static int add_func(struct plan *p, const struct gofunc *fn, bool excluded,
		    const struct plan_options *opt)
{
	struct plan_func f = { .fn = fn, .past_fault_entry = PLAN_NO_SITE };
	struct goname name;

	if (vec_reserve(&p->funcs, &p->cap_funcs, p->n_funcs + 1) || goname_split(fn->name, &name))
		return -ENOMEM;
	f.of_runtime = package_is_runtime(name.package);
	f.fate = excluded ? PLAN_EXCLUDED : fate_by_flags(fn, &name, opt);
	goname_free(&name);
	f.name = goname_display(fn->name);
	if (!f.name)
		return -ENOMEM;
	p->funcs[p->n_funcs++] = f;
	return 0;
}

static int select_funcs(struct plan *p, const struct plan_options *opt)
{
	const struct gofunc *funcs;
	size_t n = gobin_funcs(p->binary, &funcs);
	struct selector sel;
	int err = selector_init(&sel, opt, p->binary);

	sel.plan = p;

	for (size_t i = 0; i < n && !err; i++) {
		int hit = selector_match(&sel, funcs[i].name);

		if (hit < 0)
			err = hit;
		else if (hit != NOT_SELECTED)
			err = add_func(p, &funcs[i], hit == DESELECTED, opt);
	}
	if (!err && !p->n_funcs) {
		selector_log_no_match(&sel, p->binary);
		err = -ENOENT;
	} else if (!err) {
		selector_warn_unused(&sel);
	}
	selector_free(&sel);
	return err;
}

/* Is a function that would trap probed all the same, as an option needs it? */
static int is_needed(const struct plan_options *opt, const struct plan_func *f)
{
	int hit = f->n_args || f->n_results;

	for (size_t i = 0; i < opt->n_also && !hit; i++)
		hit = func_glob_hits(opt->also[i], f->name);
	return hit;
}

static int add_func_sites(struct plan *p, size_t i, const struct gocode *code,
			  const struct plan_options *opt)
{
	const bool without_traps = opt->running && !opt->traps && p->stubs.kind == STUB_INLINE;
	struct plan_func *f = &p->funcs[i];

	f->fate = sites_fate(p, f, code);
	int needed = without_traps ? is_needed(opt, f) : 1;
	if (needed < 0 || f->fate != PLAN_PROBED)
		return needed < 0 ? needed : 0;
	return needed ? sites_add_func(p, i, code) : sites_add_without_traps(p, i, code);
}

static int add_sites(struct plan *p, struct gocode_ctx *ctx, const struct plan_options *opt)
{
	struct codes codes;
	int err = codes_open(&codes, p, ctx);

	for (size_t i = 0; i < p->n_funcs && !err; i++) {
		struct gocode code;

		if (p->funcs[i].fate != PLAN_PROBED)
			continue;
		err = codes_take(&codes, i, &code);
		if (err)
			break;
		err = add_func_sites(p, i, &code, opt);
		gocode_free(&code);
	}
	codes_close(&codes);
	return err;
}

/* Functions whose values are asked for by name must be probed. 0 or -EINVAL (logged). */
static int check_values(struct plan *p)
{
	for (size_t i = 0; i < p->n_funcs; i++) {
		struct plan_func *f = &p->funcs[i];

		if (!f->n_args && !f->n_results)
			continue;
		if (!f->values_named) {
			if (f->fate != PLAN_PROBED)
				values_drop(p, f, plan_fate_reason(p, f->fate));
			else if (f->n_args && f->no_values_entry)
				values_drop(p, f, "a loop comes back to its first instruction");
			continue;
		}
		if (f->fate != PLAN_PROBED) {
			log_error("%s: the values of %s cannot be recorded, it is not probed: %s",
				  f->n_args ? "--args" : "--ret", f->name,
				  plan_fate_reason(p, f->fate));
			return -EINVAL;
		}
		if (f->n_args && f->no_values_entry) {
			log_error(
				"--args: nowhere in %s can a probe see all of its arguments: a loop "
				"comes back to its first instruction",
				f->name);
			return -EINVAL;
		}
	}
	return 0;
}

/* ---- functions by address */

/* Index of the last function that begins at pc or before it, n_funcs when none does. */
static size_t begins_before(const struct plan *p, uint64_t pc)
{
	size_t lo = 0, hi = p->n_funcs;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (p->funcs[mid].fn->vaddr <= pc)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? lo - 1 : p->n_funcs;
}

/* Index of the selected function that begins at vaddr, n_funcs when there is none. */
static size_t begins_at(const struct plan *p, uint64_t vaddr)
{
	size_t i = begins_before(p, vaddr);

	return i < p->n_funcs && p->funcs[i].fn->vaddr == vaddr ? i : p->n_funcs;
}

/* Once it is known which functions are probed. */
static void resolve_tails(struct plan *p)
{
	for (size_t i = 0; i < p->n_sites; i++) {
		struct plan_site *s = &p->sites[i];
		size_t func = s->target_vaddr ? begins_at(p, s->target_vaddr) : p->n_funcs;

		if (func < p->n_funcs && p->funcs[func].fate == PLAN_PROBED)
			s->target = func;
	}
}

uint32_t plan_missed_entry(const struct plan *p, const bool *in_stub, uint64_t pc)
{
	size_t i = begins_before(p, pc);
	uint32_t entry = i < p->n_funcs ? p->funcs[i].past_fault_entry : PLAN_NO_SITE;

	if (entry == PLAN_NO_SITE)
		return PLAN_NO_SITE;
	const struct plan_site *s = &p->sites[entry];
	uint64_t recorded = in_stub[entry] && site_is_inline(s) && !s->stub.late
				    ? s->stub.displaced_vaddr
				    : s->vaddr;
	return pc < recorded ? entry : PLAN_NO_SITE;
}

/* A probe on runtime.sigpanic shows calls that fault before their entry probe; but not where
 * sigpanic is itself traced, since its entry might then be recorded before theirs. */
static bool sees_faults(const struct plan *p)
{
	const struct gofunc *fn = gobin_func_named(p->binary, "runtime.sigpanic");

	return fn && p->strategy != PROBE_THESIS && begins_at(p, fn->vaddr) == p->n_funcs;
}

/* What needs nothing but the binary and the options, beside the rest. */
struct beside {
	struct plan *p;
	const struct plan_options *opt;
	struct side_job job;
	int err;
};

static void find_inlined(void *ctx)
{
	struct beside *b = ctx;

	b->err = plan_find_inlined(b->p, b->opt);
}

static int build(struct plan *p, const struct plan_options *opt)
{
	struct gocode_ctx *ctx = NULL;
	struct beside inlined = { .p = p, .opt = opt };
	int err = values_parse(p, opt);

	if (!err)
		side_job_begin(&inlined.job, find_inlined, &inlined);
	if (!err)
		err = select_funcs(p, opt);
	if (!err)
		err = values_find(p);
	if (!err)
		err = rewritten_leave_out(p, opt);
	if (!err && !(ctx = gocode_ctx_new(p->binary)))
		err = -errno;
	if (!err) {
		p->faults_seen = sees_faults(p);
		if (p->stubs.kind == STUB_INLINE)
			gocode_ctx_inline(ctx);
		err = add_sites(p, ctx, opt);
	}
	if (!err)
		err = check_values(p);
	if (!err && opt->states && (p->stubs.kind == STUB_INLINE || !opt->states_if_inline))
		err = plan_add_state_sites(p, ctx, opt);
	if (!err)
		err = plan_add_runtime_sites(p, ctx);
	if (!err)
		err = stubs_finish(p, opt->stubs_below);
	if (!err)
		resolve_tails(p);
	side_job_end(&inlined.job);
	if (!err)
		err = inlined.err;
	for (size_t i = 0; i < p->n_funcs; i++)
		p->n_fate[p->funcs[i].fate]++;
	p->n_probed = p->n_fate[PLAN_PROBED];
	gocode_ctx_free(ctx);
	return err;
}

struct plan *plan_build(const struct gobin *b, const struct plan_options *opt)
{
	struct plan *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->binary = b;
	p->strategy = opt->strategy;
	p->stubs.kind = opt->stub;
	p->loads_plugins = gobin_func_named(b, "plugin.Open") || gobin_func_named(b, "plugin.open");
	if (plan_wants_inline(p) && inline_possible(p, &opt->inline_stubs))
		p->stubs.kind = STUB_INLINE;
	int err = build(p, opt);
	if (err) {
		plan_free(p);
		errno = -err;
		return NULL;
	}
	return p;
}

void plan_free(struct plan *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n_funcs; i++)
		free(p->funcs[i].name);
	for (size_t i = 0; i < p->n_inlined; i++)
		free(p->inlined[i].name);
	free(p->funcs);
	free(p->sites);
	free(p->inlined);
	free(p->stubs.code);
	free(p->stubs.inl.paddings);
	free(p->stubs.branches);
	free(p->stubs.rooms);
	free(p->states);
	values_free(p);
	free(p);
}
