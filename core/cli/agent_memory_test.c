// SPDX-License-Identifier: BSD-2-Clause
/* Which service a process belongs to is known after its end, also if it had no sample for long. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "cli/agent_memory.c"
#include "trace/samples_writer_fixture.h"

#define PID       (5u << 22) /* no process has such a number (PID_MAX_LIMIT) */
#define LONG      100        /* stretches */
#define SERVICE   "nginx"
#define BEGINS_NS 7

static char proc[] = "/tmp/agent_memory_test.XXXXXX";
static char folder[64], cgroup[96];

static void process_begins(void)
{
	snprintf(folder, sizeof(folder), "%s/%u", proc, PID);
	snprintf(cgroup, sizeof(cgroup), "%s/cgroup", folder);
	assert_int_equal(mkdir(folder, 0700), 0);
	FILE *f = fopen(cgroup, "we");

	assert_non_null(f);
	fputs("0::/system.slice/" SERVICE ".service\n", f);
	assert_int_equal(fclose(f), 0);
}

static void process_ends(void)
{
	unlink(cgroup);
	rmdir(folder);
}

static struct binaries no_binaries;

static int set_up(void **state)
{
	struct agent *a = calloc(1, sizeof(*a));

	assert_non_null(a);
	assert_int_equal(config_parse(&a->config, "a", "{\"store\": {\"directory\": \"/s\"}}"), 0);
	a->splitter = (struct splitter){ .config = &a->config, .proc = proc };
	a->sampling.writer = samples_writer_fixture();
	a->sampling.processes = (struct processes){ .writer = a->sampling.writer,
						    .binaries = &no_binaries,
						    .late = true };
	strcpy(proc + sizeof(proc) - 7, "XXXXXX");
	assert_non_null(mkdtemp(proc));
	process_begins();
	const struct side_band_reader r = processes_reader(&a->sampling.processes);

	r.exec(r.ctx, PID, "worker", BEGINS_NS);
	agent_meet(a);
	*state = a;
	return 0;
}

static int tear_down(void **state)
{
	struct agent *a = *state;

	rmdir(proc);
	trace_writer_abort(a->sampling.writer);
	processes_free(&a->sampling.processes);
	splitter_forget(&a->splitter);
	config_free(&a->config);
	free(a);
	return 0;
}

static void expect_service(struct agent *a)
{
	const struct member *m = splitter_member(
		&a->splitter,
		&(struct sample_process){ .pid = PID, .start_ns = BEGINS_NS, .comm = "worker" });

	assert_non_null(m);
	assert_string_equal(m->service, SERVICE);
}

static void test_no_sample(void **state)
{
	process_ends();
	expect_service(*state);
}

static void next_stretch(struct agent *a)
{
	struct trace_writer *before = a->sampling.writer;

	a->sampling.writer = samples_writer_fixture();
	processes_again(&a->sampling.processes, a->sampling.writer);
	trace_writer_abort(before);
	agent_meet_again(a, false);
	a->splitter.stretch++;
	splitter_forget_old(&a->splitter);
}

static void test_sample_after_long(void **state)
{
	struct agent *a = *state;

	for (int i = 0; i < LONG; i++) {
		agent_meet(a);
		next_stretch(a);
	}
	assert_int_equal(a->splitter.n, 0);
	assert_int_equal(processes_known(&a->sampling.processes, PID, BEGINS_NS + 1), 0);
	agent_meet(a);
	process_ends();
	expect_service(a);
}

static void test_other_rules(void **state)
{
	struct agent *a = *state;

	splitter_forget(&a->splitter);
	agent_meet_again(a, true);
	agent_meet(a);
	process_ends();
	expect_service(a);
}

TESTS_EACH(set_up, tear_down, test_no_sample, test_sample_after_long, test_other_rules)
