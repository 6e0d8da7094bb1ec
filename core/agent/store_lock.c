// SPDX-License-Identifier: BSD-2-Clause
/* One agent at a time writes a store. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/store.h"
#include "base/log.h"

#define NAME "lock"

static bool others_may_write(const struct stat *st)
{
	const bool own_group = !st->st_gid || st->st_gid == getegid();

	return st->st_mode & S_IWOTH || (st->st_mode & S_IWGRP && !own_group);
}

/* A stranger could put a journal there that SQLite obeys, and links. 0 or -errno (logged). */
static int check_owner(const char *directory, int dir_fd)
{
	struct stat st;

	if (fstat(dir_fd, &st))
		return -errno;
	if (!st.st_uid || st.st_uid == geteuid()) {
		if (!others_may_write(&st))
			return 0;
		log_error("%s: others may write it (mode %04o), and the agent follows what lies "
			  "there; chmod go-w keeps them out",
			  directory, (unsigned)st.st_mode & 07777);
		return -EPERM;
	}
	log_error("%s: it belongs to user %u; the agent, user %u, writes only what is its own",
		  directory, (unsigned)st.st_uid, (unsigned)geteuid());
	return -EPERM;
}

/* Who has it wrote its number there. */
static void tell_holder(const char *directory, int fd)
{
	char text[32];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
	long pid = 0;

	text[n > 0 ? n : 0] = '\0';
	pid = strtol(text, NULL, 10);
	if (pid > 0)
		log_error("%s: another agent writes this store, process %ld", directory, pid);
	else
		log_error("%s: another agent writes this store", directory);
}

/* Who may open the file could lock it, and keep every agent out. 0 or -errno (logged). */
static int check_lock(const char *directory, int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode)) {
		log_error("%s/" NAME ": it is no regular file; remove it", directory);
		return -EINVAL;
	}
	if (st.st_uid && st.st_uid != geteuid()) {
		log_error("%s/" NAME
			  ": it belongs to user %u, who could keep every agent out; remove it",
			  directory, (unsigned)st.st_uid);
		return -EPERM;
	}
	if (st.st_mode & (S_IRWXG | S_IRWXO)) {
		log_error("%s/" NAME ": others may open it (mode %03o), and could keep every agent "
			  "out; remove it",
			  directory, (unsigned)st.st_mode & 0777);
		return -EPERM;
	}
	return 0;
}

static int take(const char *directory, int dir_fd)
{
	int fd = openat(dir_fd, NAME, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	int err = fd < 0 ? -errno : 0;

	if (err)
		log_error("%s/" NAME ": cannot be opened: %s", directory, strerror(-err));
	if (!err)
		err = check_lock(directory, fd);
	if (!err && flock(fd, LOCK_EX | LOCK_NB)) {
		err = errno == EWOULDBLOCK ? -EBUSY : -errno;
		if (err == -EBUSY)
			tell_holder(directory, fd);
		else
			log_error("%s/" NAME ": cannot be locked: %s", directory, strerror(-err));
	}
	/* Only a message needs the number. */
	if (!err && (ftruncate(fd, 0) || dprintf(fd, "%d\n", (int)getpid()) < 0))
		log_debug("%s/" NAME ": %s", directory, strerror(errno));
	if (err && fd >= 0)
		close(fd);
	return err ? err : fd;
}

int store_lock(const char *directory)
{
	int dir_fd, got;

	if (mkdir(directory, 0750) && errno != EEXIST) {
		got = -errno;
		log_error("%s: cannot be made: %s", directory, strerror(-got));
		return got;
	}
	dir_fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir_fd < 0) {
		got = -errno;
		log_error("%s: cannot be opened: %s", directory, strerror(-got));
		return got;
	}
	got = check_owner(directory, dir_fd);
	if (!got)
		got = take(directory, dir_fd);
	close(dir_fd);
	return got;
}
