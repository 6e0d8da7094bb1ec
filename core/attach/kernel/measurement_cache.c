// SPDX-License-Identifier: BSD-2-Clause
#include "attach/kernel/measurement_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

#define LASTS_NS (3600ull * 1000000000)

/* Must be the same as now, but for the time. */
struct head {
	char boot[40];
	uint64_t exe_dev, exe_ino, exe_bytes, exe_changed_ns;
	uint64_t capabilities;
	uint64_t slept_ms;
	uint64_t seccomp;
	uint64_t bytes; /* of the data behind */
	uint64_t at_ns;
};

static uint64_t clock_ms(clockid_t id)
{
	struct timespec t = { 0 };

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Counters of processors may start anew when the machine wakes up. */
static uint64_t slept_ms(void)
{
	return clock_ms(CLOCK_BOOTTIME) - clock_ms(CLOCK_MONOTONIC);
}

static uint64_t capabilities(void)
{
	struct __user_cap_header_struct h = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct d[2] = { 0 };

	return syscall(SYS_capget, &h, d) ? 0 : (uint64_t)d[1].effective << 32 | d[0].effective;
}

static bool read_boot(char boot[40])
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, boot, 39);

	if (fd >= 0)
		close(fd);
	return n > 0;
}

/* false: something of it is not known. */
static bool describe_now(struct head *h, size_t bytes)
{
	struct stat exe;

	memset(h, 0, sizeof(*h));
	if (stat("/proc/self/exe", &exe) || !read_boot(h->boot))
		return false;
	h->exe_dev = exe.st_dev;
	h->exe_ino = exe.st_ino;
	h->exe_bytes = (uint64_t)exe.st_size;
	h->exe_changed_ns = (uint64_t)exe.st_ctim.tv_sec * 1000000000 +
			    (uint64_t)exe.st_ctim.tv_nsec;
	h->capabilities = capabilities();
	h->slept_ms = slept_ms();
	h->seccomp = (uint64_t)prctl(PR_GET_SECCOMP);
	h->bytes = bytes;
	h->at_ns = clock_monotonic_ns();
	return h->capabilities;
}

/* Nobody but this user can have written there. -1: not so. */
static int open_dir(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && st.st_uid == geteuid() && !(st.st_mode & 077))
		return fd;
	close(fd);
	return -1;
}

/* The two readings of a clock for slept_ms are no one moment. */
static bool still_holds(const struct head *was, const struct head *now)
{
	struct head same = *was;
	const int64_t slept_more = (int64_t)(now->slept_ms - was->slept_ms);

	same.at_ns = now->at_ns;
	same.slept_ms = now->slept_ms;
	return !memcmp(&same, now, sizeof(same)) && now->at_ns - was->at_ns < LASTS_NS &&
	       slept_more >= -2 && slept_more <= 2;
}

/* The whole file, to be freed; *n: its size. NULL: there is none, or it is not one of ours. */
static uint8_t *read_whole(const char *dir, const char *name, size_t *n)
{
	int dir_fd = geteuid() ? -1 : open_dir(dir), fd = -1;
	uint8_t *all = NULL;
	struct stat st;

	if (dir_fd >= 0)
		fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && !fstat(fd, &st) && st.st_size >= (off_t)sizeof(struct head) &&
	    st.st_size <= (off_t)(sizeof(struct head) + KEPT_MAX_BYTES))
		all = malloc((size_t)st.st_size);
	if (all) {
		*n = (size_t)st.st_size;
		if (read(fd, all, *n) != (ssize_t)*n) {
			free(all);
			all = NULL;
		}
	}
	if (fd >= 0)
		close(fd);
	if (dir_fd >= 0)
		close(dir_fd);
	return all;
}

bool measurement_cache_get_any(const char *dir, const char *name, void **data, size_t *bytes)
{
	struct head was, now;
	size_t n = 0;
	uint8_t *all = read_whole(dir, name, &n);

	if (!all)
		return false;
	memcpy(&was, all, sizeof(was));
	*bytes = n - sizeof(was);
	if (!describe_now(&now, *bytes) || !still_holds(&was, &now)) {
		free(all);
		return false;
	}
	memmove(all, all + sizeof(was), *bytes);
	*data = all;
	return true;
}

bool measurement_cache_get(const char *dir, const char *name, void *data, size_t bytes)
{
	void *got;
	size_t n;

	if (!measurement_cache_get_any(dir, name, &got, &n))
		return false;
	if (n == bytes)
		memcpy(data, got, bytes);
	free(got);
	return n == bytes;
}

/* Under another name first: who reads meanwhile has the old one, or the new one. */
static int write_new(int dir_fd, const char *name, const uint8_t *all, size_t bytes)
{
	char fresh[64];
	int err = 0;

	snprintf(fresh, sizeof(fresh), "%s.%d", name, getpid());
	int fd = openat(dir_fd, fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return -errno;
	ssize_t n = write(fd, all, bytes);

	if (n != (ssize_t)bytes)
		err = n < 0 ? -errno : -ENOSPC;
	if (!err && renameat(dir_fd, fresh, dir_fd, name))
		err = -errno;
	close(fd);
	if (err)
		unlinkat(dir_fd, fresh, 0);
	return err;
}

static void put_all(const char *dir, const char *name, const uint8_t *all, size_t bytes)
{
	if (mkdir(dir, 0700) && errno != EEXIST)
		log_debug("%s: %s", dir, strerror(errno));
	int dir_fd = open_dir(dir);

	if (dir_fd < 0)
		return;
	int err = write_new(dir_fd, name, all, bytes);

	if (err)
		log_debug("%s/%s: %s", dir, name, strerror(-err));
	close(dir_fd);
}

void measurement_cache_put(const char *dir, const char *name, const void *data, size_t bytes)
{
	struct head now;

	if (geteuid() || bytes > KEPT_MAX_BYTES || !describe_now(&now, bytes))
		return;
	uint8_t *all = malloc(sizeof(now) + bytes);

	if (!all)
		return;
	memcpy(all, &now, sizeof(now));
	memcpy(all + sizeof(now), data, bytes);
	put_all(dir, name, all, sizeof(now) + bytes);
	free(all);
}
