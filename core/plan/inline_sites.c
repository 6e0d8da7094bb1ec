// SPDX-License-Identifier: BSD-2-Clause
#include "plan/inline_sites.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "binary/arch.h"
#include "plan/inline_asm.h"
#include "plan/inline_fixes.h"
#include "plan/inline_hook.h"
#include "plan/inline_padding.h"
#include "plan/inline_room.h"
#include "plan/ring.h"

#define JMP_BYTES       5
#define SHORT_JMP_BYTES 2
#define RET_BYTES       1

_Static_assert(RING_TABLE_BYTES <= PLAN_INLINE_TABLE_BYTES &&
		       sizeof(struct ring_signals) <= PLAN_INLINE_SIGNALS_BYTES,
	       "a page each");

/* ---- the program */

static const char *find_obstacle(struct plan *p, const struct plan_inline_options *opt)
{
	const struct golayout *l = opt->layout;
	const struct gofunc *fn = gobin_func_named(p->binary, "runtime.sigtramp");
	const struct arch *arch = gobin_arch(p->binary);
	const uint8_t *code = fn ? gobin_bytes(p->binary, fn->vaddr, arch->sigtramp_bytes) : NULL;

	if (!arch->has_stubs)
		return "gotrace has no stubs for the program's processor";
	if (l && (l->g_atomicstatus < 0 || l->m_p < 0 || l->m_procid < 0))
		return "where this runtime keeps a goroutine's state, P or thread is not known";
	if (!code || memcmp(code, arch->sigtramp, arch->sigtramp_bytes))
		return "its signal handler, runtime.sigtramp, is not as it is known";
	/* (A program linked with -linkshared, whose code keeps r15, has no runtime of its own.) */
	p->stubs.inl.sigtramp_vaddr = fn->vaddr;
	return NULL;
}

bool inline_possible(struct plan *p, const struct plan_inline_options *opt)
{
	p->stubs.inl.options = *opt;
	p->stubs.inl.obstacle = opt->obstacle ? opt->obstacle : find_obstacle(p, opt);
	return !p->stubs.inl.obstacle;
}

bool inline_allowed(const struct plan *p, const struct plan_func *f)
{
	return p->stubs.kind == STUB_INLINE && !f->of_runtime && !f->n_results &&
	       strncmp(f->fn->name, "syscall.", 8) != 0;
}

struct inline_program inline_program_of(const struct plan *p)
{
	static const struct golayout unknown;
	const struct plan_inline_options *opt = &p->stubs.inl.options;
	const struct golayout *l = opt->layout ? opt->layout : &unknown;

	return (struct inline_program){
		.g_m = (uint32_t)l->g_m,
		.g_goid = (uint32_t)l->g_goid,
		.g_atomicstatus = (uint32_t)l->g_atomicstatus,
		.m_p = (uint32_t)l->m_p,
		.m_procid = (uint32_t)l->m_procid,
		.m_curg = (uint32_t)l->m_curg,
		.g_waitreason = (uint32_t)l->g_waitreason,
		.p_is_given_up = gobin_go_minor(p->binary) >= 0 && gobin_go_minor(p->binary) < 26,
		.g_gopc = (uint32_t)l->g_gopc,
		.g_startpc = (uint32_t)l->g_startpc,
		.g_sched_pc = (uint32_t)l->g_sched_pc,
		.m_morebuf_sp = (uint32_t)l->m_morebuf_sp,
		.table = p->stubs.inl.table_vaddr,
		.text = plan_text_vaddr(p),
		.ring_size = opt->ring_bytes ? opt->ring_bytes : RING_SIZE_MIN,
		.drop = opt->drop,
	};
}

uint64_t plan_text_vaddr(const struct plan *p)
{
	const struct gofunc *funcs;

	return gobin_funcs(p->binary, &funcs) ? funcs[0].vaddr : 0;
}

/* ---- sites */

static const struct gofunc *func_of(const struct plan *p, const struct plan_site *s)
{
	return s->func == PLAN_NO_FUNC ? gobin_func_at(p->binary, s->vaddr) : p->funcs[s->func].fn;
}

static int by_offset(const void *a, const void *b)
{
	return *(const uint8_t *)a - *(const uint8_t *)b;
}

int inline_give_stub(struct plan *p, struct plan_site *s, const struct code_window *w,
		     const struct gocode *code, bool at_return)
{
	const struct gofunc *fn = func_of(p, s);
	uint64_t padding = 0;
	uint32_t room = 0;
	bool has_room = false;
	int err;

	if (w->has_call && p->stubs.inl.options.shadow_stack) {
		s->stub.why = STUB_FLOW;
		return 0;
	}
	if (w->len < JMP_BYTES) {
		err = inline_take_padding(p, fn, fn->vaddr + w->off, &padding);
		has_room = !err && !padding && code;
		if (has_room)
			err = inline_take_room(p, fn, code, fn->vaddr + w->off, &padding, &room);
		s->stub.why = STUB_SHORT;
		if (!padding || err)
			return err;
	}
	const uint16_t after = w->to_frame_after_bytes;
	struct site_stub *stub = &s->stub;
	*stub = (struct site_stub){
		.why = STUB_HAS_ONE,
		.kind = STUB_INLINE,
		.displaced_len = w->len,
		.displaced_vaddr = fn->vaddr + w->off,
		/* at the jump to a function that was called, its return address is there, too */
		.to_frame_bytes = after + (w->has_call ? 8 : 0),
		.ring_to_frame_bytes = w->reads ? after : w->to_frame_bytes,
		.keeps_rdx = !at_return,
		.late = w->reads,
		.has_call = w->has_call,
		.n_rip = w->n_relative_offs,
		.n_jumps = w->n_jump_offs,
		.compare_len = w->compare_len,
		.padding_vaddr = padding,
		.has_room = has_room,
		.room = room,
	};
	for (uint8_t i = 0; i < w->n_jump_offs; i++)
		stub->jumps[i] = (uint8_t)(w->jump_offs[i] - w->off);
	for (uint8_t i = 0; i < w->n_relative_offs; i++)
		stub->rip[i] = (uint8_t)(w->relative_offs[i] - w->off);
	qsort(stub->rip, stub->n_rip, 1, by_offset);
	p->stubs.n_sites++;
	p->stubs.inl.n_sites++;
	return 0;
}

int inline_give_ret(struct plan *p, struct plan_site *s)
{
	const struct gofunc *fn = p->funcs[s->func].fn;
	uint64_t padding = 0;
	unsigned len = RET_BYTES + inline_padding_at(p, fn, s->vaddr + RET_BYTES);
	int err = 0;

	s->stub.why = STUB_SHORT;
	if (len < SHORT_JMP_BYTES)
		return 0;
	if (len >= JMP_BYTES) {
		len = JMP_BYTES;
		err = inline_note_padding(p, s->vaddr + RET_BYTES);
	} else {
		err = inline_take_padding(p, fn, s->vaddr, &padding);
		if (!padding)
			return err;
	}
	s->stub = (struct site_stub){
		.why = STUB_HAS_ONE,
		.kind = STUB_INLINE,
		.displaced_len = (uint8_t)len,
		.displaced_vaddr = s->vaddr,
		.returns = true,
		.padding_vaddr = padding,
	};
	p->stubs.n_sites++;
	p->stubs.inl.n_sites++;
	return err;
}

/* The branch gets a padding that one of the site's before it has, or one of its own. *reached:
 * there is one, or it needs none. */
static int add_branch(struct plan *p, const struct plan_site *s, const struct gocode *code,
		      const struct code_branch *from, size_t first, bool *reached)
{
	struct plan_stubs *t = &p->stubs;
	const struct gofunc *fn = p->funcs[s->func].fn;
	struct plan_branch b = { .vaddr = fn->vaddr + from->off, .len = from->len };
	int err = vec_reserve(&t->branches, &t->cap_branches, t->n_branches + 1);

	for (size_t i = first; b.len == SHORT_JMP_BYTES && i < t->n_branches; i++)
		if (t->branches[i].padding_vaddr &&
		    inline_padding_reached(b.vaddr, t->branches[i].padding_vaddr))
			b.padding_vaddr = t->branches[i].padding_vaddr;
	if (!err && b.len == SHORT_JMP_BYTES && !b.padding_vaddr)
		err = inline_take_padding(p, fn, b.vaddr, &b.padding_vaddr);
	if (!err && b.len == SHORT_JMP_BYTES && !b.padding_vaddr) {
		err = inline_take_room(p, fn, code, b.vaddr, &b.padding_vaddr, &b.room);
		b.has_room = b.padding_vaddr != 0;
	}
	*reached = b.len > SHORT_JMP_BYTES || b.padding_vaddr;
	if (!err && *reached)
		t->branches[t->n_branches++] = b;
	return err;
}

int inline_give_branches(struct plan *p, struct plan_site *s, const struct gocode *code, size_t ret)
{
	const struct code_branches *from = &code->inline_branches[ret];
	const struct code_window *w = &code->inline_rets[ret];
	size_t first = p->stubs.n_branches;
	bool reached = true;
	int err = 0;

	for (uint8_t i = 0; i < from->n && reached && !err; i++)
		err = add_branch(p, s, code, &from->at[i], first, &reached);
	if (!err && reached && w->len)
		err = inline_give_stub(p, s, w, code, true);
	if (err || !reached || (w->len && !site_has_stub(s))) {
		p->stubs.n_branches = first;
		return err;
	}
	if (!w->len) {
		s->stub = (struct site_stub){ .why = STUB_HAS_ONE,
					      .kind = STUB_INLINE,
					      .to_frame_bytes = from->to_frame_bytes,
					      .ring_to_frame_bytes = from->to_frame_bytes };
		p->stubs.n_sites++;
		p->stubs.inl.n_sites++;
	}
	s->stub.first_branch = (uint32_t)first;
	s->stub.n_branches = from->n;
	s->stub.branches_to = p->funcs[s->func].fn->vaddr + from->to;
	return 0;
}

struct inline_stub inline_describe_branches(const struct plan_site *s)
{
	return (struct inline_stub){
		.site = s->number,
		.late = true,
		.window = s->stub.branches_to,
		.back = s->stub.branches_to,
	};
}

static enum inline_tells tells_of(const struct plan_site *s)
{
	switch ((enum event_kind)s->kind) {
	case EV_STATE:
		return s->state_at == STATE_AT_STATUS ? INLINE_STATUS : INLINE_STATE;
	case EV_END:
		return INLINE_END;
	case EV_CREATE:
		return INLINE_CREATE;
	case EV_STOP:
		return INLINE_STOP;
	case EV_RESUME:
		return INLINE_GROWTH;
	case EV_ENTRY:
	case EV_EXIT:
	case EV_TAIL:
	case EV_ENTRY_EXIT:
	case EV_ENTRY_TAIL:
	case EV_MORESTACK:
	case EV_UNWIND:
	case EV_LOSS:
	case EV_IMAGE:
	case EV_RELEASED:
	case EV_WAKE:
	case EV_WINDOW:
	case EV_SAMPLE:
		break;
	}
	return INLINE_DEPTH;
}

int inline_describe(const struct plan *p, const struct plan_site *s, struct inline_stub *out)
{
	const struct site_stub *stub = &s->stub;

	*out = (struct inline_stub){
		.site = s->number,
		.tells = tells_of(s),
		.state = s->kind == EV_STATE ? p->states->depth[s->state_at] : 0,
		.keeps_rdx = stub->keeps_rdx,
		.late = stub->late,
		.returns = stub->returns,
		.window = stub->displaced_vaddr,
		.displaced = gobin_bytes(p->binary, stub->displaced_vaddr, stub->displaced_len),
		.len = stub->displaced_len,
		.compare_len = stub->compare_len,
		.back = stub->displaced_vaddr + stub->displaced_len,
	};
	if (stub->compare_len)
		out->compare = gobin_bytes(p->binary, stub->displaced_vaddr - stub->compare_len,
					   stub->compare_len);
	if (!out->displaced || (stub->compare_len && !out->compare))
		return -EBADMSG;
	inline_add_fixes(out, stub->rip, stub->n_rip, stub->jumps, stub->n_jumps);
	if (stub->has_call)
		out->fixes[out->n_fixes++] = (struct inline_fix){ .off = stub->displaced_len - 4,
								  .kind = INLINE_FIX_CALL };
	return 0;
}

static unsigned add_switch(const struct plan *p, const struct inline_stub *stub, uint32_t enter_off,
			   struct plan_switch *out)
{
	const struct inline_program program = inline_program_of(p);
	struct inline_parts parts;

	if (inline_stub_parts(&program, stub, &parts) || !parts.record_switch)
		return 0;
	*out = (struct plan_switch){ enter_off + parts.record_switch, INLINE_RECORDS,
				     INLINE_SILENT };
	return 1;
}

unsigned plan_switches(const struct plan *p, const struct plan_site *s,
		       struct plan_switch out[PLAN_SWITCHES])
{
	struct inline_stub stub;
	unsigned n = 0;

	if (s->stub.displaced_len && !inline_describe(p, s, &stub))
		n += add_switch(p, &stub, s->stub.enter_off, out);
	if (s->stub.n_branches) {
		stub = inline_describe_branches(s);
		n += add_switch(p, &stub, s->stub.branches_enter_off, out + n);
	}
	return n;
}

/* ---- the hook */

static int gather(const struct plan *p, struct inline_hook *h)
{
	const struct inline_program program = inline_program_of(p);
	int err = 0;

	for (size_t i = 0; i < p->n_sites && !err; i++) {
		const struct plan_site *s = &p->sites[i];
		struct inline_stub stub;

		if (!site_is_inline(s))
			continue;
		if (s->stub.displaced_len) {
			err = inline_describe(p, s, &stub);
			if (!err)
				err = inline_hook_add(h, &program, &stub, p->stubs.vaddr,
						      s->stub.enter_off);
		}
		if (!err && s->stub.n_branches) {
			stub = inline_describe_branches(s);
			err = inline_hook_add(h, &program, &stub, p->stubs.vaddr,
					      s->stub.branches_enter_off);
		}
	}
	for (size_t i = 0; i < p->stubs.n_rooms && !err; i++) {
		struct inline_stub stub;

		err = inline_describe_room(p, &p->stubs.rooms[i], &stub);
		if (!err)
			err = inline_hook_add(h, &program, &stub, p->stubs.vaddr,
					      p->stubs.rooms[i].enter_off);
	}
	return err;
}

int inline_add_hook(struct plan *p, uint64_t stubs_bytes, uint8_t *code, size_t *bytes)
{
	struct inline_hook *h = inline_hook_new();
	const struct gofunc *funcs;
	size_t n = gobin_funcs(p->binary, &funcs);
	const struct inline_hook_place place = {
		.addr = p->stubs.vaddr + stubs_bytes,
		.stubs = p->stubs.vaddr,
		.stubs_bytes = stubs_bytes,
		.text = plan_text_vaddr(p),
		.text_bytes = funcs[n - 1].vaddr + funcs[n - 1].size - funcs[0].vaddr,
		.sigtramp = p->stubs.inl.sigtramp_vaddr,
		.table = p->stubs.inl.table_vaddr,
		.signals = p->stubs.inl.table_vaddr + PLAN_INLINE_TABLE_BYTES,
	};
	int err = h ? gather(p, h) : -ENOMEM;

	if (!err)
		*bytes = inline_hook_bytes(h, stubs_bytes);
	if (!err && code)
		err = inline_hook_write(h, &place, code);
	inline_hook_free(h);
	return err;
}
