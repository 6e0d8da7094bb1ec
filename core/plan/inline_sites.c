// SPDX-License-Identifier: BSD-2-Clause
#include "plan/inline_sites.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "plan/inline_hook.h"
#include "plan/ring.h"

#define JMP_BYTES       5
#define SHORT_JMP_BYTES 2
#define SHORT_JMP_REACH 128
#define FUNC_GAP_MAX    (1u << 20) /* between functions: no padding where it is larger */

_Static_assert(RING_TABLE_BYTES <= PLAN_INLINE_TABLE_BYTES &&
		       sizeof(struct ring_signals) <= PLAN_INLINE_SIGNALS_BYTES,
	       "a page each");

/* ---- the program */

static const char *find_obstacle(struct plan *p, const struct plan_inline_options *opt)
{
	const struct golayout *l = opt->layout;
	const struct gofunc *fn = gobin_func_named(p->binary, "runtime.sigtramp");
	const uint8_t *code = fn ? gobin_bytes(p->binary, fn->vaddr, INLINE_SIGTRAMP_BYTES) : NULL;

	if (l && (l->g_atomicstatus < 0 || l->m_p < 0 || l->m_procid < 0))
		return "where this runtime keeps a goroutine's state, P or thread is not known";
	if (!code || memcmp(code, inline_sigtramp, INLINE_SIGTRAMP_BYTES))
		return "its signal handler, runtime.sigtramp, is not as it is known";
	/* (A program linked with -linkshared, whose code keeps r15, has no runtime of its own.) */
	p->stubs.inl.sigtramp_vaddr = fn->vaddr;
	return NULL;
}

bool inline_possible(struct plan *p, const struct plan_inline_options *opt)
{
	p->stubs.inl.options = *opt;
	p->stubs.inl.obstacle = find_obstacle(p, opt);
	return !p->stubs.inl.obstacle;
}

bool inline_allowed(const struct plan *p, const struct plan_func *f)
{
	return p->stubs.kind == STUB_INLINE && !f->of_runtime &&
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
		.table = p->stubs.inl.table_vaddr,
		.ring_size = opt->ring_bytes ? opt->ring_bytes : RING_SIZE_MIN,
		.drop = opt->drop,
	};
}

/* ---- padding */

static bool padding_is_taken(const struct plan_inline *inl, uint64_t at)
{
	/* Those of other functions are far away. */
	for (size_t i = inl->n_paddings; i-- > 0 && i + 64 > inl->n_paddings;)
		if (at < inl->paddings[i] + JMP_BYTES && inl->paddings[i] < at + JMP_BYTES)
			return true;
	return false;
}

/* Five free bytes of padding after function number i, which a jump of two bytes that ends at `end`
 * reaches. 0: none. */
static uint64_t padding_after(const struct plan *p, const struct gofunc *funcs, size_t n, size_t i,
			      uint64_t end)
{
	const struct gofunc *f = &funcs[i];

	if (i + 1 >= n || ((f->flags | funcs[i + 1].flags) & GOFUNC_FIPS))
		return 0;
	const uint64_t next = funcs[i + 1].vaddr;
	const uint8_t *code = next - f->vaddr < FUNC_GAP_MAX
				      ? gobin_bytes(p->binary, f->vaddr, next - f->vaddr)
				      : NULL;
	uint64_t at = next;

	if (!code)
		return 0;
	while (at > f->vaddr && code[at - 1 - f->vaddr] == 0xcc)
		at--;
	/* An int3 may belong to the function: its padding begins at the next one. */
	if (at < f->vaddr + f->size && at + 1 < next && f->size < next - f->vaddr)
		at = f->vaddr + f->size;
	for (; at + JMP_BYTES <= next; at++) {
		int64_t distance = (int64_t)(at - end);

		if (distance >= -SHORT_JMP_REACH && distance < SHORT_JMP_REACH &&
		    !padding_is_taken(&p->stubs.inl, at))
			return at;
	}
	return 0;
}

static uint64_t find_padding(const struct plan *p, const struct gofunc *fn, uint64_t vaddr)
{
	const struct gofunc *funcs;
	size_t n = gobin_funcs(p->binary, &funcs), i = (size_t)(fn - funcs);
	uint64_t at = padding_after(p, funcs, n, i, vaddr + SHORT_JMP_BYTES);

	return at || !i ? at : padding_after(p, funcs, n, i - 1, vaddr + SHORT_JMP_BYTES);
}

static int take_padding(struct plan_inline *inl, uint64_t at)
{
	int err = vec_reserve(&inl->paddings, &inl->cap_paddings, inl->n_paddings + 1);

	if (!err)
		inl->paddings[inl->n_paddings++] = at;
	return err;
}

/* ---- sites */

static int by_offset(const void *a, const void *b)
{
	return *(const uint8_t *)a - *(const uint8_t *)b;
}

int inline_give_stub(struct plan *p, struct plan_site *s, const struct code_window *w,
		     bool at_return)
{
	const struct gofunc *fn = p->funcs[s->func].fn;
	uint64_t padding = 0;
	int err;

	if (w->has_call && p->stubs.inl.options.shadow_stack) {
		s->stub.why = STUB_FLOW;
		return 0;
	}
	if (w->len < JMP_BYTES) {
		padding = find_padding(p, fn, fn->vaddr + w->off);
		err = padding ? take_padding(&p->stubs.inl, padding) : 0;
		s->stub.why = STUB_SHORT;
		if (!padding || err)
			return err;
	}
	const uint16_t after = at_return ? 0 : w->rsp_to_ra_after_bytes;
	struct site_stub *stub = &s->stub;
	*stub = (struct site_stub){
		.why = STUB_HAS_ONE,
		.kind = STUB_INLINE,
		.displaced_len = w->len,
		.displaced_vaddr = fn->vaddr + w->off,
		/* at the jump to a function that was called, its return address is there, too */
		.rsp_to_ra_bytes = after + (w->has_call ? 8 : 0),
		.ring_rsp_to_ra_bytes = w->reads ? after : w->rsp_to_ra_bytes,
		.keeps_rdx = !at_return,
		.late = w->reads,
		.has_call = w->has_call,
		.n_rip = w->n_rip_offs,
		.padding_vaddr = padding,
	};
	for (uint8_t i = 0; i < w->n_rip_offs; i++)
		stub->rip[i] = (uint8_t)(w->rip_offs[i] - w->off);
	qsort(stub->rip, stub->n_rip, 1, by_offset);
	p->stubs.n_sites++;
	p->stubs.inl.n_sites++;
	return 0;
}

int inline_describe(const struct plan *p, const struct plan_site *s, struct inline_stub *out)
{
	const struct site_stub *stub = &s->stub;

	*out = (struct inline_stub){
		.site = s->number,
		.keeps_rdx = stub->keeps_rdx,
		.late = stub->late,
		.window = stub->displaced_vaddr,
		.displaced = gobin_bytes(p->binary, stub->displaced_vaddr, stub->displaced_len),
		.len = stub->displaced_len,
		.back = stub->displaced_vaddr + stub->displaced_len,
	};
	if (!out->displaced)
		return -EBADMSG;
	for (uint8_t i = 0; i < stub->n_rip; i++)
		out->fixes[out->n_fixes++] = (struct inline_fix){ .off = stub->rip[i],
								  .kind = INLINE_FIX_MEMORY };
	if (stub->has_call)
		out->fixes[out->n_fixes++] = (struct inline_fix){ .off = stub->displaced_len - 4,
								  .kind = INLINE_FIX_CALL };
	return 0;
}

/* ---- the hook */

static int gather(const struct plan *p, struct inline_hook *h)
{
	const struct inline_program program = inline_program_of(p);
	int err = 0;

	for (size_t i = 0; i < p->n_sites && !err; i++) {
		struct inline_stub stub;

		if (!site_is_inline(&p->sites[i]))
			continue;
		err = inline_describe(p, &p->sites[i], &stub);
		if (!err)
			err = inline_hook_add(h, &program, &stub, p->stubs.vaddr,
					      p->sites[i].stub.enter_off);
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
		.text = funcs[0].vaddr,
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
