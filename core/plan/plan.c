// SPDX-License-Identifier: BSD-2-Clause
#include "plan/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/vec.h"
#include "binary/gocode.h"
#include "binary/goname.h"
#include "bpf/event.h"
#include "plan/inlined.h"
#include "plan/runtime_sites.h"
#include "plan/select.h"
#include "plan/stubs.h"

static const char *const strategy_names[PROBE_STRATEGIES] = {
	[PROBE_AUTO] = "auto",
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

static const struct {
	const char *name, *reason;
} fates[PLAN_FATES] = {
	[PLAN_PROBED] = { "probed", "probed" },
	[PLAN_EXCLUDED] = { "excluded", "excluded by -x" },
	[PLAN_WRAPPER] = { "wrapper", "made by the compiler; --wrappers includes it" },
	[PLAN_ASSEMBLY] = { "assembly", "written in assembly: R14 need not hold g" },
	[PLAN_ABI0] = { "abi0", "follows the stack ABI: R14 does not hold g at its entry" },
	[PLAN_FIPS] = { "fips",
			"in the range that the FIPS 140 self-check hashes: a breakpoint fails it" },
	[PLAN_REFUSED] = { "refused",
			   "the kernel takes no probe on an instruction with a lock or segment prefix" },
	[PLAN_LOOP] = { "loop",
			"a loop comes back to its first instruction: each turn would count as a call" },
	[PLAN_UNDECODABLE] = { "undecodable", "holds an instruction that cannot be decoded" },
	[PLAN_NO_CODE] = { "no-code", "the file holds no code for it" },
};

const char *plan_fate_name(enum plan_fate f)
{
	return fates[f].name;
}

const char *plan_fate_reason(enum plan_fate f)
{
	return fates[f].reason;
}

/* ---- one function */

/* F.deferwrap1 and F.gowrap1 carry the compiler's mark, yet are a statement of
 * the source: they stand where a deferred call or a goroutine begins. */
static bool is_statement_wrapper(const char *symbol)
{
	struct goname name;

	if (goname_split(symbol, &name))
		return false;
	bool is = name.kind == GONAME_DEFERWRAP;
	goname_free(&name);
	return is;
}

static enum plan_fate fate_by_flags(const struct gofunc *fn, const struct plan_options *opt)
{
	if (fn->flags & GOFUNC_ASM)
		return PLAN_ASSEMBLY;
	if (fn->flags & GOFUNC_FIPS)
		return PLAN_FIPS;
	if (fn->flags & GOFUNC_ABI0)
		return PLAN_ABI0;
	if (fn->flags & GOFUNC_WRAPPER && !opt->wrappers && !is_statement_wrapper(fn->name))
		return PLAN_WRAPPER;
	return PLAN_PROBED;
}

/* Where the entry goes under a strategy. */
static const struct code_point *entry_point(const struct gocode *code, enum probe_strategy s,
					    bool faults_seen)
{
	if (s == PROBE_THESIS)
		return &code->start;
	if (code->has_entry)
		return &code->entry;
	if (code->straight)
		return &code->rets[0];
	return code->has_late && faults_seen ? &code->late : &code->start;
}

static enum plan_fate fate_by_code(const struct gocode *code, enum probe_strategy s,
				   bool faults_seen)
{
	if (code->status == CODE_NO_BYTES)
		return PLAN_NO_CODE;
	if (code->status == CODE_UNDECODABLE)
		return PLAN_UNDECODABLE;
	if (!code->g_in_r14)
		return PLAN_ABI0;

	const struct code_point *entry = entry_point(code, s, faults_seen);
	if (code->loop_at_start && entry->off == 0)
		return PLAN_LOOP;
	bool refused = entry->class == INSN_REFUSED;
	for (size_t i = 0; i < code->n_rets; i++)
		refused |= code->rets[i].class == INSN_REFUSED;
	for (size_t i = 0; i < code->n_tails; i++)
		refused |= code->tails[i].at.class == INSN_REFUSED;
	for (size_t i = 0; s == PROBE_THESIS && i < code->n_morestack; i++)
		refused |= code->morestack[i].class == INSN_REFUSED;
	return refused ? PLAN_REFUSED : PLAN_PROBED;
}

static struct plan_site site_at(const struct gofunc *fn, uint32_t func, const struct code_point *at,
				uint16_t kind, enum plan_link link)
{
	return (struct plan_site){
		.func = func,
		.target = PLAN_NO_FUNC,
		.kind = kind,
		.sp_adj = at->sp_adj,
		.link = link,
		.class = at->class,
		.text_class = at->class,
		.check_jcc = at->check_jcc,
		.plain_ret = at->plain_ret,
		.vaddr = fn->vaddr + at->off,
		.file_off = fn->file_off + at->off,
	};
}

static bool has_stubs(enum probe_strategy s)
{
	return s == PROBE_SPRINGBOARD || s == PROBE_AUTO;
}

static int add_site(struct plan *p, const struct plan_site *s)
{
	int err = vec_reserve(&p->sites, &p->cap_sites, p->n_sites + 1);

	if (err)
		return err;
	p->sites[p->n_sites++] = *s;
	p->n_link[s->link]++;
	return 0;
}

/* The tail jump's target is kept as an address until all functions are known. */
static int add_tail(struct plan *p, uint32_t func, const struct code_tail *tail, bool with_entry,
		    uint64_t **targets, size_t *cap_targets)
{
	struct plan_site s = site_at(p->funcs[func].fn, func, &tail->at,
				     with_entry ? EV_ENTRY_TAIL : EV_TAIL,
				     with_entry ? LINK_ENTRY : LINK_EXIT);
	int err = add_site(p, &s);

	if (!err)
		err = vec_reserve(targets, cap_targets, p->n_sites);
	if (!err)
		(*targets)[p->n_sites - 1] = tail->target;
	return err;
}

static int add_func_sites(struct plan *p, uint32_t func, const struct gocode *code,
			  uint64_t **targets, size_t *cap_targets)
{
	struct plan_func *f = &p->funcs[func];
	const struct code_point *entry = entry_point(code, p->strategy, p->faults_seen);
	bool merged = false; /* the entry shares its byte with an exit: one site says both */
	struct plan_site s;
	int err = 0;

	for (size_t i = 0; i < code->n_rets && !err; i++) {
		bool both = code->rets[i].off == entry->off;

		s = site_at(f->fn, func, &code->rets[i], both ? EV_ENTRY_EXIT : EV_EXIT,
			    both ? LINK_ENTRY : LINK_EXIT);
		merged |= both;
		if (has_stubs(p->strategy))
			stubs_add_exit(p, &s, code, i);
		err = add_site(p, &s);
	}
	for (size_t i = 0; i < code->n_tails && !err; i++) {
		bool both = code->tails[i].at.off == entry->off;

		merged |= both;
		err = add_tail(p, func, &code->tails[i], both, targets, cap_targets);
	}
	for (size_t i = 0; p->strategy == PROBE_THESIS && i < code->n_morestack && !err; i++) {
		s = site_at(f->fn, func, &code->morestack[i], EV_MORESTACK, LINK_EXIT);
		err = add_site(p, &s);
	}
	if (!err && !merged) {
		s = site_at(f->fn, func, entry, EV_ENTRY, LINK_ENTRY);
		if (has_stubs(p->strategy))
			stubs_add_entry(p, &s, code);
		err = add_site(p, &s);
	}
	for (size_t i = p->n_sites; entry == &code->late && i-- > 0 && p->sites[i].func == func;)
		if (p->sites[i].link == LINK_ENTRY)
			f->late_site = i;
	f->has_check = code->has_check;
	f->line_end = code->line_end;
	f->n_entries = 1;
	f->n_exits = code->n_rets + code->n_tails;
	f->never_returns = f->n_exits == 0;
	return err;
}

/* ---- all of them */

static int add_func(struct plan *p, const struct gofunc *fn, enum plan_fate fate)
{
	int err = vec_reserve(&p->funcs, &p->cap_funcs, p->n_funcs + 1);
	char *name = err ? NULL : goname_display(fn->name);

	if (!name)
		return -ENOMEM;
	p->funcs[p->n_funcs++] = (struct plan_func){
		.fn = fn, .name = name, .fate = fate, .late_site = PLAN_NO_SITE
	};
	return 0;
}

static int select_funcs(struct plan *p, const struct plan_options *opt)
{
	const struct gofunc *funcs;
	size_t n = gobin_funcs(p->binary, &funcs);
	struct selector sel;
	int err = selector_init(&sel, opt, p->binary);

	for (size_t i = 0; i < n && !err; i++) {
		int hit = selector_match(&sel, funcs[i].name);

		if (hit < 0)
			err = hit;
		else if (hit == SELECTED)
			err = add_func(p, &funcs[i], fate_by_flags(&funcs[i], opt));
		else if (hit == DESELECTED)
			err = add_func(p, &funcs[i], PLAN_EXCLUDED);
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

static int place_sites(struct plan *p, struct gocode_ctx *ctx, uint64_t **targets,
		       size_t *cap_targets)
{
	for (size_t i = 0; i < p->n_funcs; i++) {
		struct plan_func *f = &p->funcs[i];
		struct gocode code;

		if (f->fate != PLAN_PROBED)
			continue;
		int err = gocode_analyze(ctx, f->fn, &code);
		if (err)
			return err;
		f->fate = fate_by_code(&code, p->strategy, p->faults_seen);
		if (f->fate == PLAN_PROBED)
			err = add_func_sites(p, i, &code, targets, cap_targets);
		gocode_free(&code);
		if (err)
			return err;
	}
	return 0;
}

/* The selected functions are sorted by vaddr. */
static uint32_t probed_at(const struct plan *p, uint64_t vaddr)
{
	size_t lo = 0, hi = p->n_funcs;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (p->funcs[mid].fn->vaddr < vaddr)
			lo = mid + 1;
		else
			hi = mid;
	}
	bool found = vaddr && lo < p->n_funcs && p->funcs[lo].fn->vaddr == vaddr &&
		     p->funcs[lo].fate == PLAN_PROBED;
	return found ? lo : PLAN_NO_FUNC;
}

static void resolve_tails(struct plan *p, const uint64_t *targets, size_t n)
{
	for (size_t i = 0; i < n && i < p->n_sites; i++)
		if (p->sites[i].kind == EV_TAIL || p->sites[i].kind == EV_ENTRY_TAIL)
			p->sites[i].target = probed_at(p, targets[i]);
}

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

uint32_t plan_site_missing(const struct plan *p, uint64_t pc)
{
	size_t i = begins_before(p, pc);
	const struct plan_func *f = i < p->n_funcs ? &p->funcs[i] : NULL;

	return f && f->fate == PLAN_PROBED && f->late_site != PLAN_NO_SITE &&
			       pc < p->sites[f->late_site].vaddr
		       ? f->late_site
		       : PLAN_NO_SITE;
}

/* Calls that fault are told by runtime.sigpanic: but not where it is itself traced, and its entry
 * might be told first. */
static void see_faults(struct plan *p)
{
	const struct gofunc *fn = gobin_func_named(p->binary, "runtime.sigpanic");
	size_t i = fn ? begins_before(p, fn->vaddr) : p->n_funcs;

	p->faults_seen = fn && p->strategy != PROBE_THESIS &&
			 (i == p->n_funcs || p->funcs[i].fn->vaddr != fn->vaddr);
}

static int build(struct plan *p, const struct plan_options *opt)
{
	struct gocode_ctx *ctx = NULL;
	uint64_t *targets = NULL; /* by site: the address a tail jump goes to */
	size_t cap_targets = 0;
	int err = select_funcs(p, opt);

	if (!err && !(ctx = gocode_ctx_new(p->binary)))
		err = -errno;
	if (!err)
		see_faults(p);
	if (!err)
		err = place_sites(p, ctx, &targets, &cap_targets);
	if (!err)
		err = stubs_end(p);
	if (!err) {
		resolve_tails(p, targets, cap_targets);
		err = plan_add_runtime_sites(p, ctx);
	}
	if (!err)
		err = plan_find_inlined(p, opt);
	for (size_t i = 0; i < p->n_funcs; i++)
		p->n_fate[p->funcs[i].fate]++;
	p->n_probed = p->n_fate[PLAN_PROBED];
	free(targets);
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
	free(p);
}
