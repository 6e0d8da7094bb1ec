// SPDX-License-Identifier: BSD-2-Clause
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"

static const int fatal[] = { SIGHUP, SIGINT, SIGTERM };
#define N_FATAL (sizeof(fatal) / sizeof(fatal[0]))

static char *volatile to_remove;

static void die(int sig)
{
	if (to_remove)
		unlink(to_remove);
	signal(sig, SIG_DFL);
	raise(sig);
}

static void guard(char *path)
{
	struct sigaction sa = { .sa_handler = path ? die : SIG_DFL }, old;

	to_remove = path;
	for (size_t i = 0; i < N_FATAL; i++)
		/* what nohup ignored stays ignored */
		if (!sigaction(fatal[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(fatal[i], &sa, NULL);
}

/* Names the temporary file, in the folder of the final one. */
static int name_files(struct output *o, const char *path)
{
	const char *slash;

	o->path = realpath(path, NULL); /* the file a symbolic link points to */
	if (!o->path && errno == ENOENT)
		o->path = strdup(path);
	if (!o->path)
		return -errno;
	slash = strrchr(o->path, '/');
	int dir = slash ? (int)(slash - o->path) + 1 : 0;

	if (asprintf(&o->temporary, "%.*s.%s.%d.tmp", dir, o->path, o->path + dir, getpid()) < 0) {
		o->temporary = NULL;
		return -ENOMEM;
	}
	return 0;
}

static int open_file(struct output *o, const char *path)
{
	struct stat st;

	if (!stat(path, &st) && !S_ISREG(st.st_mode)) {
		o->file = S_ISDIR(st.st_mode) ? NULL : fopen(path, "we");
		return o->file ? 0 : S_ISDIR(st.st_mode) ? -EISDIR : -errno;
	}
	int err = name_files(o, path);

	if (err)
		return err;
	/* Not "x" of fopen: an earlier process of this number may have been killed. */
	unlink(o->temporary);
	int fd = open(o->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	if (fd < 0)
		return -errno;
	guard(o->temporary);
	o->file = fdopen(fd, "w+");
	if (o->file)
		return 0;
	err = -errno;
	close(fd);
	unlink(o->temporary);
	guard(NULL);
	return err;
}

int output_open(struct output *o, const char *path, bool binary)
{
	int err = 0;

	*o = (struct output){ 0 };
	if (path && strcmp(path, "-"))
		err = open_file(o, path);
	else
		o->file = stdout;
	if (!err && binary && isatty(fileno(o->file))) {
		log_error("this format is not for a terminal; write it to a file with -o FILE");
		output_close(o, -ENOTTY);
		return -ENOTTY;
	}
	if (err) {
		log_error("%s: cannot be written: %s", path, strerror(-err));
		free(o->path);
		free(o->temporary);
		*o = (struct output){ 0 };
	}
	return err;
}

int output_close(struct output *o, int err)
{
	int closed = o->file == stdout ? fflush(stdout) : fclose(o->file);
	int why = closed ? errno : 0;

	if (!err && !why && o->temporary && rename(o->temporary, o->path))
		why = errno;
	else if ((err || why) && o->temporary)
		unlink(o->temporary);
	guard(NULL);
	if (!err && why)
		log_error("%s: cannot be written: %s", o->path ? o->path : "the output",
			  strerror(why));
	free(o->path);
	free(o->temporary);
	*o = (struct output){ 0 };
	return err ? err : -why;
}
