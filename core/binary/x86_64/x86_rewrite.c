// SPDX-License-Identifier: BSD-2-Clause
/*
 * Who makes text writable. Looked for in the bytes: of a large binary nothing is decoded, and most
 * have no such function.
 */
#include <string.h>

#include "binary/gobin_impl.h"
#include "binary/gorewrite_impl.h"
#include "binary/x86_64/x86_impl.h"

#define SYS_MPROTECT   10
#define CALL           0xe8
#define CALL_BYTES     5
#define PROT_WRITING   2
#define PROT_EXECUTING 4
#define PROT_ALL       7
/* How far an argument is set before a call: a few instructions. */
#define ARG_BYTES 64

/* Functions that pass the protection on to mprotect. */
#define TAKERS_MAX 32
struct taker {
	uint64_t vaddr;
	bool in_edi; /* it is the fourth argument; else any */
};

struct search {
	const struct gobin *b;
	struct taker takers[TAKERS_MAX];
	size_t n_takers;
	void (*fn)(void *ctx, const struct gofunc *f);
	void *ctx;
};

static void add_taker(struct search *s, const struct gofunc *f, bool in_edi)
{
	for (size_t i = 0; i < s->n_takers; i++)
		if (s->takers[i].vaddr == f->vaddr)
			return;
	if (s->n_takers < TAKERS_MAX)
		s->takers[s->n_takers++] = (struct taker){ f->vaddr, in_edi };
}

/* ---- constants in registers */

enum { REG_AX = 0, REG_DX = 2, REG_DI = 7 };

/* The register and value of a `mov $imm, reg` at p; its length, 0: it is none. Into the eight old
 * registers, as the compiler and the assembler spell it. */
static unsigned constant(const uint8_t *p, size_t n, unsigned *reg, uint32_t *value)
{
	if (n >= 5 && p[0] >= 0xb8 && p[0] <= 0xbf) {
		*reg = p[0] - 0xb8u;
		*value = load32(p + 1);
		return 5;
	}
	if (n >= 7 && p[0] == 0x48 && p[1] == 0xc7 && p[2] >= 0xc0 && p[2] <= 0xc7) {
		*reg = p[2] - 0xc0u;
		*value = load32(p + 3);
		return 7;
	}
	return 0;
}

/* Do bytes from..to of the code set a register, or any with reg -1, to a protection that has
 * all bits of `least`. */
static bool sets_protection(const uint8_t *code, size_t from, size_t to, int reg, uint32_t least)
{
	for (size_t i = from; i < to; i++) {
		unsigned r;
		uint32_t v;

		if (i && (code[i - 1] & 0xf1) == 0x41) /* REX.B: one of the new registers */
			continue;
		if (constant(code + i, to - i, &r, &v) && (reg < 0 || r == (unsigned)reg) &&
		    v < 8 && (v & least) == least)
			return true;
	}
	return false;
}

/* ---- system calls by number */

/* Looks behind a place that sets eax to mprotect's number: the system call itself, or a call of a
 * function that makes it. */
static void look_at_number(struct search *s, uint64_t vaddr)
{
	const struct gofunc *f = gobin_func_at(s->b, vaddr);
	const uint8_t *code = f ? gobin_bytes(s->b, f->vaddr, f->size) : NULL;
	const size_t at = f ? vaddr - f->vaddr : 0;

	for (size_t i = at; code && i + 2 <= f->size && i < at + ARG_BYTES; i++) {
		if (code[i] == 0x0f && code[i + 1] == 0x05) {
			if (sets_protection(code, at > ARG_BYTES ? at - ARG_BYTES : 0, i, REG_DX,
					    PROT_WRITING))
				s->fn(s->ctx, f);
			return;
		}
		if (code[i] != CALL || i + CALL_BYTES > f->size)
			continue;
		const struct gofunc *to = gobin_func_at(
			s->b, f->vaddr + i + CALL_BYTES + (uint64_t)(int32_t)load32(code + i + 1));

		if (!to || !gorewrite_is_syscall(to))
			continue;
		if (sets_protection(code, at > ARG_BYTES ? at - ARG_BYTES : 0, i, REG_DI,
				    PROT_WRITING | PROT_EXECUTING))
			s->fn(s->ctx, f);
		else if (!sets_protection(code, at > ARG_BYTES ? at - ARG_BYTES : 0, i, REG_DI, 0))
			add_taker(s, f, gorewrite_is_mprotect(f));
		return;
	}
}

/* The number is a rare byte of code: it is found several times as fast as the whole spelling. */
static void find_numbers(struct search *s, const struct elf_segment *seg)
{
	static const struct {
		uint8_t bytes[7];
		ptrdiff_t n, number_at;
	} spellings[] = {
		{ { 0xb8, SYS_MPROTECT, 0, 0, 0 }, 5, 1 },
		{ { 0x48, 0xc7, 0xc0, SYS_MPROTECT, 0, 0, 0 }, 7, 3 },
	};
	const uint8_t *p = s->b->elf.map + seg->off, *end = p + seg->filesz;

	for (size_t k = 0; k < sizeof(spellings) / sizeof(*spellings); k++) {
		const ptrdiff_t n = spellings[k].n, at = spellings[k].number_at;
		const uint8_t *hit = p;

		for (; (hit = memchr(hit, SYS_MPROTECT, (size_t)(end - hit))); hit++)
			if (hit - p >= at && end - hit >= n - at &&
			    !memcmp(hit - at, spellings[k].bytes, (size_t)n))
				look_at_number(s, seg->vaddr + (uint64_t)(hit - at - p));
	}
}

/* ---- calls of those that pass the protection on */

static void look_at_call(struct search *s, const struct taker *t, uint64_t vaddr)
{
	const struct gofunc *f = gobin_func_at(s->b, vaddr);
	const uint8_t *code = f ? gobin_bytes(s->b, f->vaddr, f->size) : NULL;
	const size_t at = f ? vaddr - f->vaddr : 0;

	if (!code)
		return;
	const size_t from = at > ARG_BYTES ? at - ARG_BYTES : 0;

	/* A function that passes it on may number protections as it likes, but for all of them. */
	if (sets_protection(code, from, at, t->in_edi ? REG_DI : -1,
			    t->in_edi ? PROT_WRITING | PROT_EXECUTING : PROT_ALL))
		s->fn(s->ctx, f);
	else if (t->in_edi && !sets_protection(code, from, at, REG_DI, 0))
		add_taker(s, f, false);
}

static void find_calls(struct search *s, const struct taker *t, const struct elf_segment *seg)
{
	const uint8_t *p = s->b->elf.map + seg->off, *end = p + seg->filesz, *hit = p;

	while (end - hit >= CALL_BYTES && (hit = memchr(hit, CALL, (size_t)(end - hit)))) {
		const uint64_t at = seg->vaddr + (uint64_t)(hit - p);

		if (end - hit >= CALL_BYTES &&
		    at + CALL_BYTES + (uint64_t)(int32_t)load32(hit + 1) == t->vaddr)
			look_at_call(s, t, at);
		hit++;
	}
}

void x86_text_writers(const struct gobin *b, void (*fn)(void *ctx, const struct gofunc *f),
		      void *ctx)
{
	struct search s = { .b = b, .fn = fn, .ctx = ctx };
	const struct elffile *e = &b->elf;

	for (size_t i = 0; i < b->n_funcs; i++)
		if (gorewrite_is_mprotect(&b->funcs[i]))
			add_taker(&s, &b->funcs[i], true);
	for (size_t i = 0; i < e->n_segments; i++)
		if (e->segments[i].flags & PF_X)
			find_numbers(&s, &e->segments[i]);
	/* Callers of the first ones are added meanwhile. */
	for (size_t k = 0; k < s.n_takers; k++)
		for (size_t i = 0; i < e->n_segments; i++)
			if (e->segments[i].flags & PF_X)
				find_calls(&s, &s.takers[k], &e->segments[i]);
}
