// SPDX-License-Identifier: BSD-2-Clause
#include "binary/look_fixture.h"

#include <string.h>

#include "binary/gocode.h"

static void mix(uint64_t *digest, uint64_t v)
{
	*digest = (*digest ^ v) * 0x9e3779b97f4a7c15ull;
	*digest ^= *digest >> 29;
}

static void mix_text(uint64_t *digest, const char *s)
{
	for (; s && *s; s++)
		mix(digest, (uint8_t)*s);
	mix(digest, 256 + !s);
}

static void word(void *ctx, uint64_t vaddr)
{
	mix(ctx, vaddr);
}

static void inlined(void *ctx, const char *name)
{
	mix_text(ctx, name);
}

static const char *look_at_code(struct gocode_ctx *c, const struct gofunc *f, uint64_t *digest)
{
	struct gocode code;
	const char *fault = NULL;

	if (gocode_analyze(c, f, &code))
		return "code cannot be looked at";
	mix(digest, code.status);
	mix(digest, code.has_entry ? code.entry.off : UINT32_MAX);
	for (size_t i = 0; i < code.n_rets; i++) {
		if (code.rets[i].off >= f->size)
			fault = "a RET outside its function";
		mix(digest, code.rets[i].off);
	}
	for (size_t i = 0; i < code.n_tails; i++)
		mix(digest, code.tails[i].target);
	gocode_free(&code);
	return fault;
}

static const char *look_at_func(const struct gobin *b, struct gocode_ctx *c, const struct gofunc *f,
				uint64_t *digest)
{
	const char *file = NULL;
	uint32_t line = 0;

	mix_text(digest, f->name);
	mix_text(digest, f->file);
	mix(digest, f->vaddr);
	mix(digest, f->size);
	mix(digest, f->flags);
	mix(digest, f->start_line);
	gobin_func_named(b, f->name);
	if (f->size && !gobin_func_at(b, f->vaddr))
		return "a function that is not where it is";
	if (!gobin_line(b, f->vaddr + f->size / 2, &file, &line))
		mix_text(digest, file);
	mix(digest, line);
	mix(digest, (uint64_t)gobin_inlined(b, f, inlined, digest));
	return look_at_code(c, f, digest);
}

static void look_at_whole(const struct gobin *b, uint64_t *digest)
{
	const struct gomodule *module = gobin_main_module(b);
	struct golayout layout;
	int64_t off;

	mix_text(digest, gobin_go_version(b));
	mix_text(digest, gobin_build_id(b));
	mix_text(digest, module->path);
	mix(digest, gobin_is_pie(b) + 2u * gobin_has_dwarf(b));
	if (!gobin_layout(b, &layout)) {
		mix(digest, (uint64_t)layout.g_goid);
		mix(digest, (uint64_t)layout.panic_goexit);
	}
	if (!gobin_tls_g(b, &off))
		mix(digest, (uint64_t)off);
	gobin_text_words(b, word, digest);
}

const char *look_at_everything(const struct gobin *b, size_t max_funcs, uint64_t *digest)
{
	const struct gofunc *funcs;
	size_t n = gobin_funcs(b, &funcs);
	struct gocode_ctx *c = gocode_ctx_new(b);
	const char *fault = c ? NULL : "capstone cannot be had";

	*digest = n;
	look_at_whole(b, digest);
	for (size_t i = 0; !fault && i < n; i += n / max_funcs + 1)
		fault = look_at_func(b, c, &funcs[i], digest);
	gocode_ctx_free(c);
	return fault;
}

size_t look_edit(const uint8_t *bytes, size_t size, size_t at, uint8_t what, uint32_t value,
		 uint8_t out[8])
{
	static const uint64_t bad[] = { 0,         1,          0x7f,       0x80,
					0xff,      0x7fffffff, 0x80000000, UINT32_MAX,
					INT64_MAX, 1ull << 63, UINT64_MAX };
	size_t width = 1u << (what & 3);
	unsigned how = what >> 2;
	uint64_t v = 0;

	if (width > size - at)
		width = 1;
	memcpy(&v, bytes + at, width);
	if (how < sizeof(bad) / sizeof(bad[0]))
		v = bad[how];
	else if (how < 32)
		v += (uint64_t)(int64_t)(int32_t)value;
	else if (how < 40)
		v ^= 1ull << (value & 63);
	else
		v = value;
	memcpy(out, &v, sizeof(v));
	return width;
}
