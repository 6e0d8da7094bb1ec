// SPDX-License-Identifier: BSD-2-Clause
/* Names of containers from a kubelet's folder of links. */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "agent/pods.h"
#include "agent/split.h"

#define ID_A "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define ID_B "1123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define ID_C "2123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define ID_D "3123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static char root[] = "/tmp/pods_test.XXXXXX";
static char logs[64];

static void add_link(const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", logs, name);
	assert_int_equal(symlink("/var/log/pods/nowhere/0.log", path), 0);
}

static void empty(void)
{
	char command[256];

	snprintf(command, sizeof(command), "rm -rf %s && mkdir %s", logs, logs);
	assert_int_equal(system(command), 0);
}

static void expect(struct pods *p, const char *id, const char *pod, const char *namespace,
		   const char *container)
{
	const struct pod_names *n = pods_find(p, id);

	assert_non_null(n);
	assert_string_equal(n->pod, pod);
	assert_string_equal(n->namespace, namespace);
	assert_string_equal(n->container, container);
}

TEST(test_names)
{
	struct pods p = { .directory = logs };

	empty();
	assert_null(pods_find(&p, ID_A));
	add_link("coredns-5d78c9869d-4xk2p_kube-system_coredns-" ID_A ".log");
	add_link("web-0.a_shop_front-end-2-" ID_B ".log");
	expect(&p, ID_A, "coredns-5d78c9869d-4xk2p", "kube-system", "coredns");
	expect(&p, ID_B, "web-0.a", "shop", "front-end-2");
	/* A container that began later, and one that is gone. */
	add_link("job-x_default_main-" ID_C ".log");
	expect(&p, ID_C, "job-x", "default", "main");
	assert_null(pods_find(&p, ID_D));
	empty();
	add_link("job-y_default_main-" ID_D ".log");
	expect(&p, ID_D, "job-y", "default", "main");
	assert_null(pods_find(&p, ID_C));
	pods_free(&p);
}

/* A folder that changed twice within a tick of the clock has one time. */
TEST(test_same_time)
{
	struct pods p = { .directory = logs };
	struct stat st;

	empty();
	add_link("web-0_shop_front-" ID_A ".log");
	assert_int_equal(stat(logs, &st), 0);
	expect(&p, ID_A, "web-0", "shop", "front");
	add_link("web-1_shop_front-" ID_B ".log");
	assert_int_equal(
		utimensat(AT_FDCWD, logs, (struct timespec[]){ st.st_mtim, st.st_mtim }, 0), 0);
	expect(&p, ID_B, "web-1", "shop", "front");
	pods_free(&p);
}

TEST(test_other_files)
{
	static const char *const names[] = {
		"",
		"_",
		"a_b",
		"a_b_c",
		"a_b_c.log",
		"a_b_-" ID_A ".log",
		"_b_c-" ID_A ".log",
		"a__c-" ID_A ".log",
		"a_b_c" ID_A ".log",
		"a_b-" ID_A ".log",
		"a_b_c_d-" ID_A ".log",
		"A_b_c-" ID_A ".log",
		"a_b_c-" ID_A ".txt",
		"a_b_c-" ID_A "0.log",
		"a_b_c-" ID_A,
		"a_b\n_c-" ID_A ".log",
		ID_A ".log",
	};
	struct pods p = { .directory = logs };

	empty();
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (*names[i])
			add_link(names[i]);
	assert_null(pods_find(&p, ID_A));
	assert_null(pods_find(&p, "0123"));
	add_link("a_b_c-" ID_A ".log");
	expect(&p, ID_A, "a", "b", "c");
	pods_free(&p);
	p.directory = "/nowhere";
	assert_null(pods_find(&p, ID_A));
	pods_free(&p);
	p.directory = NULL;
	assert_null(pods_find(&p, ID_A));
	pods_free(&p);
}

static const char *labels_in(struct splitter *s, uint32_t pid)
{
	const struct sample_process p = { .pid = pid, .comm = "server", .exe = "/app/server" };
	const struct member *m = splitter_member(s, &p);

	assert_non_null(m);
	return m->labels;
}

/* A splitter that reads the links, and a process in a control group. */
static void begin(struct splitter *s, struct agent_config *c, uint32_t pid, const char *cgroup)
{
	char path[128], text[256];

	snprintf(path, sizeof(path), "%s/%u", root, pid);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/%u/cgroup", root, pid);
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	fprintf(f, "0::%s\n", cgroup);
	assert_int_equal(fclose(f), 0);
	snprintf(text, sizeof(text),
		 "{\"store\": {\"directory\": \"/s\"}, \"kubernetes_logs\": \"%s\"}", logs);
	assert_int_equal(config_parse(c, "a", text), 0);
	*s = (struct splitter){ .config = c, .proc = root };
}

/* The link is there some time after the process. */
TEST(test_later)
{
	struct agent_config c;
	struct splitter s;

	empty();
	begin(&s, &c, 7, "/kubepods/burstable/pod6c1b9d6e-1f2a-4b3c-8d4e-5f60718293a4/" ID_A);
	assert_null(strstr(labels_in(&s, 7), "namespace"));
	add_link("web-0_shop_front-" ID_A ".log");
	/* One stretch has one series of a process. */
	assert_null(strstr(labels_in(&s, 7), "namespace"));
	s.stretch++;
	const char *labels = labels_in(&s, 7);

	assert_non_null(strstr(labels, "\"namespace\":\"shop\""));
	assert_non_null(strstr(labels, "\"pod\":\"web-0\""));
	assert_non_null(strstr(labels, "\"container\":\"front\""));
	assert_string_equal(s.members[0].service, "shop/front");
	/* The container is gone, and what is known stays. */
	empty();
	s.stretch++;
	assert_string_equal(labels_in(&s, 7), labels);
	splitter_forget(&s);
	config_free(&c);
}

/* A user may make groups with any name below his own. */
TEST(test_users_group)
{
	struct agent_config c;
	struct splitter s;

	empty();
	add_link("web-0_shop_front-" ID_A ".log");
	begin(&s, &c, 8, "/user.slice/user-1000.slice/user@1000.service/app.slice/" ID_A);
	const char *labels = labels_in(&s, 8);

	assert_non_null(strstr(labels, ID_A));
	assert_null(strstr(labels, "\"namespace\""));
	assert_null(strstr(s.members[0].service, "shop"));
	splitter_forget(&s);
	config_free(&c);
}

FIXTURE(make_root)
{
	if (!mkdtemp(root))
		return -1;
	snprintf(logs, sizeof(logs), "%s/containers", root);
	return 0;
}

FIXTURE(remove_root)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

TESTS_BETWEEN(make_root, remove_root, test_names, test_same_time, test_other_files, test_later,
	      test_users_group)
