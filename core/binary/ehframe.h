/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unwinding rows of code that keeps no frame pointers. They are compiled from .eh_frame into rows
 * of 8 bytes that a BPF program can search. The System V ABI of each processor, "DWARF"; DWARF 5,
 * 6.4.
 *
 * The input is untrusted. Lengths and offsets in the file are checked.
 */
#ifndef GOTRACE_EHFRAME_H
#define GOTRACE_EHFRAME_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rules that give the frame's end (CFA). The return address is the word below it. */
#define EHFRAME_UNKNOWN 0 /* no FDE, or one that does not fit such a row */
#define EHFRAME_SP      1 /* stack pointer + 8 * cfa */
#define EHFRAME_FP      2 /* frame pointer + 8 * cfa */
#define EHFRAME_END     3 /* the outermost frame, which has no caller */
#define EHFRAME_PLT     4 /* a procedure linkage table: the first entry, and then a push */
#define EHFRAME_SIGNAL  5 /* a signal's trampoline, with the stack pointer at the ucontext */

/* A row. It holds from this link-time address on, up to the next row. */
struct ehframe_row {
	uint32_t vaddr;
	int16_t cfa;  /* words */
	int8_t fp;    /* words from the CFA to the caller's saved frame pointer; 0 when not saved */
	uint8_t rule; /* EHFRAME_* */
};
_Static_assert(sizeof(struct ehframe_row) == 8, "as the BPF program reads it");

struct ehframe {
	struct ehframe_row *rows; /* by address */
	size_t n, cap;
	/* functions by address, from ehframe_ranges */
	struct ehframe_range {
		uint32_t from, to;
	} * ranges;
	size_t n_ranges, cap_ranges;
	bool only_ranges;
	size_t n_fdes, n_unknown; /* n_unknown: rows without a known rule */
};

/*
 * Reads .eh_frame of the ELF file on fd (borrowed), at most `most` rows. Returns 0; -ENOENT when
 * the file has none; -ENOTSUP for an unknown processor or addresses above 4 GiB;
 * -E2BIG when there are more rows; -EBADMSG when corrupt; -ENOMEM. The caller calls ehframe_free in
 * either case.
 */
int ehframe_read(struct ehframe *to, int fd, size_t most);
struct arch; /* binary/arch.h */
/* Does as ehframe_read for the section itself, n bytes that are linked to vaddr, in a program for
 * that processor. */
int ehframe_parse(struct ehframe *to, const struct arch *arch, const void *data, size_t n,
		  uint64_t vaddr, size_t most);
/* Reads where functions begin and end from an open file with a section of at most so many bytes. It
 * makes no rows. The functions before an error stay in *to. Results are those of ehframe_read. */
int ehframe_ranges(struct ehframe *to, Elf *elf, uint64_t most_bytes);
/* Reads the functions from the section itself. */
int ehframe_parse_ranges(struct ehframe *to, const void *data, size_t n, uint64_t vaddr);
void ehframe_free(struct ehframe *e);

#endif
