// SPDX-License-Identifier: BSD-2-Clause
#include "attach/target/user.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/units.h"

/* A decimal id, or -1. */
static long parse_id(const char *s)
{
	uint64_t n;

	return !s || parse_decimal(s, UINT_MAX - 1, &n) ? -1 : (long)n;
}

static void take(struct user *u, const struct passwd *pw)
{
	u->uid = pw->pw_uid;
	u->gid = pw->pw_gid;
	snprintf(u->name, sizeof(u->name), "%s", pw->pw_name);
	snprintf(u->home, sizeof(u->home), "%s", pw->pw_dir);
}

/* The user who called sudo. An id without an account is used as it is, rather than root. */
static int by_sudo(struct user *u)
{
	long uid = parse_id(getenv("SUDO_UID")), gid = parse_id(getenv("SUDO_GID"));
	const struct passwd *pw = uid < 0 ? NULL : getpwuid(uid);

	if (uid < 0 || (!pw && gid < 0)) {
		log_error(
			"SUDO_UID or SUDO_GID is set and is no id; unset both, or name the user with --user");
		return -EINVAL;
	}
	if (pw) {
		take(u, pw);
	} else {
		u->uid = uid;
		u->gid = gid;
	}
	return 0;
}

int user_find(const char *name, struct user *u)
{
	*u = (struct user){ .uid = getuid(), .gid = getgid() };
	if (name) {
		const struct passwd *pw = getpwnam(name);

		if (!pw) {
			log_error("there is no user '%s'", name);
			return -ENOENT;
		}
		take(u, pw);
	} else if (geteuid() == 0 && getenv("SUDO_UID")) {
		int err = by_sudo(u);

		if (err)
			return err;
	}
	u->change = u->uid != geteuid();
	if (u->change && geteuid() != 0) {
		log_error("only root can run a command as user '%s'", u->name);
		return -EPERM;
	}
	return 0;
}

void user_of_ids(uid_t uid, gid_t gid, struct user *u)
{
	const struct passwd *pw = getpwuid(uid);

	*u = (struct user){ .uid = uid, .gid = gid };
	if (pw)
		take(u, pw);
	u->change = geteuid() == 0 && uid != 0;
}

/* All groups of a user with an account, else only the one of SUDO_GID. */
static int set_groups(const struct user *u)
{
	return *u->name ? initgroups(u->name, u->gid) : setgroups(1, &u->gid);
}

int user_become(const struct user *u)
{
	if (!u->change)
		return 0;
	if (set_groups(u) || setgid(u->gid) || setuid(u->uid))
		return -errno;
	if (!*u->name)
		return 0;
	if (setenv("HOME", u->home, 1) || setenv("USER", u->name, 1) ||
	    setenv("LOGNAME", u->name, 1))
		return -errno;
	return 0;
}

int user_enter(const struct user *u)
{
	if (!u->change)
		return 0;
	if (set_groups(u))
		return -errno;
	if (setegid(u->gid) || seteuid(u->uid)) {
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
	/* Only root enters. If this fails, whatever needs root fails next. */
	if (seteuid(0) || setegid(0) || setgroups(1, &(gid_t){ 0 }))
		log_error("cannot become root again: %s", strerror(errno));
}

bool user_may_read(const struct user *u, int fd)
{
	char path[32];

	if (!u->change)
		return true;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	bool may = !user_enter(u);

	if (may) {
		may = !faccessat(AT_FDCWD, path, R_OK, AT_EACCESS);
		user_leave(u);
	}
	return may;
}
