/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of addresses and names as text: /proc/kallsyms, and the perf-PID.map of code that was made
 * at run time. The input is untrusted. */
#ifndef GOTRACE_NAME_LIST_H
#define GOTRACE_NAME_LIST_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct name_list {
	struct named {
		uint64_t start, size; /* size is 0 for a range up to the next one */
		char *name;
	} * list;               /* by address */
	size_t n, cap, n_bytes; /* n_bytes is the length of all names */
};

/* Reads "ADDRESS TYPE NAME [MODULE]" lines, and takes the functions. Returns 0, -EPERM when all
 * addresses are hidden (kptr_restrict), or -errno. Logs nothing. */
int name_list_kallsyms(struct name_list *l, const char *path);
/*
 * Reads "START SIZE NAME" lines (tools/perf/Documentation/jit-interface.txt), of which the later
 * one counts. Like perf it takes only a file of the owner, or root's, and no link. Returns 0 or
 * -errno, and then takes no line. The errors are those of foreign_file_open and foreign_file_read,
 * and -EFBIG above 64 MiB or a million names.
 */
int name_list_perf_map(struct name_list *l, const char *path, uid_t owner, uint64_t deadline_ns);
/* Returns the name at an address, NULL when there is none. */
const char *name_list_at(const struct name_list *l, uint64_t address);
/* Returns the bytes of memory that it takes. */
size_t name_list_bytes(const struct name_list *l);
void name_list_free(struct name_list *l);

#endif
