/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that hold the symbols which were stripped from others, where gdb looks for them too
 * ("Debugging Information in Separate Files" in its manual). */
#ifndef GOTRACE_DEBUG_FILE_H
#define GOTRACE_DEBUG_FILE_H

#include "symbols/elf_symbols.h"

struct debug_file_limits {
	uint64_t deadline_ns; /* foreign_file_deadline */
	uint64_t most_bytes;  /* as of elf_symbols_open */
};

/* Of e, which was read from path; below root, "" or a folder such as /proc/PID/root: by build id,
 * else by the name and the checksum that e has (.gnu_debuglink). Its addresses are e's. NULL: there
 * is none, or it takes too much. */
struct elf_symbols *debug_file_open(const struct elf_symbols *e, const char *path, const char *root,
				    const struct debug_file_limits *limits);

#endif
