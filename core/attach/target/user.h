/* SPDX-License-Identifier: BSD-2-Clause */
/* The user for whom gotrace acts. Under sudo it is the invoking user, not root. */
#ifndef GOTRACE_USER_H
#define GOTRACE_USER_H

#include <stdbool.h>
#include <sys/types.h>

struct user {
	uid_t uid;
	gid_t gid;
	char name[256], home[4096];
	bool change; /* the user differs from the user of this process */
};

/*
 * Finds the user named `name`. NULL: the user who called sudo (SUDO_UID), or else the user of this
 * process. Returns 0 or -errno after logging. -ENOENT: there is no such user. -EPERM: this process
 * may not become that user.
 */
int user_find(const char *name, struct user *u);

/* Fills in the user of these IDs, for root to act as. A process that is not root acts as itself. */
void user_of_ids(uid_t uid, gid_t gid, struct user *u);

/* Becomes u for good: groups, IDs, HOME, USER, LOGNAME. A forked child calls it before its exec. It
 * allocates memory. Returns 0 or -errno and logs nothing. */
int user_become(const struct user *u);

/* Between these two calls this process acts with u's rights, to open or rename files. user_enter
 * returns 0 or -errno. */
int user_enter(const struct user *u);
void user_leave(const struct user *u);

/* Returns true if u may read the file that is open as fd. Only the file's own rights count, not
 * those of the folders above it, which a container may have hidden. */
bool user_may_read(const struct user *u, int fd);

#endif
