/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unwinding rows of code that keeps no frame pointers: what .eh_frame says, compiled into rows of 8
 * bytes that a BPF program can search. System V ABI AMD64, "DWARF"; DWARF 5, 6.4.
 *
 * Untrusted input: no length or offset in the file is believed.
 */
#ifndef GOTRACE_EHFRAME_H
#define GOTRACE_EHFRAME_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How the frame's end (CFA) is found; the return address is the word below it. */
#define EHFRAME_UNKNOWN 0 /* no FDE, or one that such a row cannot say */
#define EHFRAME_RSP     1 /* rsp + 8 * cfa */
#define EHFRAME_RBP     2 /* rbp + 8 * cfa */
#define EHFRAME_END     3 /* the outermost frame: it has no caller */
#define EHFRAME_PLT     4 /* a procedure linkage table: rsp + 8, at byte 11 and behind it + 8 more */
#define EHFRAME_SIGNAL  5 /* a signal's trampoline: rsp is at the ucontext */

/* From this link-time address on, up to the next row. */
struct ehframe_row {
	uint32_t vaddr;
	int16_t cfa;  /* words */
	int8_t rbp;   /* the caller's rbp is saved so many words from the CFA; 0: it is in rbp */
	uint8_t rule; /* EHFRAME_* */
};
_Static_assert(sizeof(struct ehframe_row) == 8, "as the BPF program reads it");

struct ehframe {
	struct ehframe_row *rows; /* by address */
	size_t n, cap;
	/* of ehframe_ranges: functions, by address */
	struct ehframe_range {
		uint32_t from, to;
	} * ranges;
	size_t n_ranges, cap_ranges;
	bool only_ranges;
	size_t n_fdes, n_unknown; /* rows that say no more than that they do not know */
};

/*
 * Reads .eh_frame of the ELF file on fd (borrowed), at most `most` rows. 0, -ENOENT: it has none,
 * -ENOTSUP: no x86-64, or addresses above 4 GiB, -E2BIG: more rows, -EBADMSG: corrupt, -ENOMEM.
 * ehframe_free in either case.
 */
int ehframe_read(struct ehframe *to, int fd, size_t most);
/* The same of the section itself, n bytes that are linked to vaddr. */
int ehframe_parse(struct ehframe *to, const void *data, size_t n, uint64_t vaddr, size_t most);
/* Reads where functions begin and end from an open file with a section of at most so many bytes. It
 * makes no rows. The functions before an error stay in *to. Results are those of ehframe_read. */
int ehframe_ranges(struct ehframe *to, Elf *elf, uint64_t most_bytes);
/* Reads the functions from the section itself. */
int ehframe_parse_ranges(struct ehframe *to, const void *data, size_t n, uint64_t vaddr);
void ehframe_free(struct ehframe *e);

#endif
