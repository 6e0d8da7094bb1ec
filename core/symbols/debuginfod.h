/* SPDX-License-Identifier: BSD-2-Clause */
/* Debug files from the servers that the user names in DEBUGINFOD_URLS, by elfutils' own library. */
#ifndef GOTRACE_DEBUGINFOD_H
#define GOTRACE_DEBUGINFOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct debuginfod;

/* Gives the rights, and the HOME, of the user whose variables the library reads. It reads, makes
 * and deletes files that they name. */
struct debuginfod_rights {
	bool (*enter)(void *ctx); /* false: this cannot be done, and nothing is fetched */
	void (*leave)(void *ctx);
	void *ctx;
};

/* All files together may take so long, and a file so many bytes. */
#define DEBUGINFOD_MOST_NS    (30 * 1000000000ull)
#define DEBUGINFOD_MOST_BYTES (1ull << 30)

/* Returns NULL where DEBUGINFOD_URLS names no server, and without the library or memory, which is
 * logged. The library works between enter and leave of `rights`, which is borrowed. */
struct debuginfod *debuginfod_new(const struct debuginfod_rights *rights, uint64_t most_ns);
/* Asks for the debug file of a build id of n bytes; path names the file in messages. It waits until
 * the time is over, and reads at most DEBUGINFOD_MOST_BYTES. Logs that a file came, and the first
 * error, after which it asks no more. Returns a descriptor, to be closed, or -errno: -ENOENT if no
 * server has the file. */
int debuginfod_fetch(struct debuginfod *d, const uint8_t *id, size_t n, const char *path);
/* Logs how many files no server had. */
void debuginfod_free(struct debuginfod *d);

#endif
