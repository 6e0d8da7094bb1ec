/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that hold the symbols which were stripped from others, where gdb looks for them too
 * ("Debugging Information in Separate Files" in its manual). */
#ifndef GOTRACE_DEBUG_FILE_H
#define GOTRACE_DEBUG_FILE_H

#include "symbols/elf_symbols.h"

/* Of e, which was read from path; below root, "" or a folder such as /proc/PID/root: by build id,
 * else by the name and the checksum that e has (.gnu_debuglink). Its addresses are e's. Ends at the
 * deadline (foreign_file_deadline). NULL: there is none. */
struct elf_symbols *debug_file_open(const struct elf_symbols *e, const char *path, const char *root,
				    uint64_t deadline_ns);

#endif
