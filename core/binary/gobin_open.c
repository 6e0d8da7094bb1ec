/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens a Go executable: reads all that its functions and names need. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "binary/gobin_impl.h"

static int find_pclntab(struct gobin *b, bool has_buildinfo)
{
	int err = pclntab_find(&b->elf, &b->pcln);

	switch (err) {
	case 0:
		return 0;
	case -ENOENT:
		if (!has_buildinfo)
			return gokind_refuse(b);
		log_error("%s: built by %s, but its function table (pclntab) is missing; "
			  "build it again without a packer",
			  b->path, b->version);
		return -EBADMSG;
	case -ENOTSUP:
		log_error("%s: built by Go 1.15 or older; build it with Go 1.19 or newer", b->path);
		return -ENOTSUP;
	case -EPROTO:
		log_error(
			"%s: its Go function table (pclntab) has an unknown format. An obfuscator such as garble changed its names and tables, or its Go is "
			"newer than this gotrace. Build it without the obfuscator, or use "
			"`gotrace sample`, which needs no table",
			b->path);
		return -ENOTSUP;
	default:
		log_error("%s: truncated or corrupt. Its Go function table (pclntab) makes no "
			  "sense; build or copy it again",
			  b->path);
		return -EBADMSG;
	}
}

static int read_all(struct gobin *b)
{
	int err = buildinfo_read(b);

	if (err == -ENOMEM)
		return err;
	gosyms_special(b);
	err = find_pclntab(b, err == 0);
	if (err)
		return err;
	if (moduledata_read(b) < 0) {
		log_error(
			"%s: corrupt. It has no runtime.moduledata, which holds the start of its text; build or copy it again",
			b->path);
		return -EBADMSG;
	}
	err = buildid_read(b);
	return err ? err : gofuncs_read(b);
}

static struct gobin *open_part(int fd, const char *path, const struct elffile_part *part)
{
	struct gobin *b = calloc(1, sizeof(*b));
	int err = b && (b->path = strdup(path)) ? elffile_open(&b->elf, fd, path, part) : -ENOMEM;

	if (!err) {
		err = read_all(b);
		if (err == -ENOMEM)
			log_no_memory("%s: out of memory while reading its functions", path);
	} else if (err == -ENOMEM && !(b && b->path)) {
		log_no_memory("%s: out of memory", path);
	}
	if (!err)
		return b;
	gobin_close(b);
	errno = -err;
	return NULL;
}

struct gobin *gobin_open(int fd, const char *path)
{
	return open_part(fd, path, NULL);
}

struct gobin *gobin_open_bounded(int fd, const char *path, uint64_t most_bytes)
{
	return open_part(fd, path, &(struct elffile_part){ .most_bytes = most_bytes });
}

struct gobin *gobin_open_names(int fd, const char *path, uint64_t most_bytes)
{
	return open_part(fd, path,
			 &(struct elffile_part){ .most_bytes = most_bytes, .names = true });
}
