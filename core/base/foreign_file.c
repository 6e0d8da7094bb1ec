// SPDX-License-Identifier: BSD-2-Clause
#include "base/foreign_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash_index.h"

#define DEADLINE_NS (10 * 1000000000ull)
/* What takes no longer than this is not worth losing for a signal. */
#define PATIENCE_NS 1000000000ull
#define BLOCK_BYTES 65536

/* File systems whose files the kernel makes up (include/uapi/linux/magic.h). */
static bool is_kernels(int fd)
{
	static const uint32_t types[] = {
		0x9fa0,     /* proc */
		0x62656572, /* sysfs */
		0x74726163, /* tracefs */
		0x64626720, /* debugfs */
		0x73636673, /* securityfs */
		0xf97cff8c, /* selinuxfs */
		0x27e0eb,   /* cgroup */
		0x63677270, /* cgroup2 */
		0xcafe4a11, /* bpf */
		0x6165676c, /* pstore */
		0xde5e81e4, /* efivarfs */
	};
	struct statfs st;

	if (fstatfs(fd, &st))
		return false;
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if ((uint32_t)st.f_type == types[i])
			return true;
	return false;
}

/* fd may be opened with O_PATH. 0 or -errno as foreign_file_open. */
static int check(int fd, const struct foreign_rule *rule)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (S_ISLNK(st.st_mode))
		return -ELOOP;
	if (!S_ISREG(st.st_mode) || (!rule->kernels && is_kernels(fd)))
		return -EINVAL;
	if (rule->owned && st.st_uid && st.st_uid != rule->owner)
		return -EPERM;
	return rule->most_bytes && (uint64_t)st.st_size > rule->most_bytes ? -EFBIG : 0;
}

/* O_PATH looks and opens nothing: of a device, open(2) alone may start something. What is opened
 * then is what was looked at, whatever the name stands for by now. */
int foreign_file_open(const char *path, const struct foreign_rule *rule)
{
	int at = open(path, O_PATH | O_CLOEXEC | (rule->no_link ? O_NOFOLLOW : 0));
	char same[32];

	if (at < 0)
		return -errno;
	int err = check(at, rule);

	snprintf(same, sizeof(same), "/proc/self/fd/%d", at);
	int fd = err ? err : open(same, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (!err && fd < 0)
		fd = -errno;
	close(at);
	return fd;
}

int foreign_file_owner(uint32_t pid, uid_t *owner)
{
	char path[32], line[256];
	unsigned effective;
	int err = -ESRCH;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	FILE *f = fopen(path, "re");

	while (f && err && fgets(line, sizeof(line), f))
		if (sscanf(line, "Uid: %*u %u", &effective) == 1) {
			*owner = effective;
			err = 0;
		}
	if (f)
		fclose(f);
	return err;
}

bool foreign_file_stat(const char *path, struct stat *st)
{
	struct statx x;

	if (statx(AT_FDCWD, path, AT_STATX_DONT_SYNC, STATX_BASIC_STATS, &x))
		return false;
	*st = (struct stat){
		.st_dev = makedev(x.stx_dev_major, x.stx_dev_minor),
		.st_ino = x.stx_ino,
		.st_mode = x.stx_mode,
		.st_size = (off_t)x.stx_size,
		.st_mtim = { x.stx_mtime.tv_sec, x.stx_mtime.tv_nsec },
	};
	return true;
}

uint64_t foreign_file_view(uint32_t pid)
{
	struct stat mounts, root;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%u/ns/mnt", pid);
	if (!foreign_file_stat(path, &mounts))
		return 0;
	snprintf(path, sizeof(path), "/proc/%u/root", pid);
	if (!foreign_file_stat(path, &root))
		return 0;
	return hash_mix(mounts.st_ino ^ hash_mix(root.st_dev ^ hash_mix(root.st_ino))) | 1;
}

uint64_t foreign_file_deadline(void)
{
	return clock_monotonic_ns() + DEADLINE_NS;
}

int foreign_file_may_go_on(uint64_t deadline_ns)
{
	return foreign_file_may_go_on_since(deadline_ns - DEADLINE_NS, deadline_ns);
}

int foreign_file_may_go_on_since(uint64_t begin_ns, uint64_t deadline_ns)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGQUIT };
	const uint64_t now_ns = clock_monotonic_ns();
	sigset_t pending;

	if (now_ns > deadline_ns)
		return -ETIMEDOUT;
	if (now_ns < begin_ns + PATIENCE_NS || sigpending(&pending))
		return 0;
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (sigismember(&pending, ends[i]) > 0)
			return -EINTR;
	return 0;
}

int foreign_file_read(int fd, uint64_t most_bytes, uint64_t deadline_ns,
		      int (*take)(void *ctx, const char *bytes, size_t n), void *ctx)
{
	char bytes[BLOCK_BYTES];
	uint64_t at = 0;

	for (;;) {
		int err = foreign_file_may_go_on(deadline_ns);

		if (err)
			return err;
		ssize_t n = pread(fd, bytes, sizeof(bytes), (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : 0;
		at += (uint64_t)n;
		if (most_bytes && at > most_bytes)
			return -EFBIG; /* it has grown since it was opened */
		err = take(ctx, bytes, (size_t)n);
		if (err)
			return err;
	}
}
