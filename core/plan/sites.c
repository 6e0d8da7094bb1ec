// SPDX-License-Identifier: BSD-2-Clause
#include "plan/sites.h"

#include "base/vec.h"
#include "bpf/event.h"
#include "plan/stubs.h"

struct plan_site site_at(const struct gofunc *fn, const struct code_point *at, uint16_t kind,
			 enum site_program program)
{
	return (struct plan_site){
		.func = PLAN_NO_FUNC,
		.target = PLAN_NO_FUNC,
		.vaddr = fn->vaddr + at->off,
		.file_off = fn->file_off + at->off,
		.kind = kind,
		.to_frame_bytes = at->to_frame_bytes,
		.program = program,
		.insn_class = at->class,
		.check_jcc = at->check_jcc,
		.plain_ret = at->plain_ret,
	};
}

int plan_add_site(struct plan *p, const struct plan_site *s)
{
	int err = vec_reserve(&p->sites, &p->cap_sites, p->n_sites + 1);

	if (err)
		return err;
	p->sites[p->n_sites] = *s;
	p->sites[p->n_sites].number = p->n_sites;
	p->n_sites++;
	p->n_program[s->program]++;
	return 0;
}

bool site_is_stepped(const struct plan_site *s)
{
	return !site_has_stub(s) && s->insn_class != INSN_EMULATED;
}

#define PAGE      4096
#define JMP_BYTES 5

static bool in_one_page(uint64_t vaddr, size_t n)
{
	return vaddr / PAGE == (vaddr + n - 1) / PAGE;
}

bool plan_can_join(const struct plan_site *s)
{
	const struct site_stub *stub = &s->stub;

	return site_is_inline(s) && !site_jumps_on_probed(s) && !stub->n_branches &&
	       !stub->has_room && in_one_page(stub->displaced_vaddr, stub->displaced_len) &&
	       (!stub->padding_vaddr || in_one_page(stub->padding_vaddr, JMP_BYTES));
}

/* Where the entry goes under the plan's strategy. */
static const struct code_point *entry_point(const struct plan *p, const struct plan_func *f,
					    const struct gocode *code)
{
	if (p->strategy == PROBE_THESIS)
		return &code->start;
	if (f->n_args && code->has_values_entry)
		return &code->values_entry;
	if (code->has_entry)
		return &code->entry;
	if (code->one_probe_leaf)
		return &code->rets[0];
	return code->has_past_fault_entry && p->faults_seen ? &code->past_fault_entry
							    : &code->start;
}

enum plan_fate sites_fate(const struct plan *p, const struct plan_func *f,
			  const struct gocode *code)
{
	if (code->status == CODE_NO_BYTES)
		return PLAN_NO_CODE;
	if (code->status == CODE_UNDECODABLE)
		return PLAN_UNDECODABLE;
	if (!code->g_in_register)
		return PLAN_ABI0;

	const struct code_point *entry = entry_point(p, f, code);
	if (code->loop_at_start && entry->off == 0)
		return PLAN_LOOP;
	bool refused = entry->class == INSN_REFUSED;
	for (size_t i = 0; i < code->n_rets; i++)
		refused |= code->rets[i].class == INSN_REFUSED;
	for (size_t i = 0; i < code->n_tails; i++)
		refused |= code->tails[i].at.class == INSN_REFUSED;
	for (size_t i = 0; p->strategy == PROBE_THESIS && i < code->n_morestack; i++)
		refused |= code->morestack[i].class == INSN_REFUSED;
	return refused ? PLAN_REFUSED : PLAN_PROBED;
}

/* The entry's event is enough for a call: it is over in nanoseconds, whichever RET it takes. */
static bool is_brief(const struct plan *p, const struct plan_func *f, const struct gocode *code)
{
	const struct code_point *entry = entry_point(p, f, code);
	bool usual = entry == &code->entry || entry == &code->past_fault_entry ||
		     (code->has_entry && entry->off == code->entry.off);

	return code->brief && !f->n_results && usual;
}

/* An exit at the entry's instruction: one site stands for both. */
static bool is_entry_too(const struct code_point *exit, const struct code_point *entry)
{
	return exit->off == entry->off;
}

static struct plan_site site_of_func(const struct plan *p, uint32_t func,
				     const struct code_point *at, uint16_t kind,
				     enum site_program program)
{
	struct plan_site s = site_at(p->funcs[func].fn, at, kind, program);

	s.func = func;
	return s;
}

static int add_rets(struct plan *p, uint32_t func, const struct gocode *code,
		    const struct code_point *entry)
{
	int err = 0;

	for (size_t i = 0; i < code->n_rets && !err; i++) {
		bool both = is_entry_too(&code->rets[i], entry);
		struct plan_site s = site_of_func(p, func, &code->rets[i],
						  both ? EV_ENTRY_EXIT : EV_EXIT,
						  both ? PROGRAM_ENTRY : PROGRAM_EXIT);

		if (plan_has_stubs(p))
			err = stubs_add_exit(p, &s, code, i);
		if (!err)
			err = plan_add_site(p, &s);
	}
	return err;
}

static int add_tails(struct plan *p, uint32_t func, const struct gocode *code,
		     const struct code_point *entry)
{
	int err = 0;

	for (size_t i = 0; i < code->n_tails && !err; i++) {
		const struct code_tail *tail = &code->tails[i];
		bool both = is_entry_too(&tail->at, entry);
		struct plan_site s = site_of_func(p, func, &tail->at,
						  both ? EV_ENTRY_TAIL : EV_TAIL,
						  both ? PROGRAM_ENTRY : PROGRAM_EXIT);

		s.target_vaddr = tail->target;
		err = plan_add_site(p, &s);
	}
	return err;
}

static int add_morestack_calls(struct plan *p, uint32_t func, const struct gocode *code)
{
	int err = 0;

	for (size_t i = 0; i < code->n_morestack && !err; i++) {
		const struct plan_site s = site_of_func(p, func, &code->morestack[i], EV_MORESTACK,
							PROGRAM_EXIT);

		err = plan_add_site(p, &s);
	}
	return err;
}

static int add_entry(struct plan *p, uint32_t func, const struct gocode *code,
		     const struct code_point *entry)
{
	struct plan_site s = site_of_func(
		p, func, entry, is_brief(p, &p->funcs[func], code) ? EV_ENTRY_EXIT : EV_ENTRY,
		PROGRAM_ENTRY);

	int err = plan_has_stubs(p) ? stubs_add_entry(p, &s, code) : 0;

	return err ? err : plan_add_site(p, &s);
}

/* Whether calls may fault before they are recorded at s, a site of the function. */
static bool is_past_fault(const struct plan_site *s, const struct gocode *code,
			  const struct code_point *entry)
{
	return s->program == PROGRAM_ENTRY &&
	       (entry == &code->past_fault_entry ||
		(site_is_inline(s) && code->inline_entry.past_fault));
}

int sites_add_func(struct plan *p, uint32_t func, const struct gocode *code)
{
	struct plan_func *f = &p->funcs[func];
	const struct code_point *entry = entry_point(p, f, code);
	size_t first = p->n_sites, n_entries_before = p->n_program[PROGRAM_ENTRY];
	bool brief = is_brief(p, f, code);
	int err = brief ? 0 : add_rets(p, func, code, entry);

	if (!err)
		err = add_tails(p, func, code, entry);
	if (!err && p->strategy == PROBE_THESIS)
		err = add_morestack_calls(p, func, code);
	if (!err && p->n_program[PROGRAM_ENTRY] == n_entries_before)
		err = add_entry(p, func, code, entry);
	for (size_t i = first; i < p->n_sites; i++)
		if (is_past_fault(&p->sites[i], code, entry))
			f->past_fault_entry = i;
	f->brief = brief;
	f->has_check = code->has_check;
	f->line_end = code->line_end;
	f->n_exits = code->n_rets + code->n_tails;
	f->never_returns = f->n_exits == 0;
	f->no_values_entry = f->n_args && p->strategy != PROBE_THESIS && !code->has_values_entry;
	return err;
}

/* Takes back the sites from `first` on, their stubs, and what these took. */
static void take_back(struct plan *p, size_t first, const struct plan_stubs *before)
{
	while (p->n_sites > first)
		p->n_program[p->sites[--p->n_sites].program]--;
	p->stubs.n_sites = before->n_sites;
	p->stubs.n_branches = before->n_branches;
	p->stubs.n_rooms = before->n_rooms;
	p->stubs.inl.n_sites = before->inl.n_sites;
	p->stubs.inl.n_paddings = before->inl.n_paddings;
}

int sites_add_without_traps(struct plan *p, uint32_t func, const struct gocode *code)
{
	const struct plan_stubs before = p->stubs;
	struct plan_func *f = &p->funcs[func];
	const struct plan_func was = *f;
	const size_t first = p->n_sites;
	int err = sites_add_func(p, func, code);

	for (size_t i = first; i < p->n_sites && !err; i++) {
		if (plan_can_join(&p->sites[i]))
			continue;
		take_back(p, first, &before);
		*f = was;
		f->fate = PLAN_TRAPS;
	}
	return err;
}
