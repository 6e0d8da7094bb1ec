// SPDX-License-Identifier: BSD-2-Clause
#include "attach/user.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"

static const struct passwd *by_sudo(void)
{
	const char *uid = getenv("SUDO_UID");
	char *end;

	if (geteuid() != 0 || !uid || !*uid)
		return NULL;
	errno = 0;
	unsigned long n = strtoul(uid, &end, 10);
	return *end || errno ? NULL : getpwuid(n);
}

int user_find(const char *name, struct user *u)
{
	const struct passwd *pw = name ? getpwnam(name) : by_sudo();

	*u = (struct user){ .uid = getuid(), .gid = getgid() };
	if (name && !pw) {
		log_error("there is no user '%s'", name);
		return -ENOENT;
	}
	if (!pw)
		return 0;
	u->uid = pw->pw_uid;
	u->gid = pw->pw_gid;
	snprintf(u->name, sizeof(u->name), "%s", pw->pw_name);
	snprintf(u->home, sizeof(u->home), "%s", pw->pw_dir);
	u->change = u->uid != geteuid();
	if (u->change && geteuid() != 0) {
		log_error("only root can run a command as user '%s'", u->name);
		return -EPERM;
	}
	return 0;
}

int user_become(const struct user *u)
{
	if (!u->change)
		return 0;
	if (initgroups(u->name, u->gid) || setgid(u->gid) || setuid(u->uid))
		return -errno;
	if (setenv("HOME", u->home, 1) || setenv("USER", u->name, 1) || setenv("LOGNAME", u->name, 1))
		return -errno;
	return 0;
}

int user_enter(const struct user *u)
{
	if (!u->change)
		return 0;
	if (initgroups(u->name, u->gid) || setegid(u->gid))
		return -errno;
	if (seteuid(u->uid)) {
		int err = -errno;

		user_leave(u);
		return err;
	}
	return 0;
}

void user_leave(const struct user *u)
{
	if (!u->change)
		return;
	/* Back to root, from which this process came: these cannot fail. */
	if (seteuid(0) || setegid(0) || setgroups(1, &(gid_t){ 0 }))
		abort();
}
