// SPDX-License-Identifier: BSD-2-Clause
/* Traces by name. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/foreign_file.h"
#include "base/log.h"
#include "trace/format.h"
#include "trace/trace.h"

bool trace_file_is_one(const char *path)
{
	uint8_t magic[8];
	int fd = foreign_file_open(path, &(struct foreign_rule){ .no_link = true });
	bool is = fd >= 0 && read(fd, magic, 8) == 8 && !memcmp(magic, FORMAT_MAGIC, 8);

	if (fd >= 0)
		close(fd);
	return is;
}

/* Under sudo gotrace reads with the rights of the user who called it (cli/output.c). */
static const char *hint(int err)
{
	return err == EACCES && geteuid() && getenv("SUDO_UID")
		       ? ": it is read with the rights of the user who called sudo; "
			 "sudo env -u SUDO_UID gotrace reads it with root's"
		       : "";
}

struct trace_reader *trace_reader_open(const char *path)
{
	bool is_stdin = !strcmp(path, "-");
	int fd = is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
			  : open(path, O_RDONLY | O_CLOEXEC);

	if (fd >= 0)
		return trace_reader_open_fd(fd, is_stdin ? "standard input" : path);
	int err = errno;

	log_error("%s: cannot be opened: %s%s", path, strerror(err), hint(err));
	errno = err;
	return NULL;
}
