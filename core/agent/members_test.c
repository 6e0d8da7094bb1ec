// SPDX-License-Identifier: BSD-2-Clause
/* What is known of processes stays within its bytes, and is found out again. */

#include <string.h>

#include "base/test_fixture.h"
#include "agent/split.h"

#define PROCESSES 5000
#define BYTES     100000

static struct member *ask(struct splitter *s, uint32_t pid)
{
	const struct sample_process p = { .pid = pid, .comm = "worker", .exe = "/opt/x/worker" };
	struct member *m = splitter_member(s, &p);

	assert_non_null(m);
	assert_int_equal(m->pid, pid);
	assert_string_equal(m->service, "worker");
	assert_true(s->bytes <= BYTES + 1000);
	return m;
}

TEST(test_bounded)
{
	struct agent_config c;
	struct splitter s = { .config = &c, .proc = "/nowhere", .most_bytes = BYTES };

	assert_int_equal(config_parse(&c, "a", "{\"store\": {\"directory\": \"/s\"}}"), 0);
	for (uint32_t pid = 1; pid <= PROCESSES; pid++) {
		ask(&s, pid);
		ask(&s, 1); /* always asked for: it stays */
	}
	assert_true(s.forgotten > 0);
	assert_int_equal(s.n + s.forgotten, PROCESSES);
	const uint64_t forgotten = s.forgotten;

	ask(&s, 1);
	ask(&s, 2);
	assert_int_equal(s.n + forgotten, PROCESSES + 1); /* 2 was not there any more */
	for (int i = 0; i < 100; i++) {
		s.stretch++;
		ask(&s, 1);
		splitter_forget_old(&s);
	}
	assert_int_equal(s.n, 1);
	splitter_forget(&s);
	assert_int_equal(s.bytes, 0);
	config_free(&c);
}

TESTS(test_bounded)
