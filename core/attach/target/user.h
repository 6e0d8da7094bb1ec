/* SPDX-License-Identifier: BSD-2-Clause */
/* The user on whose behalf gotrace acts: under sudo the invoking user, not root. */
#ifndef GOTRACE_USER_H
#define GOTRACE_USER_H

#include <stdbool.h>
#include <sys/types.h>

struct user {
	uid_t uid;
	gid_t gid;
	char name[256], home[4096];
	bool change; /* another one than this process runs as */
};

/*
 * Finds the user named `name`; NULL: the one who called sudo (SUDO_UID), else the one this process
 * runs as. 0 or -errno after logging (-ENOENT: no such user, -EPERM: this process may not become
 * it).
 */
int user_find(const char *name, struct user *u);

/* The user of these ids, for root to act as; who is not root acts as itself. */
void user_of_ids(uid_t uid, gid_t gid, struct user *u);

/* Becomes u for good: groups, ids, HOME, USER, LOGNAME. For a forked child before its exec; it
 * allocates memory. 0 or -errno, nothing logged. */
int user_become(const struct user *u);

/* Between these two calls this process acts with u's rights, to open or rename files. 0 or
 * -errno. */
int user_enter(const struct user *u);
void user_leave(const struct user *u);

/* Whether u may read the file that is open as fd: its own rights, not those of folders above it,
 * which a container may have hidden. */
bool user_may_read(const struct user *u, int fd);

#endif
