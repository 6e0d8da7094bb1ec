// SPDX-License-Identifier: BSD-2-Clause
/*
 * Damaged Go binaries into the readers of core/binary (libFuzzer; ci/fuzz.sh).
 *
 * An input is a list of edits of one of the binaries of fixtures/fuzz/binaries.
 * Those are real ones of which fixtures/fuzz/reduce.c kept only the bytes that
 * anything is read from, so an edit always hits something that matters.
 *
 *   byte: which binary; then eight bytes an edit: u24 place among the kept
 *   bytes, u8 how, u32 value (all little-endian)
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "base/vec.h"
#include "binary/look_fixture.h"

#define MAX_BASES  8
#define MAX_EDITS  24
#define EDIT_BYTES 8
#define MAX_FUNCS  12

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A binary in memory, and where its bytes that are not zero lie. */
struct base {
	uint8_t *bytes;
	size_t size;
	uint32_t *kept;
	size_t n_kept, cap_kept;
	int fd;
};

static struct base bases[MAX_BASES]; /* the fuzzer's own: filled once, one thread */
static size_t n_bases;
static unsigned lines;

static void count_line(void *ctx, enum log_level level, const char *line)
{
	(void)ctx;
	(void)line;
	lines += level == LOG_LEVEL_ERROR;
}

/* u32 size of the file, then pieces: u32 offset, u32 length, bytes. */
static bool load(struct base *b, const char *path)
{
	uint32_t head[2];
	FILE *in = fopen(path, "rb");

	if (!in || fread(head, 4, 1, in) != 1 || !(b->bytes = calloc(1, head[0])))
		return false;
	b->size = head[0];
	while (fread(head, sizeof(head), 1, in) == 1) {
		if (head[0] > b->size || head[1] > b->size - head[0] ||
		    fread(b->bytes + head[0], 1, head[1], in) != head[1] ||
		    vec_reserve(&b->kept, &b->cap_kept, b->n_kept + head[1]))
			return false;
		for (uint32_t i = 0; i < head[1]; i++)
			b->kept[b->n_kept++] = head[0] + i;
	}
	fclose(in);
	b->fd = memfd_create("binary", MFD_CLOEXEC);
	return b->n_kept && b->fd >= 0 && pwrite(b->fd, b->bytes, b->size, 0) == (ssize_t)b->size;
}

static int is_base(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *folder = getenv("GOTRACE_FUZZ_BINARIES");
	struct dirent **names = NULL;

	(void)argc;
	(void)argv;
	log_set_sink(count_line, NULL);
	folder = folder ? folder : "fixtures/fuzz/binaries";
	int n = scandir(folder, &names, is_base, alphasort);

	for (int i = 0; i < n; i++) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/%s", folder, names[i]->d_name);
		if (n_bases == MAX_BASES || !load(&bases[n_bases++], path)) {
			fprintf(stderr, "%s: is no reduced binary\n", path);
			exit(1);
		}
		free(names[i]);
	}
	free(names);
	if (!n_bases) {
		fprintf(stderr, "%s: no binaries there\n", folder);
		exit(1);
	}
	return 0;
}

/* Where the edit goes and the bytes it writes, up to 8. */
static size_t edit(const struct base *b, const uint8_t *p, uint8_t out[8], uint32_t *at)
{
	uint32_t value;

	memcpy(&value, p + 4, sizeof(value));
	*at = b->kept[(p[0] | p[1] << 8 | (uint32_t)p[2] << 16) % b->n_kept];
	return look_edit(b->bytes, b->size, *at, p[3], value, out);
}

static void open_and_look(int fd)
{
	uint64_t digest;

	lines = 0;
	struct gobin *b = gobin_open(fd, "x");

	if (!b) {
		if (lines != 1 || (errno != ENOEXEC && errno != ENOTSUP && errno != EBADMSG))
			abort(); /* one line, one of the documented reasons */
		return;
	}
	const char *fault = look_at_everything(b, MAX_FUNCS, &digest);

	if (fault) {
		fprintf(stderr, "%s\n", fault);
		abort();
	}
	gobin_close(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t at[MAX_EDITS];
	uint8_t now[8];
	size_t n = 0;

	if (!size)
		return 0;
	const struct base *b = &bases[data[0] % n_bases];

	for (size_t p = 1; p + EDIT_BYTES <= size && n < MAX_EDITS; p += EDIT_BYTES, n++) {
		size_t width = edit(b, data + p, now, &at[n]);

		if (pwrite(b->fd, now, width, at[n]) != (ssize_t)width)
			abort();
	}
	open_and_look(b->fd);
	for (size_t i = 0; i < n; i++) {
		size_t width = b->size - at[i] < 8 ? b->size - at[i] : 8;

		if (pwrite(b->fd, b->bytes + at[i], width, at[i]) != (ssize_t)width)
			abort();
	}
	return 0;
}
