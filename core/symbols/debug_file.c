// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/debug_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file_id.h"
#include "base/foreign_file.h"

#define FOLDER     "/usr/lib/debug"
#define PATH_BYTES 8704 /* a root, a folder and a name */

static bool same_build_id(const struct elf_symbols *x, const struct elf_symbols *y)
{
	const uint8_t *a, *b;
	size_t n = elf_symbols_build_id(x, &a);

	return n && n == elf_symbols_build_id(y, &b) && !memcmp(a, b, n);
}

/* By which .gnu_debuglink knows its file, and by when that is to be found out. */
struct checksum {
	uint32_t sum;
	uint64_t deadline_ns;
};

/* zlib's. */
static int add_sum(void *ctx, const char *bytes, size_t n)
{
	uLong *sum = ctx;

	*sum = crc32(*sum, (const unsigned char *)bytes, (uInt)n);
	return 0;
}

static bool same_sum(int fd, const struct checksum *want)
{
	uLong got = crc32(0, NULL, 0);

	return !foreign_file_read(fd, FOREIGN_DEBUG_BYTES, want->deadline_ns, add_sum, &got) &&
	       got == want->sum;
}

static bool is_useful(const struct elf_symbols *e)
{
	return elf_symbols_whole(e) || (elf_symbols_dwarf(e) && !elf_symbols_refused(e));
}

/* sum: NULL, none is known. path begins with root. */
static bool try_file(struct debug_file *f, const struct elf_symbols *e, const char *path,
		     const char *root, const struct checksum *sum, uint64_t most_bytes)
{
	const struct foreign_rule rule = { .most_bytes = FOREIGN_DEBUG_BYTES };
	int fd = foreign_file_open(path, &rule);
	struct elf_symbols *found = fd < 0 ? NULL : elf_symbols_open(fd, NULL, 0, most_bytes);

	if (found &&
	    (!is_useful(found) || (!same_build_id(e, found) && !(sum && same_sum(fd, sum))))) {
		elf_symbols_close(found);
		found = NULL;
	}
	if (fd >= 0 && !found)
		close(fd);
	if (found)
		*f = (struct debug_file){ found, fd, strdup(path + strlen(root)) };
	return found;
}

bool debug_file_take(struct debug_file *f, const struct elf_symbols *e, int fd, uint64_t most_bytes)
{
	struct elf_symbols *found = elf_symbols_open(fd, NULL, 0, most_bytes);

	if (!found || !is_useful(found) || !same_build_id(e, found)) {
		elf_symbols_close(found);
		return false;
	}
	*f = (struct debug_file){ found, fd, strdup("") };
	return true;
}

static bool by_build_id(struct debug_file *f, const struct elf_symbols *e, const char *root,
			uint64_t most_bytes)
{
	char path[PATH_BYTES];
	const uint8_t *id;
	size_t n = elf_symbols_build_id(e, &id);

	if (n < 2 || file_id_is_go(id, n)) /* folders have no Go build IDs */
		return false;
	int at = snprintf(path, sizeof(path), "%s" FOLDER "/.build-id/%02x/", root, id[0]);

	for (size_t i = 1; i < n; i++)
		at += snprintf(path + at, sizeof(path) - (size_t)at, "%02x", id[i]);
	snprintf(path + at, sizeof(path) - (size_t)at, ".debug");
	return try_file(f, e, path, root, NULL, most_bytes);
}

static bool by_link(struct debug_file *f, const struct elf_symbols *e, const char *file,
		    const char *root, const struct debug_file_limits *limits)
{
	static const char *const forms[] = { "%s%.*s/%s", "%s%.*s/.debug/%s",
					     "%s" FOLDER "%.*s/%s" };
	const char *slash = strrchr(file, '/');
	bool found = false;
	char path[PATH_BYTES];
	struct checksum sum = { .deadline_ns = limits->deadline_ns };
	const char *name = elf_symbols_debuglink(e, &sum.sum);

	if (!name || !slash || strchr(name, '/'))
		return false;
	for (size_t i = 0; !found && i < sizeof(forms) / sizeof(*forms); i++) {
		int n = snprintf(path, sizeof(path), forms[i], root, (int)(slash - file), file,
				 name);

		if (n > 0 && (size_t)n < sizeof(path))
			found = try_file(f, e, path, root, &sum, limits->most_bytes);
	}
	return found;
}

bool debug_file_open(struct debug_file *f, const struct elf_symbols *e, const char *path,
		     const char *root, const struct debug_file_limits *limits)
{
	return by_build_id(f, e, root, limits->most_bytes) || by_link(f, e, path, root, limits);
}
