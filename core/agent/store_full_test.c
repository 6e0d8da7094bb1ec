// SPDX-License-Identifier: BSD-2-Clause
/* A store on a full disk or with a spent quota: what its limits take out makes room again. */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/test_fixture.h"
#include "agent/store.h"
#include "base/log.h"

enum { PROFILES = 20, BYTES = 20000, NO_MOUNT = 77 };

static void in_silence(void *ctx, enum log_level level, const char *line)
{
	(void)ctx;
	(void)level;
	(void)line;
}

/* Up to that many bytes, or as many as there is room for. */
static void write_file(const char *path, size_t n)
{
	static const char zeros[4096];
	FILE *f = fopen(path, "w");

	if (!f)
		exit(10);
	setbuf(f, NULL);
	for (size_t at = 0; at < n; at += sizeof(zeros))
		if (fwrite(zeros, 1, sizeof(zeros), f) != sizeof(zeros))
			break;
	fclose(f);
}

static void add(struct store *s, unsigned i)
{
	char file[512], *path = store_new_path(s, "bomb", i * 1000000000ull, i);
	const struct profile p = { .service = "bomb",
				   .labels = "{}",
				   .from_ns = i * 1000000000ull,
				   .to_ns = i * 1000000000ull + 1,
				   .samples = 10,
				   .event = "cpu",
				   .build_ids = "[]",
				   .path = path,
				   .bytes = BYTES };

	if (!path || snprintf(file, sizeof(file), "%s/%s.gotrace", s->directory, path) < 0)
		exit(11);
	write_file(file, BYTES);
	if (store_add(s, &p, 1, i % 2))
		exit(12);
	free(path);
}

/* In a child with file systems of its own. */
static void fill_and_trim(const char *dir)
{
	struct store_trimmed gone = { 0 };
	char file[512], store[512];
	struct statfs fs;
	struct store s;

	if (unshare(CLONE_NEWNS | (geteuid() ? CLONE_NEWUSER : 0)) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("tmpfs", dir, "tmpfs", 0, "size=2m"))
		exit(NO_MOUNT);
	log_set_sink(in_silence, NULL);
	snprintf(store, sizeof(store), "%s/store", dir);
	if (store_open(&s, store))
		exit(13);
	for (unsigned i = 1; i <= PROFILES; i++)
		add(&s, i);
	snprintf(file, sizeof(file), "%s/others", dir);
	write_file(file, SIZE_MAX);
	if (statfs(dir, &fs) || fs.f_bavail)
		exit(14);
	if (store_trim(&s, 0, 0, 5 * BYTES, 0, &gone))
		exit(15);
	if (gone.too_many != PROFILES - 5 || statfs(dir, &fs) || !fs.f_bavail)
		exit(16);
	add(&s, PROFILES + 1);
	store_close(&s);
	/* Of an agent that begins on a full disk, too. */
	write_file(file, SIZE_MAX);
	gone = (struct store_trimmed){ 0 };
	if (store_open(&s, store))
		exit(17);
	if (store_trim(&s, 0, 0, BYTES, 0, &gone) || gone.too_many != 5)
		exit(18);
	store_close(&s);
	exit(0);
}

static const char *kept_room; /* while this file is there, the quota is spent */
static unsigned refusals;

static ssize_t write_within_quota(int fd, const void *bytes, size_t n, off_t at)
{
	if (!access(kept_room, F_OK)) {
		refusals++;
		errno = EDQUOT;
		return -1;
	}
	return pwrite(fd, bytes, n, at);
}

TEST(test_quota)
{
	char dir[] = "/tmp/gotrace-quota-XXXXXX", store[64], room[80], command[64];
	sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
	struct store_trimmed gone = { 0 };
	struct store s;

	assert_non_null(mkdtemp(dir));
	snprintf(store, sizeof(store), "%s/store", dir);
	snprintf(room, sizeof(room), "%s/room", store);
	kept_room = room;
	log_set_sink(in_silence, NULL);
	assert_int_equal(store_open(&s, store), 0);
	for (unsigned i = 1; i <= PROFILES; i++)
		add(&s, i);
	assert_int_equal(access(room, F_OK), 0);
	for (int k = 0; k < 2; k++)
		vfs->xSetSystemCall(vfs, k ? "pwrite64" : "pwrite",
				    (sqlite3_syscall_ptr)write_within_quota);
	int err = store_trim(&s, 0, 0, 5 * BYTES, 0, &gone);

	for (int k = 0; k < 2; k++)
		vfs->xSetSystemCall(vfs, k ? "pwrite64" : "pwrite", NULL);
	store_close(&s);
	log_set_sink(NULL, NULL);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	assert_int_equal(system(command), 0);
	assert_int_equal(err, 0);
	assert_int_equal(gone.too_many, PROFILES - 5);
	assert_true(refusals > 0);
}

TEST(test_trim)
{
	char dir[] = "/tmp/gotrace-full-XXXXXX";
	int status;

	assert_non_null(mkdtemp(dir));
	fflush(NULL);
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		fill_and_trim(dir);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	rmdir(dir);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == NO_MOUNT)
		skip(); /* no root, and the host lets nobody else have a file system */
	assert_int_equal(WEXITSTATUS(status), 0);
}

TESTS(test_trim, test_quota)
