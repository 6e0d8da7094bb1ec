// SPDX-License-Identifier: BSD-2-Clause
/* Who makes text writable. Looked for in the words of the text: nothing is decoded. */
#include <string.h>

#include "binary/arm64/arm64_impl.h"
#include "binary/arm64/arm64_insn.h"
#include "binary/gobin_impl.h"
#include "binary/gorewrite_impl.h"

#define SYS_MPROTECT   226
#define SVC            0xd4000001
#define PROT_WRITING   2
#define PROT_EXECUTING 4
#define PROT_ALL       7
/* How far an argument is set before a call: a few instructions. */
#define ARG_WORDS 16

enum { REG_FIRST = 0, REG_PROT_OF_CALL = 2, REG_FOURTH = 3, REG_NUMBER = 8 };

/* Functions that pass the protection on to mprotect. */
#define TAKERS_MAX 32
struct taker {
	uint64_t vaddr;
	bool in_fourth; /* it is the fourth argument; else any */
};

struct search {
	const struct gobin *b;
	struct taker takers[TAKERS_MAX];
	size_t n_takers;
	void (*fn)(void *ctx, const struct gofunc *f);
	void *ctx;
};

static void add_taker(struct search *s, const struct gofunc *f, bool in_fourth)
{
	for (size_t i = 0; i < s->n_takers; i++)
		if (s->takers[i].vaddr == f->vaddr)
			return;
	if (s->n_takers < TAKERS_MAX)
		s->takers[s->n_takers++] = (struct taker){ f->vaddr, in_fourth };
}

/* Do the words before index `end` of the code set a register, or any with reg -1, to a protection
 * that has all bits of `least`. */
static bool sets_protection(const uint8_t *code, size_t end, int reg, uint32_t least)
{
	for (size_t i = end > ARG_WORDS ? end - ARG_WORDS : 0; i < end; i++) {
		unsigned rd;
		uint64_t n;

		if (arm64_constant(load32(code + i * ARM64_BYTES), &rd, &n) && n <= PROT_ALL &&
		    (reg < 0 || rd == (unsigned)reg) && (n & least) == least)
			return true;
	}
	return false;
}

/* Looks behind a place that sets a register to mprotect's number: the system call itself, or a call
 * of a function that makes it. */
static void look_at_number(struct search *s, const struct gofunc *f, const uint8_t *code, size_t at)
{
	const size_t n = f->size / ARM64_BYTES;

	for (size_t i = at; i < n && i < at + ARG_WORDS; i++) {
		const uint32_t w = load32(code + i * ARM64_BYTES);

		if (w == SVC) {
			if (sets_protection(code, i, REG_PROT_OF_CALL, PROT_WRITING))
				s->fn(s->ctx, f);
			return;
		}
		const uint64_t target = arm64_called(code + i * ARM64_BYTES, ARM64_BYTES,
						     f->vaddr + i * ARM64_BYTES);
		const struct gofunc *to = target ? gobin_func_at(s->b, target) : NULL;

		if (!to || !gorewrite_is_syscall(to))
			continue;
		if (sets_protection(code, i, REG_FOURTH, PROT_WRITING | PROT_EXECUTING))
			s->fn(s->ctx, f);
		else if (!sets_protection(code, i, REG_FOURTH, 0))
			add_taker(s, f, gorewrite_is_mprotect(f));
		return;
	}
}

static void look_at_call(struct search *s, const struct taker *t, const struct gofunc *f,
			 const uint8_t *code, size_t at)
{
	const int reg = t->in_fourth ? REG_FOURTH : -1;

	/* A function that passes it on may number protections as it likes, but for all of them. */
	if (sets_protection(code, at, reg, t->in_fourth ? PROT_WRITING | PROT_EXECUTING : PROT_ALL))
		s->fn(s->ctx, f);
	else if (t->in_fourth && !sets_protection(code, at, REG_FOURTH, 0))
		add_taker(s, f, false);
}

/* Calls fn for each word of each function that sets mprotect's number (t NULL), or calls t. */
static void look_at_all(struct search *s, const struct taker *t)
{
	for (size_t i = 0; i < s->b->n_funcs; i++) {
		const struct gofunc *f = &s->b->funcs[i];
		const uint8_t *code = gobin_bytes(s->b, f->vaddr, f->size);

		for (size_t k = 0; code && k < f->size / ARM64_BYTES; k++) {
			const uint8_t *at = code + k * ARM64_BYTES;
			unsigned rd;
			uint64_t n;

			if (t &&
			    arm64_called(at, ARM64_BYTES, f->vaddr + k * ARM64_BYTES) == t->vaddr)
				look_at_call(s, t, f, code, k);
			else if (!t && arm64_constant(load32(at), &rd, &n) && n == SYS_MPROTECT &&
				 (rd == REG_FIRST || rd == REG_NUMBER))
				look_at_number(s, f, code, k);
		}
	}
}

void arm64_text_writers(const struct gobin *b, void (*fn)(void *ctx, const struct gofunc *f),
			void *ctx)
{
	struct search s = { .b = b, .fn = fn, .ctx = ctx };

	for (size_t i = 0; i < b->n_funcs; i++)
		if (gorewrite_is_mprotect(&b->funcs[i]))
			add_taker(&s, &b->funcs[i], true);
	look_at_all(&s, NULL);
	/* Callers of the first ones are added meanwhile. */
	for (size_t k = 0; k < s.n_takers; k++) {
		const struct taker t = s.takers[k];

		look_at_all(&s, &t);
	}
}
