// SPDX-License-Identifier: BSD-2-Clause
#include "cli/trace_output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "trace/samples.h"
#include "trace/trace.h"

static int old_name(const char *path, char *old)
{
	return snprintf(old, PATH_MAX, "%s.old", path) >= PATH_MAX ? -ENAMETOOLONG : 0;
}

static int temporary_name(const char *path, char *temporary, const char *which)
{
	const char *slash = strrchr(path, '/');
	int folder = slash ? (int)(slash - path) + 1 : 0;

	return snprintf(temporary, PATH_MAX, "%.*s.gotrace.%d%s.tmp", folder, path, getpid(),
			which) >= PATH_MAX
		       ? -ENAMETOOLONG
		       : 0;
}

static void keep_quiet(void *ctx, enum log_level level, const char *line)
{
	(void)ctx;
	(void)level;
	(void)line;
}

/* A trace whose recording was killed before its first event: it has no end, and nothing else. */
static bool says_nothing(const char *path)
{
	struct trace_span events = { 0 };
	struct sample_span samples = { 0 };
	const uint8_t *summary;
	size_t n;

	log_set_sink(keep_quiet, NULL); /* it may be damaged, which is no matter here */
	struct trace_reader *r = trace_reader_open(path);
	bool nothing = false;

	if (r) {
		int got = trace_is_samples(trace_reader_info(r)) ? trace_reader_samples(r, &samples)
								 : trace_reader_span(r, &events);

		nothing = !got && !trace_reader_complete(r) && !trace_reader_growing(r) &&
			  !trace_reader_summary(r, &summary, &n);
		trace_reader_close(r);
	}
	log_set_sink(NULL, NULL);
	return nothing;
}

/* 1: there is a file to keep as FILE.old, 0: there is none, or one that says
 * nothing where FILE.old is a trace, -EEXIST: no regular file, -ENOTEMPTY:
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
	if (trace_file_is_one(path))
		return !trace_file_is_one(old) || !says_nothing(path);
	return lstat(old, &st) ? 1 : -ENOTEMPTY;
}

int trace_output_report(const char *path, int err)
{
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

int trace_output_open(const struct user *owner, const char *path, int *fd)
{
	char temporary[PATH_MAX];
	int err = user_enter(owner);

	if (!err)
		err = temporary_name(path, temporary, "");
	if (!err)
		err = look_at_existing(path);
	if (err >= 0) {
		/* Not only O_EXCL: an earlier process of this number may have been killed. */
		unlink(temporary);
		*fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		err = *fd < 0 ? -errno : 0;
	}
	user_leave(owner);
	return trace_output_report(path, err);
}

/* FILE as FILE.old, too, so that it is there until another takes its place; where it cannot have
 * two names it is renamed. */
static int keep_as_old(const char *path)
{
	char old[PATH_MAX], temporary[PATH_MAX];
	int err = old_name(path, old);

	if (!err)
		err = temporary_name(old, temporary, ".old");
	if (err)
		return err;
	unlink(temporary); /* of an earlier process of this number */
	if (link(path, temporary))
		return rename(path, old) ? -errno : 0;
	if (rename(temporary, old))
		err = -errno;
	unlink(temporary); /* rename leaves it where both were one file already */
	return err;
}

int trace_output_publish(const struct user *owner, const char *path, bool *kept_old)
{
	char temporary[PATH_MAX];
	int err = user_enter(owner);

	if (!err)
		err = temporary_name(path, temporary, "");
	if (!err)
		err = look_at_existing(path);
	if (err > 0) {
		err = keep_as_old(path);
		*kept_old = !err;
	}
	if (!err && rename(temporary, path))
		err = -errno;
	user_leave(owner);
	return trace_output_report(path, err);
}

void trace_output_withdraw(const struct user *owner, const char *path, bool published,
			   bool kept_old)
{
	char name[PATH_MAX];

	if (user_enter(owner))
		return;
	if (!published && !temporary_name(path, name, ""))
		unlink(name);
	if (!kept_old && published)
		unlink(path);
	if (kept_old && !old_name(path, name)) {
		if (rename(name, path))
			log_warn("%s: cannot be renamed back: %s", name, strerror(errno));
		else
			unlink(name); /* still there where both are one file */
	}
	user_leave(owner);
}
