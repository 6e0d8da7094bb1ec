// SPDX-License-Identifier: BSD-2-Clause
/*
 * The trace file of `gotrace record`. It is begun under a temporary name and takes its own once it
 * can be read: whenever gotrace is killed, FILE is a trace or what it was before.
 */
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

static int temporary_name(const char *path, char *temporary)
{
	const char *slash = strrchr(path, '/');
	int folder = slash ? (int)(slash - path) + 1 : 0;

	return snprintf(temporary, PATH_MAX, "%.*s.gotrace.%d.tmp", folder, path, getpid()) >=
			       PATH_MAX
		       ? -ENAMETOOLONG
		       : 0;
}

/* 1: there is a file to keep as FILE.old, 0: there is none, -EEXIST: no regular file, -ENOTEMPTY:
 * no trace, and FILE.old, which may be one, is not given up for it. */
static int look_at_existing(const char *path)
{
	char old[PATH_MAX];
	struct stat st;
	int err = old_name(path, old);

	if (err)
		return err;
	if (lstat(path, &st))
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISREG(st.st_mode))
		return -EEXIST;
	if (!st.st_size)
		return 0;
	return trace_file_is_one(path) || lstat(old, &st) ? 1 : -ENOTEMPTY;
}

static int report(const struct run *r, int err)
{
	const char *path = r->opt.output;

	if (err == -EEXIST)
		log_error("%s is not a regular file; name another one with -o", path);
	else if (err == -ENOTEMPTY)
		log_error(
			"%s is not a trace, and there is a %s.old already; name another file with -o",
			path, path);
	else if (err)
		log_error("%s: cannot be written: %s", path, strerror(-err));
	return err;
}

int record_open_output(struct run *r, int *fd)
{
	char temporary[PATH_MAX];
	int err = 0;

	if (r->opt.trial_ns) {
		*fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
		return *fd < 0 ? report(r, -errno) : 0;
	}
	err = user_enter(&r->invoker);
	if (!err)
		err = temporary_name(r->opt.output, temporary);
	if (!err)
		err = look_at_existing(r->opt.output);
	if (err >= 0) {
		/* Not only O_EXCL: an earlier process of this number may have been killed. */
		unlink(temporary);
		*fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		err = *fd < 0 ? -errno : 0;
	}
	user_leave(&r->invoker);
	return report(r, err);
}

int record_publish_output(struct run *r)
{
	char temporary[PATH_MAX], old[PATH_MAX];
	int err = 0;

	if (r->opt.trial_ns)
		return 0;
	err = user_enter(&r->invoker);

	if (!err)
		err = temporary_name(r->opt.output, temporary);
	if (!err)
		err = look_at_existing(r->opt.output);
	if (err > 0) {
		err = old_name(r->opt.output, old);
		if (!err && rename(r->opt.output, old))
			err = -errno;
		r->kept_old = !err;
	}
	if (!err && rename(temporary, r->opt.output))
		err = -errno;
	r->published = !err;
	user_leave(&r->invoker);
	return report(r, err);
}

void record_withdraw_output(const struct run *r)
{
	char name[PATH_MAX];

	if (r->opt.trial_ns || user_enter(&r->invoker))
		return;
	if (!r->published && !temporary_name(r->opt.output, name))
		unlink(name);
	if (r->published)
		unlink(r->opt.output);
	if (r->kept_old && !old_name(r->opt.output, name) && rename(name, r->opt.output))
		log_warn("%s: cannot be renamed back: %s", name, strerror(errno));
	user_leave(&r->invoker);
}
