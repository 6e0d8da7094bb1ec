/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sections of a file's DWARF, read piece by piece. No section is mapped or held whole, unless
 * it is compressed. The input is untrusted.
 */
#ifndef GOTRACE_DWARF_BYTES_H
#define GOTRACE_DWARF_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dwarf_section_kind {
	DWARF_INFO,
	DWARF_ABBREV,
	DWARF_STR,
	DWARF_LINE_STR,
	DWARF_STR_OFFSETS,
	DWARF_ADDR,
	DWARF_RANGES,
	DWARF_RNGLISTS,
	DWARF_LINE,
	DWARF_ALTLINK,
	DWARF_N_SECTIONS
};

/* Strings are read up to so many bytes, the zero included. */
#define DWARF_STRING_BYTES 16384 /* 256 * 8 * 8 */

/* The memory and the processor time that reading may take. Work is counted in steps of some ten
 * nanoseconds, because a look at the clock takes as long as many of them. */
struct dwarf_bounds {
	uint64_t most_bytes;  /* compressed sections together, and a piece of one, take no more */
	uint64_t deadline_ns; /* clock_own_cpu_ns */
	uint32_t steps;       /* since the last look at the clock */
	bool over;            /* the deadline has passed */
};

/* Counts steps. Returns false once the deadline has passed. */
bool dwarf_bounds_step(struct dwarf_bounds *b, uint64_t steps);

/* Returns how many elements of some bytes an array may have that takes a part of the memory. */
static inline size_t dwarf_bounds_room(const struct dwarf_bounds *b, unsigned part, size_t bytes,
				       size_t most)
{
	const uint64_t n = b->most_bytes / part / bytes;

	return n < most ? n : most;
}

struct dwarf_section {
	struct dwarf_bounds *bounds;
	int fd;
	uint64_t off, size; /* size is 0 when the file does not have it */
	uint8_t *whole;     /* its bytes, if it was compressed */
	uint8_t *window;    /* a piece of `held` bytes from `at` on */
	uint64_t at;
	size_t held, cap;
};

struct dwarf_sections {
	int fd;
	struct dwarf_section s[DWARF_N_SECTIONS];
};

/* Finds the sections of the file on fd, which is duplicated. The bounds are borrowed. Returns 0,
 * -ENOENT when there is no DWARF, -EFBIG, -EBADMSG or -ENOMEM. Logs nothing. */
int dwarf_sections_open(struct dwarf_sections *d, int fd, struct dwarf_bounds *bounds);
void dwarf_sections_close(struct dwarf_sections *d);
/* Returns the bytes of memory that they take. */
size_t dwarf_sections_bytes(const struct dwarf_sections *d);

/* Returns n bytes at an offset. They stay valid until the section is read again. NULL when the
 * section ends before, or the piece is too long, or cannot be read, or the deadline has passed. */
const uint8_t *dwarf_section_get(struct dwarf_section *s, uint64_t off, uint64_t n);
/* Returns up to n bytes at an offset, and their number in *got. NULL at the end. */
const uint8_t *dwarf_section_some(struct dwarf_section *s, uint64_t off, uint64_t n, size_t *got);
/* Returns the string at an offset, valid as above. NULL when there is none. */
const char *dwarf_section_string(struct dwarf_section *s, uint64_t off);
/* Reads a number of n bytes. Returns false when the section ends before. */
bool dwarf_section_number(struct dwarf_section *s, uint64_t off, size_t n, uint64_t *value);

#endif
