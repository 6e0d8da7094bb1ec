/* SPDX-License-Identifier: BSD-2-Clause */
/* Files with symbols that were stripped from others. They are in the places where gdb looks for
 * them, too ("Debugging Information in Separate Files" in its manual). */
#ifndef GOTRACE_DEBUG_FILE_H
#define GOTRACE_DEBUG_FILE_H

#include "symbols/elf_symbols.h"

struct debug_file_limits {
	uint64_t deadline_ns; /* foreign_file_deadline */
	uint64_t most_bytes;  /* limit of memory, see elf_symbols_open */
};

/* Opens the file with the symbols of e, which was read from path. It looks below root, "" or a
 * folder such as /proc/PID/root. It looks by build id, else by the name and the checksum in e
 * (.gnu_debuglink). The file's addresses are e's. Returns NULL when there is none, or when it takes
 * too much. */
struct elf_symbols *debug_file_open(const struct elf_symbols *e, const char *path, const char *root,
				    const struct debug_file_limits *limits);

#endif
