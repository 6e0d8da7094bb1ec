// SPDX-License-Identifier: BSD-2-Clause
#include "attach/probe_places.h"

#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"
#include "binary/disasm.h"
#include "bpf/event.h"
#include "trace/trace.h"

/* ---- finding them */

static int add(struct probe_places *p, uint64_t vaddr)
{
	int err = vec_reserve(&p->at, &p->cap, p->n + 1);

	if (!err)
		p->at[p->n++] = vaddr;
	return err;
}

/* A trap is entered with the pc behind its byte, is handled with it there or at the byte, and goes
 * on behind the instruction. The first instruction there waits for what the trap has thrown out of
 * the processor; a clock that comes meanwhile interrupts before the second. */
static int add_trap(struct probe_places *p, const struct plan_site *s)
{
	unsigned len = p->decoder ? disasm_length(p->decoder, s->vaddr) : 0;
	int err = add(p, s->vaddr);

	if (!err)
		err = add(p, s->vaddr + 1);
	if (!err && len > 1)
		err = add(p, s->vaddr + len);
	unsigned first = !err && len ? disasm_length(p->decoder, s->vaddr + len) : 0;

	return err || !first ? err : add(p, s->vaddr + len + first);
}

/* A body for each function of the plan. */
static int begin_bodies(struct probe_places *p, const struct plan *plan)
{
	uint32_t number = 0;
	int err = vec_reserve(&p->bodies, &p->cap_bodies, plan->n_funcs);

	for (size_t i = 0; i < plan->n_funcs && !err; i++) {
		const struct plan_func *f = &plan->funcs[i];

		p->bodies[p->n_bodies++] = (struct probe_body){
			.from = f->fn->vaddr,
			.to = f->fn->vaddr + f->fn->size,
			.func = f->fate == PLAN_PROBED ? number++ : TRACE_NONE,
		};
	}
	return err;
}

static int by_address(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int by_end(const void *a, const void *b)
{
	const struct probe_body *x = a, *y = b;

	return (x->to > y->to) - (x->to < y->to);
}

int probe_places_find(struct probe_places *p, const struct plan *plan, const bool *in_stub)
{
	*p = (struct probe_places){
		.stubs = plan->stubs.vaddr,
		.stubs_end = plan->stubs.vaddr + plan->stubs.bytes,
		.binary = plan->binary,
	};
	p->decoder = plan->binary ? disasm_new(plan->binary) : NULL;
	int err = plan->binary && !p->decoder ? -errno : begin_bodies(p, plan);

	for (size_t i = 0; i < plan->n_sites && !err; i++) {
		const struct plan_site *s = &plan->sites[i];

		if (!in_stub[i])
			err = add_trap(p, s);
		/* The jump back of other stubs is a trap, which ends in the text. */
		else if (!site_is_inline(s) && s->stub.displaced_len)
			err = add(p, s->stub.displaced_vaddr + s->stub.displaced_len);
		if (!in_stub[i] && s->func < p->n_bodies &&
		    (s->kind == EV_EXIT || s->kind == EV_ENTRY_EXIT))
			p->bodies[s->func].exit_traps = p->exits_trap = true;
	}
	if (p->n)
		qsort(p->at, p->n, sizeof(*p->at), by_address);
	if (p->n_bodies)
		qsort(p->bodies, p->n_bodies, sizeof(*p->bodies), by_end);
	return err;
}

void probe_places_free(struct probe_places *p)
{
	free(p->at);
	free(p->bodies);
	free(p->returns);
	disasm_free(p->decoder);
	hash_index_free(&p->returns_by_vaddr);
	*p = (struct probe_places){ 0 };
}

/* ---- asking them */

/* The body that ends next at or after an address; NULL: none does. */
static const struct probe_body *body_at(const struct probe_places *p, uint64_t vaddr)
{
	size_t low = 0, high = p->n_bodies;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (p->bodies[middle].to > vaddr)
			high = middle;
		else
			low = middle + 1;
	}
	return low < p->n_bodies ? &p->bodies[low] : NULL;
}

uint32_t probe_places_func(const struct probe_places *p, uint64_t vaddr)
{
	const struct probe_body *b = body_at(p, vaddr);

	return b && b->from <= vaddr ? b->func : TRACE_NONE;
}

#define INSN_BYTES 12 /* longer ones are rare */

enum after_call { NO_CALL, DIRECT_CALL, INDIRECT_CALL };

/* call rel32; call *REG, *(MEM): ff /2 with nothing, a SIB byte, a displacement behind it. *to: of
 * a direct one. */
static enum after_call follows_call(const struct probe_places *p, uint64_t vaddr, uint64_t *to)
{
	const uint8_t *b = p->binary ? gobin_bytes(p->binary, vaddr - 7, 7) : NULL;

	if (!b)
		return NO_CALL;
	if (b[2] == 0xe8) {
		uint32_t off = b[3] | b[4] << 8 | b[5] << 16 | (uint32_t)b[6] << 24;

		*to = vaddr + (uint64_t)(int64_t)(int32_t)off;
		return DIRECT_CALL;
	}
	for (unsigned i = 0; i < 6; i++)
		if (b[i] == 0xff && (b[i + 1] >> 3 & 7) == 2)
			return INDIRECT_CALL;
	return NO_CALL;
}

/* NULL: no memory */
static struct probe_return *return_at(struct probe_places *p, uint64_t vaddr)
{
	uint32_t hash = hash_u64(vaddr);
	size_t at;

	for (uint32_t i = hash_index_first(&p->returns_by_vaddr, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&p->returns_by_vaddr, hash, &at))
		if (p->returns[i].vaddr == vaddr)
			return &p->returns[i];
	if (vec_reserve(&p->returns, &p->cap_returns, p->n_returns + 1) ||
	    hash_index_put(&p->returns_by_vaddr, hash, (uint32_t)p->n_returns))
		return NULL;
	p->returns[p->n_returns] = (struct probe_return){ .vaddr = vaddr };
	return &p->returns[p->n_returns++];
}

/*
 * A RET that was stepped or performed leaves the pc where it returned to. Of the function that a
 * call names it is known whether it returns so. Of the others the samples tell: the time of a trap
 * passes in the kernel, that of the program's own instruction does not.
 */
static bool is_return_at(struct probe_places *p, uint64_t vaddr, uint64_t wire)
{
	uint64_t to;
	enum after_call call = follows_call(p, vaddr, &to);

	if (call == NO_CALL)
		return false;
	if (call == DIRECT_CALL) {
		const struct probe_body *b = body_at(p, to);

		return b && b->exit_traps;
	}
	struct probe_return *r = return_at(p, vaddr);

	if (!r)
		return true;
	if (wire & SAMPLE_WIRE_USER)
		r->user++;
	else
		r->kernel++;
	return r->kernel >= r->user;
}

/* There, or behind the first instruction there: see add_trap. */
static bool is_returning(struct probe_places *p, uint64_t vaddr, uint64_t wire)
{
	if (!p->exits_trap || wire & SAMPLE_WIRE_SYSCALL)
		return false;
	if (is_return_at(p, vaddr, wire))
		return true;
	for (unsigned len = 1; p->decoder && len < INSN_BYTES; len++) {
		uint64_t to;

		if (follows_call(p, vaddr - len, &to) != NO_CALL &&
		    disasm_length(p->decoder, vaddr - len) == len)
			return is_return_at(p, vaddr - len, wire);
	}
	return false;
}

/* The kernel's code for optimized uprobes is in pages of its own near the text
 * (arch/x86/kernel/uprobes.c: create_uprobe_trampoline, Linux 6.18). */
static bool in_uprobe_page(struct probe_places *p, uint64_t pc, uint64_t wire)
{
	for (size_t i = 0; i < p->n_pages; i++)
		if (p->pages[i] == pc >> 12)
			return true;
	if (wire & SAMPLE_WIRE_UPROBE && p->n_pages < sizeof(p->pages) / sizeof(*p->pages))
		p->pages[p->n_pages++] = pc >> 12;
	return wire & SAMPLE_WIRE_UPROBE;
}

unsigned probe_places_sampled(struct probe_places *p, uint64_t pc, uint64_t text_bias,
			      uint64_t wire)
{
	uint64_t vaddr = pc - text_bias;

	if (wire & SAMPLE_WIRE_STEPPING || in_uprobe_page(p, pc, wire))
		return SAMPLED_TRAP;
	if (vaddr - p->stubs < p->stubs_end - p->stubs)
		return SAMPLED_STUB;
	if ((p->n && bsearch(&vaddr, p->at, p->n, sizeof(*p->at), by_address)) ||
	    is_returning(p, vaddr, wire))
		return SAMPLED_TRAP;
	if (wire & SAMPLE_WIRE_SYSCALL)
		return SAMPLED_SYSCALL;
	return wire & SAMPLE_WIRE_USER ? SAMPLED_PROGRAM : SAMPLED_KERNEL;
}
