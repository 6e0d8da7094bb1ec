/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of addresses and names as text: /proc/kallsyms, and the perf-PID.map of code that was made
 * at run time. Untrusted input. */
#ifndef GOTRACE_NAME_LIST_H
#define GOTRACE_NAME_LIST_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct name_list {
	struct named {
		uint64_t start, size; /* size 0: to the next */
		char *name;
	} * list;               /* by address */
	size_t n, cap, n_bytes; /* n_bytes: of the names */
};

/* "ADDRESS TYPE NAME [MODULE]" lines, of which functions are taken. 0; -EPERM when all addresses
 * are hidden (kptr_restrict); -errno. Logs nothing. */
int name_list_kallsyms(struct name_list *l, const char *path);
/*
 * "START SIZE NAME" lines (tools/perf/Documentation/jit-interface.txt), the later one counts. As
 * perf does it takes only a file of the owner, or root's, and no link. 0 or -errno; none of it is
 * taken: that of foreign_file_open or foreign_file_read, -EFBIG above 64 MiB or a million names.
 */
int name_list_perf_map(struct name_list *l, const char *path, uid_t owner, uint64_t deadline_ns);
/* NULL: none. */
const char *name_list_at(const struct name_list *l, uint64_t address);
/* The memory that it takes. */
size_t name_list_bytes(const struct name_list *l);
void name_list_free(struct name_list *l);

#endif
