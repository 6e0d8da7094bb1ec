/* SPDX-License-Identifier: BSD-2-Clause */
/* For the tests of core/binary: the Go programs of fixtures/binaries, and the last logged line. */
#ifndef GOTRACE_BINARIES_FIXTURE_H
#define GOTRACE_BINARIES_FIXTURE_H

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/log.h"
#include "binary/gobin.h"

static char logged[1024];
static unsigned logged_count;

static void keep_log(void *ctx, enum log_level level, const char *line)
{
	(void)ctx;
	(void)level;
	snprintf(logged, sizeof(logged), "%s", line);
	logged_count++;
}

static inline void forget_log(void)
{
	logged[0] = 0;
	logged_count = 0;
}

/* Group set-up: builds the programs unless they are there, catches the log. */
static int set_up_binaries(void **state)
{
	(void)state;
	log_set_sink(keep_log, NULL);
	if (setenv("GOTRACE_TEST_BINARIES", "build/binaries", 0) < 0)
		return -1;
	return system("fixtures/binaries/build.sh \"$GOTRACE_TEST_BINARIES\" >&2") == 0 ? 0 : -1;
}

static inline const char *binary_path(const char *name)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s/%s", getenv("GOTRACE_TEST_BINARIES"), name);
	return path;
}

static inline struct gobin *open_path(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	forget_log();
	struct gobin *b = gobin_open(fd, path);
	int err = errno;

	close(fd); /* nothing may need it any more */
	errno = err;
	return b;
}

static inline struct gobin *open_binary(const char *name)
{
	struct gobin *b = open_path(binary_path(name));

	if (!b)
		print_error("%s\n", logged);
	assert_non_null(b);
	return b;
}

/* Reads a whole program's bytes, which a test may change. The caller frees them with free(). */
static inline uint8_t *load_binary(const char *name, size_t *size)
{
	struct stat st;
	int fd = open(binary_path(name), O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0 && fstat(fd, &st) == 0);
	*size = (size_t)st.st_size;
	uint8_t *p = malloc(*size);
	assert_non_null(p);
	for (size_t n = 0; n < *size;) {
		ssize_t r = read(fd, p + n, *size - n);

		assert_true(r > 0);
		n += (size_t)r;
	}
	close(fd);
	return p;
}

/* Opens a file made of these bytes. */
static inline struct gobin *open_bytes(const void *p, size_t n)
{
	int fd = memfd_create("binary", MFD_CLOEXEC);

	assert_true(fd >= 0);
	for (size_t done = 0; done < n;) {
		ssize_t w = write(fd, (const char *)p + done, n - done);

		assert_true(w > 0);
		done += (size_t)w;
	}
	forget_log();
	struct gobin *b = gobin_open(fd, "x");
	int err = errno;

	close(fd);
	errno = err;
	return b;
}

/* Asserts that gobin_open refuses such a file with that errno and one line that has those words. */
static inline void assert_refused(const void *p, size_t n, int want, const char *message)
{
	struct gobin *b = open_bytes(p, n);

	assert_null(b);
	if (errno != want || logged_count != 1 || !strstr(logged, message))
		fail_msg("errno %d, %u lines, \"%s\"; not %d, \"%s\"", errno, logged_count, logged,
			 want, message);
}

/* Writes the path of the go command that built the programs. */
static inline void go_command(char *path, size_t size)
{
	FILE *p = popen("$(command -v go || echo /usr/local/go/bin/go) env GOROOT", "r");

	assert_non_null(p);
	assert_non_null(fgets(path, (int)size - 16, p));
	assert_int_equal(pclose(p), 0);
	path[strcspn(path, "\n")] = 0;
	strcat(path, "/bin/go");
}

#endif
