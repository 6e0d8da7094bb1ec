// SPDX-License-Identifier: BSD-2-Clause
#include "sample/shared_libraries.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file_limit.h"
#include "base/foreign_file.h"
#include "binary/foreign_elf.h"

#define PATIENCE_NS 2000000000ull

/* PT_INTERP of the file: a path, or false. */
static bool find_linker(const char *path, char linker[PATH_MAX])
{
	int fd = foreign_file_open(path,
				   &(struct foreign_rule){ .most_bytes = FOREIGN_BINARY_BYTES });
	bool found = false;
	GElf_Phdr ph;
	size_t n = 0;

	if (fd < 0)
		return false;
	Elf *elf = foreign_elf_open(fd);

	if (!elf || elf_getphdrnum(elf, &n))
		n = 0;
	for (size_t i = 0; i < n && !found; i++)
		if (gelf_getphdr(elf, (int)i, &ph) && ph.p_type == PT_INTERP && ph.p_filesz > 1 &&
		    ph.p_filesz < PATH_MAX &&
		    pread(fd, linker, ph.p_filesz, (off_t)ph.p_offset) == (ssize_t)ph.p_filesz)
			found = *linker == '/' && !linker[ph.p_filesz - 1];
	elf_end(elf);
	close(fd);
	return found;
}

/* The linker's child, which writes to `out`; -1. */
static pid_t start(const char *linker, const char *path, const struct user *u, int out)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	int null = open("/dev/null", O_RDWR);

	if (null < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(null, 2) < 0 ||
	    user_become(u))
		_exit(1);
	file_limit_put_back();
	execl(linker, linker, "--list", path, (char *)NULL);
	_exit(1);
}

/* "	libc.so.6 => /lib/libc.so.6 (0x7f...)", or the linker's own without the arrow. */
static void take_line(char *line, void (*fn)(void *ctx, const char *library), void *ctx)
{
	char *path = strchr(line, '/'), *end = path ? strstr(path, " (0x") : NULL;

	if (!end)
		return;
	*end = '\0';
	fn(ctx, path);
}

/* Reads lines from fd until its end, or for so long. */
static void take_lines(int fd, void (*fn)(void *ctx, const char *library), void *ctx)
{
	const uint64_t until = clock_monotonic_ns() + PATIENCE_NS;
	char text[PATH_MAX + 256];
	size_t n = 0;

	for (;;) {
		uint64_t now = clock_monotonic_ns();
		struct pollfd p = { .fd = fd, .events = POLLIN };

		if (now >= until || poll(&p, 1, (int)((until - now) / 1000000) + 1) <= 0)
			return;
		ssize_t got = read(fd, text + n, sizeof(text) - 1 - n);

		if (got <= 0)
			return;
		n += (size_t)got;
		text[n] = '\0';
		for (char *end; (end = strchr(text, '\n'));) {
			*end = '\0';
			take_line(text, fn, ctx);
			n -= (size_t)(end + 1 - text);
			memmove(text, end + 1, n + 1);
		}
		if (n == sizeof(text) - 1)
			return;
	}
}

void shared_libraries_of(const char *path, const struct user *u,
			 void (*fn)(void *ctx, const char *library), void *ctx)
{
	char linker[PATH_MAX];
	int ends[2];

	if (!find_linker(path, linker) || pipe2(ends, O_CLOEXEC))
		return;
	pid_t pid = start(linker, path, u, ends[1]);

	close(ends[1]);
	if (pid > 0) {
		take_lines(ends[0], fn, ctx);
		kill(pid, SIGKILL);
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	close(ends[0]);
}
