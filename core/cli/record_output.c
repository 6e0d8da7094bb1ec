// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "cli/record_run.h"

static int old_name(const char *path, char *old)
{
	return snprintf(old, PATH_MAX, "%s.old", path) >= PATH_MAX ? -ENAMETOOLONG : 0;
}

/* Renames an existing regular file to FILE.old; -EEXIST when it is something else. */
static int make_room(struct run *r)
{
	char old[PATH_MAX];
	struct stat st;
	int err;

	if (lstat(r->opt.output, &st))
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISREG(st.st_mode))
		return -EEXIST;
	err = old_name(r->opt.output, old);
	if (!err && rename(r->opt.output, old))
		err = -errno;
	r->kept_old = !err;
	return err;
}

int record_open_output(struct run *r, int *fd)
{
	int err = user_enter(&r->invoker);

	if (!err)
		err = make_room(r);
	if (!err) {
		*fd = open(r->opt.output, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		err = *fd < 0 ? -errno : 0;
	}
	user_leave(&r->invoker);
	if (err == -EEXIST)
		log_error("%s is not a regular file; name another one with -o", r->opt.output);
	else if (err)
		log_error("%s: cannot be written: %s", r->opt.output, strerror(-err));
	return err;
}

void record_withdraw_output(const struct run *r)
{
	char old[PATH_MAX];

	if (user_enter(&r->invoker))
		return;
	unlink(r->opt.output);
	if (r->kept_old && !old_name(r->opt.output, old) && rename(old, r->opt.output))
		log_warn("%s: cannot be renamed back: %s", old, strerror(errno));
	user_leave(&r->invoker);
}
