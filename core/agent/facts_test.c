// SPDX-License-Identifier: BSD-2-Clause
/* What is read of a process, from a /proc made up for it. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "agent/facts.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static char proc[] = "/tmp/facts_test.XXXXXX";

static void put(const char *name, const char *bytes, size_t n)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/7/%s", proc, name);
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}
#define PUT(name, text) put(name, text, sizeof(text) - 1)

static void take_away(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/7/%s", proc, name);
	unlink(path);
}

static void read_it(struct facts *f, const char *exe)
{
	static const char *const allowed[] = { "NAME", "EMPTY" };

	assert_int_equal(facts_read(f, proc, 7, exe, "comm", allowed, 2), 0);
}

TEST(test_all)
{
	struct facts f;

	PUT("cmdline", "nginx\0-g\0daemon off;\0\0");
	PUT("environ", "SECRET=x\0NAME=a=b\0EMPTY=\0NAMES=no\0broken");
	PUT("cgroup", "0::/system.slice/nginx.service\n");
	read_it(&f, "/usr/sbin/nginx");
	assert_string_equal(f.executable, "/usr/sbin/nginx");
	assert_string_equal(f.program, "nginx");
	assert_string_equal(f.command, "nginx -g daemon off;");
	assert_string_equal(f.cgroup, "/system.slice/nginx.service");
	assert_string_equal(f.unit, "nginx.service");
	assert_null(f.container);
	assert_int_equal(f.n_env, 2);
	assert_string_equal(facts_env(&f, "NAME"), "a=b");
	assert_string_equal(facts_env(&f, "EMPTY"), "");
	assert_null(facts_env(&f, "SECRET"));
	facts_free(&f);
}

TEST(test_containers)
{
	static const struct {
		const char *cgroup, *container, *unit, *path;
	} cases[] = {
		{ "0::/system.slice/docker-" ID ".scope\n", ID, NULL,
		  "/system.slice/docker-" ID ".scope" },
		{ "0::/docker/" ID "\n", ID, NULL, "/docker/" ID },
		{ "0::/kubepods.slice/kubepods-pod1.slice/cri-containerd-" ID ".scope\n", ID, NULL,
		  NULL },
		{ "0::/user.slice/user-1000.slice/user@1000.service/app.slice/x.service\n", NULL,
		  "x.service", NULL },
		/* one digit less, one more, capitals: other things */
		{ "0::/docker/1" ID "\n", NULL, NULL, NULL },
		{ "0::/docker/A" ID "\n", NULL, NULL, NULL },
		{ "0::/.service\n", NULL, NULL, NULL },
		/* version 1: systemd's says most, "/" least */
		{ "12:cpu:/\n1:name=systemd:/system.slice/a.service\n0::/\n", NULL, "a.service",
		  "/system.slice/a.service" },
		{ "12:cpu:/docker/" ID "\n1:name=systemd:/\n0::/\n", ID, NULL, "/docker/" ID },
		{ "nothing\n:\n::\n", NULL, NULL, "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct facts f;

		put("cgroup", cases[i].cgroup, strlen(cases[i].cgroup));
		read_it(&f, "/bin/x");
		if (cases[i].container)
			assert_string_equal(f.container, cases[i].container);
		else
			assert_null(f.container);
		if (cases[i].unit)
			assert_string_equal(f.unit, cases[i].unit);
		else
			assert_null(f.unit);
		if (cases[i].path)
			assert_string_equal(f.cgroup ? f.cgroup : "", cases[i].path);
		facts_free(&f);
	}
}

#define POD "6c1b9d6e-1f2a-4b3c-8d4e-5f60718293a4"

TEST(test_pods)
{
	static const struct {
		const char *cgroup, *pod;
	} cases[] = {
		{ "0::/kubepods/burstable/pod" POD "/" ID "\n", POD }, /* cgroupfs */
		{ "0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-"
		  "pod6c1b9d6e_1f2a_4b3c_8d4e_5f60718293a4.slice/cri-containerd-" ID ".scope\n",
		  POD },
		{ "0::/kubepods.slice/kubepods-pod6c1b9d6e_1f2a_4b3c_8d4e_5f60718293a4.slice/crio-" ID
		  ".scope\n",
		  POD },
		{ "11:cpu:/kubepods/pod" POD "/" ID "\n", POD },
		/* others' names, cut, longer, capitals */
		{ "0::/system.slice/pod" POD "\n", NULL },
		{ "0::/kubepods/pod6c1b9d6e-1f2a\n", NULL },
		{ "0::/kubepods/pod" POD "5/x\n", NULL },
		{ "0::/kubepods/pod6C1B9D6E-1f2a-4b3c-8d4e-5f60718293a4\n", NULL },
		{ "0::/kubepods/podpodpod\n", NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct facts f;

		put("cgroup", cases[i].cgroup, strlen(cases[i].cgroup));
		read_it(&f, "/bin/x");
		assert_true(!f.pod == !cases[i].pod);
		if (f.pod)
			assert_string_equal(f.pod, cases[i].pod);
		facts_free(&f);
	}
}

/* A process that has ended, and a thread of the kernel. */
TEST(test_nothing)
{
	struct facts f;

	take_away("cmdline");
	take_away("environ");
	take_away("cgroup");
	read_it(&f, "/bin/gone");
	assert_string_equal(f.program, "gone");
	assert_true(!f.command && !f.cgroup && !f.container && !f.unit && !f.n_env);
	facts_free(&f);
	PUT("cmdline", "");
	read_it(&f, NULL);
	assert_string_equal(f.program, "comm");
	assert_null(f.executable);
	assert_null(f.command);
	facts_free(&f);
}

static void expect_program(const char *exe, const char *comm, const char *command, const char *name)
{
	struct facts f;

	put("cmdline", command, strlen(command) + 1);
	assert_int_equal(facts_read(&f, proc, 7, exe, comm, NULL, 0), 0);
	assert_string_equal(f.program, name);
	facts_free(&f);
}

/* A file with several names has that by which it was started, if the kernel agrees. */
TEST(test_names)
{
	static const char redis[] = "/usr/bin/redis-check-rdb", box[] = "/bin/busybox";

	expect_program(redis, "redis-server", "/usr/bin/redis-server 127.0.0.1:6379",
		       "redis-server");
	expect_program(redis, "redis-server", "redis-server", "redis-server");
	expect_program(box, "sh", "sh", "sh");
	expect_program("/x/y", "a-name-that-is-", "a-name-that-is-longer", "a-name-that-is-longer");
	expect_program("/usr/sbin/nginx", "nginx", "nginx: master process", "nginx");
	/* no names, or what a process made up */
	expect_program("/bin/bash", "bash", "-bash", "bash");
	expect_program("/bin/dash", "run.sh", "/bin/sh", "dash");
	expect_program("/bin/x", "x", "other", "x");
	expect_program("/bin/x", "a\nb", "a\nb", "x");
	expect_program("/bin/x", "..", "/..", "x");
	expect_program("/bin/x", "", "", "x");
}

static void expect_kernel(const char *stat, bool kernel)
{
	struct facts f;

	put("stat", stat, strlen(stat));
	assert_int_equal(facts_read(&f, proc, 7, NULL, "kworker", NULL, 0), 0);
	assert_int_equal(f.kernel, kernel);
	facts_free(&f);
}

TEST(test_kernel)
{
	PUT("cmdline", "");
	expect_kernel("7 (kworker/0:1) I 2 0 0 0 -1 69238880 0 0", true);
	expect_kernel("7 (a) b) 69238880 ) S 2 0 0 0 -1 4194560 0 0", false);
	expect_kernel("7 (zombie) Z 2 0 0 0 -1 4194560 0 0", false);
	expect_kernel("7 (cut", false);
	expect_kernel("", false);
	take_away("stat");
}

TEST(test_long)
{
	const size_t n = 3 << 20;
	char *long_line = malloc(n);
	struct facts f;

	memset(long_line, 'x', n);
	put("cmdline", long_line, n);
	put("environ", long_line, n);
	read_it(&f, "/bin/x");
	assert_int_equal(strlen(f.command), 4096);
	facts_free(&f);
	free(long_line);
}

FIXTURE(make_proc)
{
	char path[64];

	if (!mkdtemp(proc))
		return -1;
	snprintf(path, sizeof(path), "%s/7", proc);
	return mkdir(path, 0700);
}
FIXTURE(remove_proc)
{
	char path[64];

	take_away("cmdline");
	take_away("environ");
	take_away("cgroup");
	snprintf(path, sizeof(path), "%s/7", proc);
	return rmdir(path) || rmdir(proc);
}

TESTS_BETWEEN(make_proc, remove_proc, test_all, test_containers, test_nothing, test_pods,
	      test_names, test_kernel, test_long)
