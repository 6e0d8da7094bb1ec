/* SPDX-License-Identifier: BSD-2-Clause */
#include "binary/gocode.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/vec.h"
#include "binary/arch.h"
#include "binary/gocode_impl.h"

static void keep_word(void *ctx, uint64_t vaddr)
{
	struct gocode_ctx *c = ctx;

	if (c->oom)
		return;
	if (vec_reserve(&c->words, &c->cap_words, c->n_words + 1) < 0)
		c->oom = true;
	else
		c->words[c->n_words++] = vaddr;
}

static int by_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void find_morestack(struct gocode_ctx *c)
{
	const struct gofunc *funcs;
	size_t n = gobin_funcs(c->b, &funcs);

	for (size_t i = 0; i < n && c->n_morestack < MAX_MORESTACK; i++)
		if (strcmp(funcs[i].name, "runtime.morestack") == 0 ||
		    strcmp(funcs[i].name, "runtime.morestack_noctxt") == 0 ||
		    strcmp(funcs[i].name, "runtime.morestackc") == 0)
			c->morestack[c->n_morestack++] = funcs[i].vaddr;
}

struct gocode_ctx *gocode_ctx_new(const struct gobin *b)
{
	struct gocode_ctx *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->b = b;
	c->arch = b->elf.arch->code;
	c->decoder = c->arch->open();
	int err = c->decoder ? 0 : -errno;
	if (err == -ENOTSUP) {
		log_error("%s", c->arch->no_decoder);
		gocode_ctx_free(c);
		errno = ENOTSUP;
		return NULL;
	}
	if (!err)
		gobin_text_words(b, keep_word, c);
	if (err || c->oom) {
		log_no_memory("out of memory while reading the program's code");
		gocode_ctx_free(c);
		errno = ENOMEM;
		return NULL;
	}
	if (c->n_words)
		qsort(c->words, c->n_words, sizeof(*c->words), by_u64);
	find_morestack(c);
	return c;
}

struct gocode_ctx *gocode_ctx_clone(const struct gocode_ctx *c)
{
	struct gocode_ctx *clone = malloc(sizeof(*clone));

	if (!clone)
		return NULL;
	*clone = *c;
	clone->cloned = true;
	clone->insns = NULL;
	clone->targets = NULL;
	clone->cap_insns = clone->cap_targets = 0;
	clone->decoder = c->arch->open();
	if (clone->decoder)
		return clone;
	int err = errno;
	gocode_ctx_free(clone);
	errno = err;
	return NULL;
}

void gocode_ctx_inline(struct gocode_ctx *c)
{
	c->want_inline = true;
}

void gocode_ctx_free(struct gocode_ctx *c)
{
	if (!c)
		return;
	if (c->decoder)
		c->arch->close(c->decoder);
	if (!c->cloned)
		free(c->words);
	free(c->insns);
	free(c->targets);
	free(c);
}

static int add_point(struct code_point **v, size_t *n, size_t *cap, struct code_point at)
{
	if (vec_reserve(v, cap, *n + 1) < 0)
		return -ENOMEM;
	(*v)[(*n)++] = at;
	return 0;
}

static int add_tail(const struct body *y, size_t i, size_t *cap, struct gocode *out)
{
	const struct insn *in = &y->insns[i];
	int32_t down = 0;

	if (vec_reserve(&out->tails, cap, out->n_tails + 1) < 0)
		return -ENOMEM;
	/* The compiler's own table of the stack pointer; assembly without a frame may have none. */
	if (gobin_sp_delta(y->c->b, y->f, y->f->vaddr + in->off, &down) < 0 || down < 0 ||
	    down > UINT16_MAX)
		down = 0;
	out->tails[out->n_tails++] = (struct code_tail){
		.at = point(in, down),
		.target = in->flow == FLOW_JMP ? y->f->vaddr + (uint64_t)in->target : 0,
	};
	return 0;
}

static int collect(const struct body *y, struct gocode *out)
{
	size_t cap_rets = 0, cap_tails = 0, cap_morestack = 0;
	int err = 0;

	for (size_t i = 0; !err && i < y->n; i++) {
		const struct insn *in = &y->insns[i];

		if (in->flow == FLOW_RET)
			err = add_point(&out->rets, &out->n_rets, &cap_rets, ret_point(in));
		else if (gocode_is_morestack_call(y, in))
			err = add_point(&out->morestack, &out->n_morestack, &cap_morestack,
					point(in, 0));
		else if (in->flow == FLOW_JMP && (in->target < 0 || in->target >= y->f->size))
			err = add_tail(y, i, &cap_tails, out);
		else if (in->flow == FLOW_JMP_IND && !y->c->arch->is_table_jump(y, i))
			err = add_tail(y, i, &cap_tails, out);
	}
	return err;
}

int gocode_analyze(struct gocode_ctx *c, const struct gofunc *f, struct gocode *out)
{
	struct body y = { .c = c, .f = f, .code = gobin_bytes(c->b, f->vaddr, f->size) };

	*out = (struct gocode){ 0 };
	if (!y.code || f->size == 0) {
		out->status = CODE_NO_BYTES;
		return 0;
	}
	int err = gocode_decode(&y);
	if (err == -EILSEQ) {
		out->status = CODE_UNDECODABLE;
		return 0;
	}
	if (!err)
		err = collect(&y, out);
	if (err) {
		gocode_free(out);
		return err;
	}
	struct check k = c->arch->check(&y);
	out->has_check = k.user;
	out->g_in_register = c->arch->g_in_register(&y, &k);
	out->loop_at_start = gocode_targeted(&y, 0, 0);
	out->start = point(&y.insns[0], 0);
	gocode_entry(&y, &k, out);
	gocode_values_entry(&y, &k, out);
	gocode_brief(&y, &k, out);
	if (c->arch->windows)
		err = c->arch->windows(&y, out);
	if (!err && c->want_inline && c->arch->inline_windows)
		err = c->arch->inline_windows(&y, out);
	if (err)
		gocode_free(out);
	return err;
}

void gocode_free(struct gocode *code)
{
	free(code->rets);
	free(code->ret_windows);
	free(code->inline_rets);
	free(code->inline_branches);
	free(code->inline_rooms);
	free(code->tails);
	free(code->morestack);
	*code = (struct gocode){ 0 };
}

int gocode_calls(struct gocode_ctx *c, const struct gofunc *f, uint64_t target,
		 struct code_point **points, size_t *n)
{
	struct body y = { .c = c, .f = f, .code = gobin_bytes(c->b, f->vaddr, f->size) };
	size_t cap = 0;
	int err = y.code && f->size ? gocode_decode(&y) : -EILSEQ;

	*points = NULL;
	*n = 0;
	for (size_t i = 0; !err && i < y.n; i++) {
		const struct insn *in = &y.insns[i];

		if ((in->flow == FLOW_CALL || in->flow == FLOW_JMP) &&
		    f->vaddr + (uint64_t)in->target == target)
			err = add_point(points, n, &cap, point(in, 0));
	}
	if (err) {
		free(*points);
		*points = NULL;
		*n = 0;
	}
	return err;
}
