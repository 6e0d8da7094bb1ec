/* SPDX-License-Identifier: BSD-2-Clause */
/* Files with symbols or DWARF that were stripped from others. They are in the places where gdb
 * looks for them, too ("Debugging Information in Separate Files" in its manual). */
#ifndef GOTRACE_DEBUG_FILE_H
#define GOTRACE_DEBUG_FILE_H

#include "symbols/elf_symbols.h"

/* Where a debug file was found. */
struct debug_file {
	struct elf_symbols *symbols;
	int fd;     /* a descriptor of the file, to be closed */
	char *path; /* without root, to be freed; NULL when there is no memory */
};

struct debug_file_limits {
	uint64_t deadline_ns; /* foreign_file_deadline */
	uint64_t most_bytes;  /* limit of memory, see elf_symbols_open */
};

/* Opens the file with the symbols or the DWARF of e, which was read from path. It looks below root,
 * "" or a folder such as /proc/PID/root. It looks by build id, else by the name and the checksum in
 * e
 * (.gnu_debuglink). The file's addresses are e's. Returns false when there is none, or when it
 * takes too much. */
bool debug_file_open(struct debug_file *f, const struct elf_symbols *e, const char *path,
		     const char *root, const struct debug_file_limits *limits);
/* Takes a debug file of e that was found elsewhere. On success f owns fd. Returns false if it is
 * that of another file, or takes more than most_bytes (limits as above). */
bool debug_file_take(struct debug_file *f, const struct elf_symbols *e, int fd,
		     uint64_t most_bytes);

#endif
