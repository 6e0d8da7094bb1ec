/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs that gc, the compiler of the Go toolchain, has not written, or that are packed: what
 * they are told by. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "binary/gobin_impl.h"

/* Where the loader of a packed program says so: behind the headers (UPX,
 * stub/src/include/header.S). */
#define PACKED_WITHIN 4096
#define PACKED_MARK   "UPX!"

static bool is_packed(const uint8_t *p, size_t size)
{
	return memmem(p, size < PACKED_WITHIN ? size : PACKED_WITHIN, PACKED_MARK,
		      strlen(PACKED_MARK)) != NULL;
}

bool gobin_is_packed(int fd)
{
	uint8_t head[PACKED_WITHIN];
	ssize_t n = pread(fd, head, sizeof(head), 0);

	return n >= SELFMAG && memcmp(head, ELFMAG, SELFMAG) == 0 && is_packed(head, (size_t)n);
}

/* Whether a string in the section begins with those bytes. */
static bool has_string(const struct gobin *b, const char *section, const char *what, size_t len)
{
	const struct elf_section *s = elffile_section(&b->elf, section);

	if (!s || s->type == SHT_NOBITS)
		return false;
	const uint8_t *start = b->elf.map + s->off, *p = start, *end = start + s->size;
	for (; (p = memmem(p, (size_t)(end - p), what, len)) != NULL; p++)
		if (p == start || p[-1] == 0)
			return true;
	return false;
}

/* What the producer of DWARF begins with, DW_AT_producer; `len` with a 0 or without. */
static bool has_producer(const struct gobin *b, const char *what, size_t len)
{
	return has_string(b, ".debug_str", what, len);
}

struct own_symbols {
	bool tinygo, gccgo;
};

/* Of TinyGo's runtime, src/runtime/asm_*.S; of gcc/go/gofrontend, which begins
 * package main there. Names of files are no marks. */
static int note_own(void *ctx, const struct gosym *sym)
{
	struct own_symbols *own = ctx;

	if (sym->type == STT_FILE)
		return 0;
	if (strncmp(sym->name, "tinygo_", 7) == 0)
		own->tinygo = true;
	else if (strcmp(sym->name, "__go_init_main") == 0)
		own->gccgo = true;
	return 0;
}

/* NULL: of none that is known. The words alone, among its data, make a program nobody's. */
static const char *compiler_of(const struct gobin *b)
{
	struct own_symbols own = { 0 };

	gosyms_each(b, note_own, &own);
	if (own.tinygo || has_producer(b, "TinyGo", sizeof("TinyGo")))
		return "TinyGo";
	/* stripped, it has the section still, or its library's name */
	if (own.gccgo || elffile_section(&b->elf, ".go_export") ||
	    has_string(b, ".dynstr", "libgo.so.", 9) || has_producer(b, "GNU Go ", 7))
		return "gccgo";
	return NULL;
}

int gokind_refuse(const struct gobin *b)
{
	const char *compiler = compiler_of(b);

	if (is_packed(b->elf.map, b->elf.size)) {
		log_error(
			"%s: packed by UPX. Its functions are not in the file; unpack it (upx -d), "
			"or trace it before it is packed",
			b->path);
		return -ENOTSUP;
	}
	if (compiler) {
		log_error("%s: built by %s, and only programs of the Go toolchain's own compiler, "
			  "gc, can be traced; build it with `go build -compiler=gc`",
			  b->path, compiler);
		return -ENOTSUP;
	}
	log_error("%s: not a Go program. It has neither a Go function table nor "
		  "build info; name a binary that `go build` wrote",
		  b->path);
	return -ENOEXEC;
}
