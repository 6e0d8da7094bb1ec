/* SPDX-License-Identifier: BSD-2-Clause */
/* .go.buildinfo (debug/buildinfo) and the build id notes. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "binary/gobin_impl.h"

#define BUILDINFO_MAGIC     "\xff Go buildinf:"
#define BUILDINFO_MAGIC_LEN 14
#define BUILDINFO_ALIGN     16
#define FLAG_BIG_ENDIAN     1
#define FLAG_INLINE         2 /* since Go 1.18: varint-prefixed strings follow at +32 */

/* The section, else (section headers stripped) its magic in a writable segment.
 * Returns its vaddr, 0 when there is none. */
static uint64_t find(const struct elffile *e)
{
	const struct elf_section *s = elffile_section(e, ".go.buildinfo");

	if (s && s->type != SHT_NOBITS)
		return s->vaddr;
	for (size_t i = 0; i < e->n_segments; i++) {
		const struct elf_segment *seg = &e->segments[i];
		uint64_t k = (BUILDINFO_ALIGN - seg->vaddr % BUILDINFO_ALIGN) % BUILDINFO_ALIGN;

		if (!(seg->flags & PF_W))
			continue;
		for (; k + 32 <= seg->filesz; k += BUILDINFO_ALIGN)
			if (!memcmp(e->map + seg->off + k, BUILDINFO_MAGIC, BUILDINFO_MAGIC_LEN))
				return seg->vaddr + k;
	}
	return 0;
}

/* A varint length and that many bytes; NULL when they do not fit. */
static const uint8_t *inline_string(const uint8_t **p, const uint8_t *end, uint64_t *len)
{
	*len = 0;
	for (unsigned shift = 0; shift < 63 && *p < end; shift += 7) {
		uint8_t c = *(*p)++;

		*len |= (uint64_t)(c & 0x7f) << shift;
		if (c & 0x80)
			continue;
		if (*len > (uint64_t)(end - *p))
			return NULL;
		const uint8_t *s = *p;
		*p += *len;
		return s;
	}
	return NULL;
}

/* Before Go 1.18: the address of a Go string header. */
static const uint8_t *pointed_string(const struct elffile *e, uint64_t at, uint64_t *len)
{
	uint64_t header, data;

	if (elffile_word(e, at, &header) < 0 || !header || elffile_word(e, header, &data) < 0 ||
	    elffile_word(e, header + 8, len) < 0 || *len > 1 << 24)
		return NULL;
	return elffile_bytes(e, data, *len);
}

static char *next_field(char **line)
{
	char *s = *line, *tab = s ? strchr(s, '\t') : NULL;

	if (tab)
		*tab++ = 0;
	*line = tab;
	return s ? s : (char *)"";
}

/* The line "mod\tPATH\tVERSION\tSUM" (runtime/debug/mod.go). */
static void parse_modules(struct gobin *b)
{
	b->main_module = (struct gomodule){ "", "" };
	for (char *p = b->modinfo, *eol; p && *p; p = eol) {
		eol = strchr(p, '\n');
		if (eol)
			*eol++ = 0;
		if (strcmp(next_field(&p), "mod") != 0)
			continue;
		b->main_module.path = next_field(&p);
		b->main_module.version = next_field(&p);
	}
}

/* 26 of "go1.26.8", "devel go1.27-0123456", "go1.27rc1"; -1 when it says nothing. */
static int minor_of(const char *version)
{
	const char *p = strstr(version, "go1.");
	int minor = 0;

	if (!p || p[4] < '0' || p[4] > '9')
		return -1;
	for (p += 4; *p >= '0' && *p <= '9' && minor < 1000; p++)
		minor = minor * 10 + (*p - '0');
	return minor;
}

int buildinfo_read(struct gobin *b)
{
	const uint8_t *ver = NULL, *mod = NULL;
	uint64_t ver_len = 0, mod_len = 0, avail, at = find(&b->elf);
	const uint8_t *p = at ? elffile_span(&b->elf, at, &avail) : NULL;

	b->minor = -1;
	b->main_module = (struct gomodule){ "", "" };
	if (p && avail >= 32 && !memcmp(p, BUILDINFO_MAGIC, BUILDINFO_MAGIC_LEN) &&
	    !(p[15] & FLAG_BIG_ENDIAN)) {
		if (p[15] & FLAG_INLINE) {
			const uint8_t *q = p + 32, *end = p + avail;

			ver = inline_string(&q, end, &ver_len);
			mod = ver ? inline_string(&q, end, &mod_len) : NULL;
		} else if (p[14] == 8) {
			ver = pointed_string(&b->elf, at + 16, &ver_len);
			mod = pointed_string(&b->elf, at + 24, &mod_len);
		}
	}
	if (ver_len > 256)
		ver = NULL;
	b->version = strndup(ver ? (const char *)ver : "", ver ? ver_len : 0);
	if (!b->version)
		return -ENOMEM;
	b->minor = minor_of(b->version);
	if (!ver)
		return -ENOENT;
	/* 16 bytes of sentinel are on either side (cmd/go/internal/modload/build.go). */
	if (mod && mod_len >= 33 && mod[mod_len - 17] == '\n') {
		b->modinfo = strndup((const char *)mod + 16, mod_len - 32);
		if (!b->modinfo)
			return -ENOMEM;
		parse_modules(b);
	}
	return 0;
}

/* The description of a note in `section`, as hex (GNU) or text (Go). Both
 * owners are 4 bytes long: "GNU" and, padded by the Go linker, "Go". */
static char *note_id(const struct elffile *e, const char *section, const char *owner, uint32_t type,
		     bool hex)
{
	const struct elf_section *s = elffile_section(e, section);

	if (!s || s->type != SHT_NOTE || s->size < 12)
		return NULL;
	const uint8_t *p = e->map + s->off;
	uint64_t len = load32(p + 4), at = 16;

	if (s->size < at || load32(p) != 4 || memcmp(p + 12, owner, 4) != 0 ||
	    load32(p + 8) != type || len == 0 || len > 1024 || len > s->size - at)
		return NULL;
	if (!hex)
		return strndup((const char *)p + at, len);
	char *out = malloc(2 * len + 1);
	for (uint64_t i = 0; out && i < len; i++)
		sprintf(out + 2 * i, "%02x", p[at + i]);
	return out;
}

int buildid_read(struct gobin *b)
{
	b->build_id = note_id(&b->elf, ".note.gnu.build-id", "GNU", 3, true);
	if (!b->build_id)
		b->build_id = note_id(&b->elf, ".note.go.buildid", "Go\0", 4, false);
	if (!b->build_id)
		b->build_id = strdup("");
	return b->build_id ? 0 : -ENOMEM;
}
