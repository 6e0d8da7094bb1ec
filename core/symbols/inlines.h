/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the functions that an address of C, C++ or Rust is in by DWARF, inlined ones included. It
 * reads the units that addresses are in, and keeps what it found for each address. It has no types,
 * no split DWARF (.dwo) and no DWARF of 32-bit files. The input is untrusted.
 */
#ifndef GOTRACE_INLINES_H
#define GOTRACE_INLINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct inlines;

struct inline_frame {
	const char *func; /* the linker's name, else the source's; NULL when not known */
	const char *file; /* source file of the address, NULL when not known */
	const char *decl_file;
	uint32_t line, decl_line; /* 0 when not known */
};

struct inlines_place {
	const char *path;    /* path of the file with the DWARF, without root */
	const char *root;    /* "" or a folder such as /proc/PID/root */
	uint64_t most_bytes; /* limit of compressed sections, of a unit, and of each table of it */
};

/* Opens the DWARF of the file on fd, which is duplicated. It also opens the file that
 * .gnu_debugaltlink names (dwz), if that has the right build id. *left_ns is the processor time
 * that it may take, less that which it took. Returns NULL when there is none, or it takes too much.
 * Logs nothing. */
struct inlines *inlines_open(int fd, const struct inlines_place *at, uint64_t *left_ns);
void inlines_close(struct inlines *x);
/* Returns the bytes of memory that it takes. */
size_t inlines_bytes(const struct inlines *x);

/* Finds the frames at a link-time address, innermost first, the compiled function last. x owns
 * their names. *left_ns is the processor time that it may take, less that which it took. Returns
 * their number, at most max, which is at least 2. 0 when DWARF does not have the address, or no
 * time is left. */
size_t inlines_at(struct inlines *x, uint64_t vaddr, struct inline_frame *frames, size_t max,
		  uint64_t *left_ns);

#endif
