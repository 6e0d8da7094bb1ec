// SPDX-License-Identifier: BSD-2-Clause
#include "cli/invoker_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attach/target/user.h"

/* A descriptor or -errno. */
static int open_as_invoker(const char *path)
{
	struct user invoker;
	struct stat st;
	int err = user_find(NULL, &invoker) ? -ECANCELED : user_enter(&invoker), fd;

	if (err)
		return err;
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	err = fd < 0 || fstat(fd, &st) ? -errno : S_ISREG(st.st_mode) ? 0 : -EINVAL;
	user_leave(&invoker);
	if (err && fd >= 0)
		close(fd);
	return err ? err : fd;
}

char *invoker_file_read(const char *path, size_t most)
{
	int fd = open_as_invoker(path), err = fd < 0 ? fd : 0;
	char *text = err ? NULL : calloc(most + 1, 1);
	ssize_t got = 1;
	size_t n = 0;

	if (!err && !text)
		err = -ENOMEM;
	for (; !err && got > 0 && n<most; n += got> 0 ? (size_t)got : 0)
		got = read(fd, text + n, most - n);
	if (!err && got < 0)
		err = -errno;
	if (!err && (n == most || strlen(text) != n))
		err = -EINVAL;
	if (fd >= 0)
		close(fd);
	if (!err)
		return text;
	free(text);
	errno = -err;
	return NULL;
}
