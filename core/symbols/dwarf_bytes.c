// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/dwarf_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/clock.h"
#include "binary/foreign_elf.h"

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

static const char *const names[DWARF_N_SECTIONS] = {
	[DWARF_INFO] = ".debug_info",
	[DWARF_ABBREV] = ".debug_abbrev",
	[DWARF_STR] = ".debug_str",
	[DWARF_LINE_STR] = ".debug_line_str",
	[DWARF_STR_OFFSETS] = ".debug_str_offsets",
	[DWARF_ADDR] = ".debug_addr",
	[DWARF_RANGES] = ".debug_ranges",
	[DWARF_RNGLISTS] = ".debug_rnglists",
	[DWARF_LINE] = ".debug_line",
	[DWARF_ALTLINK] = ".gnu_debugaltlink",
};

#define LEAST_PIECE    4096
#define MOST_SECTIONS  65536
#define INFLATED_TIMES 1100 /* deflate does no better */

#define LOOK_EVERY     (1u << 14) /* steps between two looks at the clock */
#define READING_STEPS  16         /* of a read(2) */
#define BYTES_PER_STEP 64

bool dwarf_bounds_step(struct dwarf_bounds *b, uint64_t steps)
{
	b->steps += steps < LOOK_EVERY ? (uint32_t)steps : LOOK_EVERY;
	if (b->steps >= LOOK_EVERY && !b->over) {
		b->steps = 0;
		b->over = clock_own_cpu_ns() >= b->deadline_ns;
	}
	return !b->over;
}

static bool read_all(int fd, uint8_t *to, uint64_t n, uint64_t off)
{
	while (n) {
		const ssize_t got = pread(fd, to, n, (off_t)off);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		to += got;
		off += (uint64_t)got;
		n -= (uint64_t)got;
	}
	return true;
}

static bool inflate_all(uint8_t *to, uint64_t size, const uint8_t *from, uint64_t n)
{
	uLongf got = size;

	return uncompress(to, &got, from, n) == Z_OK && got == size;
}

static bool unzstd(uint8_t *to, uint64_t size, const uint8_t *from, uint64_t n)
{
	return ZSTD_decompress(to, size, from, n) == size;
}

/* Unpacks a section that s has packed. */
static int unpack(struct dwarf_section *s, uint64_t *left_bytes)
{
	Elf64_Chdr h;
	uint8_t *packed = NULL;
	int err = 0;

	if (s->size < sizeof(h) || !read_all(s->fd, (uint8_t *)&h, sizeof(h), s->off))
		return -EBADMSG;
	const uint64_t n = s->size - sizeof(h);

	if (h.ch_type != ELFCOMPRESS_ZLIB && h.ch_type != ELFCOMPRESS_ZSTD)
		return -EBADMSG;
	if (n > *left_bytes || h.ch_size > *left_bytes)
		return -EFBIG;
	if (h.ch_type == ELFCOMPRESS_ZLIB && h.ch_size / INFLATED_TIMES > n)
		return -EBADMSG;
	packed = malloc(n + 1);
	s->whole = malloc(h.ch_size + 1);
	if (!packed || !s->whole)
		err = -ENOMEM;
	else if (!read_all(s->fd, packed, n, s->off + sizeof(h)) ||
		 !(h.ch_type == ELFCOMPRESS_ZLIB ? inflate_all(s->whole, h.ch_size, packed, n)
						 : unzstd(s->whole, h.ch_size, packed, n)))
		err = -EBADMSG;
	free(packed);
	s->size = err ? 0 : h.ch_size;
	dwarf_bounds_step(s->bounds, s->size / BYTES_PER_STEP);
	*left_bytes -= s->size;
	return err;
}

static int add_section(struct dwarf_sections *d, const GElf_Shdr *sh, const char *name,
		       uint64_t *left_bytes)
{
	for (size_t i = 0; i < DWARF_N_SECTIONS; i++) {
		struct dwarf_section *s = &d->s[i];

		if (s->size || strcmp(name, names[i]) != 0)
			continue;
		s->off = sh->sh_offset;
		s->size = sh->sh_size;
		return sh->sh_flags & SHF_COMPRESSED ? unpack(s, left_bytes) : 0;
	}
	return 0;
}

static int find_sections(struct dwarf_sections *d, Elf *elf, uint64_t left_bytes)
{
	Elf_Scn *scn;
	size_t at, n = 0;
	GElf_Shdr sh;
	int err = 0;

	if (gelf_getclass(elf) != ELFCLASS64 || elf_getshdrstrndx(elf, &at) ||
	    !(scn = elf_getscn(elf, at)) || !gelf_getshdr(scn, &sh) ||
	    !foreign_elf_data(scn, &sh, FOREIGN_SECTION_BYTES))
		return -ENOENT;
	scn = NULL;
	while (!err && n++ < MOST_SECTIONS && (scn = elf_nextscn(elf, scn)) != NULL) {
		const char *name = gelf_getshdr(scn, &sh) && sh.sh_type != SHT_NOBITS
					   ? elf_strptr(elf, at, sh.sh_name)
					   : NULL;

		if (name && sh.sh_size && sh.sh_offset <= INT64_MAX && sh.sh_size <= INT64_MAX)
			err = add_section(d, &sh, name, &left_bytes);
	}
	return err ? err : d->s[DWARF_INFO].size && d->s[DWARF_ABBREV].size ? 0 : -ENOENT;
}

int dwarf_sections_open(struct dwarf_sections *d, int fd, struct dwarf_bounds *bounds)
{
	*d = (struct dwarf_sections){ .fd = fcntl(fd, F_DUPFD_CLOEXEC, 3) };
	Elf *elf = d->fd < 0 ? NULL : foreign_elf_open(d->fd);

	for (size_t i = 0; i < DWARF_N_SECTIONS; i++) {
		d->s[i].fd = d->fd;
		d->s[i].bounds = bounds;
	}
	int err = elf ? find_sections(d, elf, bounds->most_bytes) : -EBADMSG;

	elf_end(elf);
	if (err)
		dwarf_sections_close(d);
	return err;
}

void dwarf_sections_close(struct dwarf_sections *d)
{
	for (size_t i = 0; i < DWARF_N_SECTIONS; i++) {
		free(d->s[i].whole);
		free(d->s[i].window);
	}
	if (d->fd >= 0)
		close(d->fd);
	*d = (struct dwarf_sections){ .fd = -1 };
}

size_t dwarf_sections_bytes(const struct dwarf_sections *d)
{
	size_t n = 0;

	for (size_t i = 0; i < DWARF_N_SECTIONS; i++)
		n += d->s[i].cap + (d->s[i].whole ? d->s[i].size : 0);
	return n;
}

const uint8_t *dwarf_section_get(struct dwarf_section *s, uint64_t off, uint64_t n)
{
	if (off > s->size || n > s->size - off || !dwarf_bounds_step(s->bounds, 1))
		return NULL;
	if (s->whole)
		return s->whole + off;
	if (s->window && off >= s->at && off - s->at <= s->held && n <= s->held - (off - s->at))
		return s->window + (off - s->at);
	const uint64_t left = s->size - off, want = n < LEAST_PIECE ? LEAST_PIECE : n;
	const size_t take = left < want ? left : want;

	if (take > s->bounds->most_bytes ||
	    !dwarf_bounds_step(s->bounds, READING_STEPS + take / BYTES_PER_STEP))
		return NULL;
	s->held = 0;
	if (take > s->cap) {
		free(s->window);
		s->window = malloc(take);
		s->cap = s->window ? take : 0;
		if (!s->window)
			return NULL;
	}
	if (!read_all(s->fd, s->window, take, s->off + off))
		return NULL;
	s->at = off;
	s->held = take;
	return s->window;
}

const uint8_t *dwarf_section_some(struct dwarf_section *s, uint64_t off, uint64_t n, size_t *got)
{
	if (off >= s->size)
		return NULL;
	*got = s->size - off < n ? s->size - off : n;
	return dwarf_section_get(s, off, *got);
}

const char *dwarf_section_string(struct dwarf_section *s, uint64_t off)
{
	for (uint64_t n = 256; n <= DWARF_STRING_BYTES; n *= 8) {
		size_t got;
		const uint8_t *p = dwarf_section_some(s, off, n, &got);

		if (!p || !dwarf_bounds_step(s->bounds, got / BYTES_PER_STEP))
			return NULL;
		if (memchr(p, 0, got))
			return (const char *)p;
		if (got < n)
			return NULL;
	}
	return NULL;
}

bool dwarf_section_number(struct dwarf_section *s, uint64_t off, size_t n, uint64_t *value)
{
	const uint8_t *p = dwarf_section_get(s, off, n);

	*value = 0;
	if (p)
		memcpy(value, p, n);
	return p;
}
