// SPDX-License-Identifier: BSD-2-Clause
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attach/target/user.h"
#include "base/log.h"

static const int fatal[] = { SIGHUP, SIGINT, SIGTERM, SIGPIPE };
#define N_FATAL (sizeof(fatal) / sizeof(fatal[0]))

/* Of the output that is open, for the signal handler. */
static char *volatile to_remove;
static volatile int remove_from = -1;

void output_abandon(void)
{
	if (to_remove)
		unlinkat(remove_from, to_remove, 0);
}

static void die(int sig)
{
	output_abandon();
	signal(sig, SIG_DFL);
	raise(sig);
}

static void guard(int folder_fd, char *name)
{
	struct sigaction sa = { .sa_handler = name ? die : SIG_DFL }, old;

	remove_from = folder_fd;
	to_remove = name;
	for (size_t i = 0; i < N_FATAL; i++)
		/* what nohup ignored stays ignored */
		if (!sigaction(fatal[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(fatal[i], &sa, NULL);
}

int output_act_as_invoker(void)
{
	struct user u;
	int err = user_find(NULL, &u);

	if (err)
		return err;
	err = user_become(&u);
	if (err)
		log_error("cannot act as user '%s': %s", u.name, strerror(-err));
	return err;
}

int refuse_unreadable(const struct user *invoker, int fd, pid_t pid)
{
	if (user_may_read(invoker, fd))
		return 0;
	log_error(
		"process %d: it executes a file that %s may not read; as root's own: sudo env -u SUDO_UID gotrace",
		pid, *invoker->name ? invoker->name : "who called sudo");
	return -EACCES;
}

/* Opens the folder of `path`, which no link is part of at its end, and names both files in it. */
static int open_folder(struct output *o, char *path)
{
	char *slash = strrchr(path, '/');

	o->name = strdup(slash ? slash + 1 : path);
	if (!o->name || asprintf(&o->temporary, ".%s.%d.tmp", o->name, getpid()) < 0) {
		o->temporary = NULL;
		return -ENOMEM;
	}
	if (slash)
		slash[slash == path] = '\0'; /* the folder of "/x" is "/" */
	o->folder_fd = open(slash ? path : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return o->folder_fd < 0 ? -errno : 0;
}

/* Finds the place of a file that exists: fd is what the kernel found under `path`. */
static int place_of_existing(struct output *o, const char *path, int fd)
{
	struct stat opened, found;
	/* the file a symbolic link points to */
	char *real = realpath(path, NULL);
	int err = real ? open_folder(o, real) : -errno;

	free(real);
	if (!err &&
	    (fstat(fd, &opened) || fstatat(o->folder_fd, o->name, &found, AT_SYMLINK_NOFOLLOW)))
		err = -errno;
	/* Somebody changed a link on the way. */
	if (!err && (opened.st_dev != found.st_dev || opened.st_ino != found.st_ino))
		err = -ESTALE;
	return err;
}

static int place_of_new(struct output *o, const char *path)
{
	struct stat st;
	char *copy = strdup(path);
	int err = copy ? open_folder(o, copy) : -ENOMEM;

	free(copy);
	if (!err && (!*o->name || !fstatat(o->folder_fd, o->name, &st, AT_SYMLINK_NOFOLLOW)))
		err = *o->name ? -ELOOP : -EISDIR;
	return err;
}

/* Makes the temporary file. */
static int open_temporary(struct output *o, mode_t mode)
{
	/* Not only O_EXCL: an earlier process of this number may have been killed. */
	unlinkat(o->folder_fd, o->temporary, 0);
	int fd = openat(o->folder_fd, o->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);

	if (fd < 0)
		return -errno;
	guard(o->folder_fd, o->temporary);
	o->file = fdopen(fd, "w+");
	if (o->file)
		return 0;
	int err = -errno;

	close(fd);
	unlinkat(o->folder_fd, o->temporary, 0);
	guard(-1, NULL);
	return err;
}

/* A pipe or a device is written as it is. */
static int open_special(struct output *o, const char *path)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);

	o->file = fd < 0 ? NULL : fdopen(fd, "w");
	return o->file ? 0 : -errno;
}

static int open_file(struct output *o, const char *path)
{
	/* The kernel resolves the name, and may refuse to follow a link of another user's. */
	int fd = open(path, O_PATH | O_CLOEXEC), err = 0;
	struct stat st = { .st_mode = 0666 };

	if (fd < 0)
		err = errno == ENOENT ? place_of_new(o, path) : -errno;
	else if (fstat(fd, &st))
		err = -errno;
	else if (S_ISREG(st.st_mode))
		err = place_of_existing(o, path, fd);
	else
		err = S_ISDIR(st.st_mode) ? -EISDIR : open_special(o, path);
	if (fd >= 0)
		close(fd);
	return err || o->file ? err : open_temporary(o, st.st_mode & 0666);
}

static void forget(struct output *o)
{
	if (o->folder_fd >= 0)
		close(o->folder_fd);
	free(o->name);
	free(o->temporary);
	*o = (struct output){ .folder_fd = -1 };
}

static const char *why_not(int err)
{
	return err == -ELOOP ? "it is a link to a file that does not exist" : strerror(-err);
}

int output_open(struct output *o, const char *path, bool binary)
{
	int err = 0;

	*o = (struct output){ .folder_fd = -1 };
	if (path && strcmp(path, "-"))
		err = open_file(o, path);
	else
		o->file = stdout;
	if (!err && binary && isatty(fileno(o->file))) {
		log_error("this format is not for a terminal; write it to a file with -o FILE");
		output_close(o, -ENOTTY);
		return -ENOTTY;
	}
	if (err == -ENOMEM)
		log_no_memory("%s: cannot be written: %s", path, why_not(err));
	else if (err)
		log_error("%s: cannot be written: %s", path, why_not(err));
	if (err)
		forget(o);
	return err;
}

int output_close(struct output *o, int err)
{
	int closed = o->file == stdout ? fflush(stdout) : fclose(o->file);
	int why = closed ? errno : 0;

	if (!err && !why && o->temporary &&
	    renameat(o->folder_fd, o->temporary, o->folder_fd, o->name))
		why = errno;
	if ((err || why) && o->temporary)
		unlinkat(o->folder_fd, o->temporary, 0);
	guard(-1, NULL);
	if (!err && why && why != EPIPE)
		log_error("%s: cannot be written: %s", o->name ? o->name : "the output",
			  strerror(why));
	forget(o);
	return err ? err : -why;
}
