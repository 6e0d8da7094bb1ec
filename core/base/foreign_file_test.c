// SPDX-License-Identifier: BSD-2-Clause
/* What hostile names lead to is not opened, and what has no end is not read to it. */
#include "base/test_fixture.h"
#include "base/foreign_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECOND_NS 1000000000ull

static char folder[] = "/tmp/gotrace-foreign.XXXXXX";

static const char *at(const char *name)
{
	static char path[sizeof(folder) + 32];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void make(const char *name, off_t bytes)
{
	int fd = open(at(name), O_WRONLY | O_CREAT | O_EXCL, 0600);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, bytes), 0);
	close(fd);
}

FIXTURE(make_all)
{
	assert_non_null(mkdtemp(folder));
	make("plain", 100);
	make("large", (off_t)3 << 40);
	assert_int_equal(mkfifo(at("fifo"), 0600), 0);
	assert_int_equal(symlink("/dev/zero", at("zero")), 0);
	assert_int_equal(symlink("plain", at("link")), 0);
	assert_int_equal(symlink("fifo", at("link-to-fifo")), 0);
	return 0;
}

FIXTURE(remove_all)
{
	static const char *const names[] = { "plain", "large", "fifo",
					     "zero",  "link",  "link-to-fifo" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		unlink(at(names[i]));
	return rmdir(folder);
}

static int try_open(const char *name, struct foreign_rule rule)
{
	int fd = foreign_file_open(*name == '/' ? name : at(name), &rule);

	if (fd < 0)
		return fd;
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	close(fd);
	return 0;
}

TEST(only_regular_files)
{
	const struct foreign_rule any = { 0 };

	assert_int_equal(try_open("plain", any), 0);
	assert_int_equal(try_open("link", any), 0);
	assert_int_equal(try_open("fifo", any), -EINVAL);
	assert_int_equal(try_open("link-to-fifo", any), -EINVAL);
	assert_int_equal(try_open("zero", any), -EINVAL);
	assert_int_equal(try_open("/dev/null", any), -EINVAL);
	assert_int_equal(try_open("/tmp", any), -EINVAL);
	assert_int_equal(try_open("none", any), -ENOENT);
}

/* To read /proc/kmsg takes messages away from their reader, for example. */
TEST(no_kernel_files)
{
	static const char *const names[] = { "/proc/version", "/proc/self/status",
					     "/sys/kernel/profiling", "/sys/kernel/notes" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (access(names[i], R_OK))
			continue;
		assert_int_equal(try_open(names[i], (struct foreign_rule){ 0 }), -EINVAL);
		assert_int_equal(try_open(names[i], (struct foreign_rule){ .kernels = true }), 0);
	}
	assert_int_equal(symlink("/proc/version", at("version")), 0);
	assert_int_equal(try_open("version", (struct foreign_rule){ 0 }), -EINVAL);
	unlink(at("version"));
	/* A link of the kernel's to another file. */
	assert_int_equal(try_open("/proc/self/exe", (struct foreign_rule){ 0 }), 0);
}

TEST(rules)
{
	assert_int_equal(try_open("link", (struct foreign_rule){ .no_link = true }), -ELOOP);
	assert_int_equal(try_open("zero", (struct foreign_rule){ .no_link = true }), -ELOOP);
	assert_int_equal(try_open("large", (struct foreign_rule){ .most_bytes = 1 << 20 }), -EFBIG);
	assert_int_equal(try_open("plain", (struct foreign_rule){ .most_bytes = 100 }), 0);
	assert_int_equal(try_open("plain", (struct foreign_rule){ .most_bytes = 99 }), -EFBIG);
	assert_int_equal(
		try_open("plain", (struct foreign_rule){ .owned = true, .owner = getuid() }), 0);
	/* Root's are good for all. */
	assert_int_equal(
		try_open("/etc/passwd", (struct foreign_rule){ .owned = true, .owner = 12345 }), 0);
}

TEST(another_owner)
{
	if (getuid())
		skip();
	assert_int_equal(chown(at("plain"), 12345, 12345), 0);
	assert_int_equal(try_open("plain", (struct foreign_rule){ .owned = true, .owner = 12346 }),
			 -EPERM);
	assert_int_equal(try_open("plain", (struct foreign_rule){ .owned = true, .owner = 12345 }),
			 0);
	assert_int_equal(chown(at("plain"), 0, 0), 0);
}

TEST(owners)
{
	uid_t owner = 1;

	assert_int_equal(foreign_file_owner((uint32_t)getpid(), &owner), 0);
	assert_int_equal(owner, geteuid());
	assert_int_equal(foreign_file_owner(0, &owner), -ESRCH);
}

static int count(void *ctx, const char *bytes, size_t n)
{
	(void)bytes;
	*(size_t *)ctx += n;
	return 0;
}

static int refuse(void *ctx, const char *bytes, size_t n)
{
	(void)ctx;
	(void)bytes;
	(void)n;
	return -ENOMEM;
}

TEST(reading)
{
	const struct foreign_rule any = { 0 };
	const uint64_t later = foreign_file_deadline();
	int plain = foreign_file_open(at("plain"), &any);
	int large = foreign_file_open(at("large"), &any);
	size_t n = 0;

	assert_true(plain >= 0 && large >= 0);
	assert_int_equal(foreign_file_read(plain, 0, later, count, &n), 0);
	assert_int_equal(n, 100);
	assert_int_equal(foreign_file_read(plain, 99, later, count, &n), -EFBIG);
	assert_int_equal(foreign_file_read(plain, 0, later, refuse, NULL), -ENOMEM);
	n = 0;
	assert_int_equal(foreign_file_read(large, 1 << 20, later, count, &n), -EFBIG);
	assert_true(n <= 1 << 20);
	assert_int_equal(foreign_file_read(large, 0, 1, count, &n), -ETIMEDOUT);
	close(plain);
	close(large);
}

/* As gotrace sample and the agent have them: blocked, and read from a descriptor later. */
TEST(a_signal_ends_it)
{
	int large = foreign_file_open(at("large"), &(struct foreign_rule){ 0 });
	sigset_t term, old;
	size_t n = 0;
	int got;

	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	assert_int_equal(sigprocmask(SIG_BLOCK, &term, &old), 0);
	raise(SIGTERM);
	/* It has just begun. */
	assert_int_equal(foreign_file_may_go_on(foreign_file_deadline() + SECOND_NS), 0);
	assert_int_equal(foreign_file_read(large, 0, foreign_file_deadline() - 2 * SECOND_NS, count,
					   &n),
			 -EINTR);
	assert_int_equal(n, 0);
	assert_int_equal(sigwait(&term, &got), 0);
	assert_int_equal(foreign_file_may_go_on(foreign_file_deadline() - 2 * SECOND_NS), 0);
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(large);
}

/* A child that did as asked, if it may; 0: it may not. */
static pid_t child(int (*change)(void))
{
	int fds[2];
	char ready = 0;

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	const pid_t pid = fork();

	if (!pid) {
		ready = change() ? 'n' : 'y';
		_exit(write(fds[1], &ready, 1) != 1 || pause());
	}
	close(fds[1]);
	assert_int_equal(read(fds[0], &ready, 1), 1);
	close(fds[0]);
	if (ready == 'y')
		return pid;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return 0;
}

static int nothing(void)
{
	return 0;
}
static int other_mounts(void)
{
	return unshare(CLONE_NEWNS);
}
static int other_root(void)
{
	return chroot(folder);
}

TEST(views)
{
	int (*const changes[])(void) = { nothing, other_mounts, other_root };
	const uint64_t own = foreign_file_view((uint32_t)getpid());

	assert_true(own & 1);
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		const pid_t pid = child(changes[i]);

		if (!pid)
			continue;
		const uint64_t view = foreign_file_view((uint32_t)pid);

		assert_true(view && (view == own) == !i);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		assert_int_equal(foreign_file_view((uint32_t)pid), 0);
	}
}

TESTS_BETWEEN(make_all, remove_all, views, only_regular_files, no_kernel_files, rules,
	      another_owner, owners, reading, a_signal_ends_it)
