// SPDX-License-Identifier: BSD-2-Clause
/* A host on which putting a stretch away takes longer than a stretch. */

#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mman.h>

#include "base/test_fixture.h"
#include "cli/agent_memory.c"
#include "cli/agent_metrics.c"
#include "cli/agent_run.c"
#include "cli/agent_slow.c"
#include "cli/agent_trim.c"
#include "cli/args.c"
#include "cli/invoker_file.c"
#include "cli/name_addresses.c"

const char cli_version[] = "test";

/* A signal ends the agent, though the stretch was over before it began, or is to be cut. */
TEST(test_no_time_left)
{
	for (int cut = 0; cut < 2; cut++) {
		static struct agent a;

		a = (struct agent){ .signals = { .fd = -1 } };
		a.sampling.given = &a.given;
		a.given.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		a.given.signals = &a.signals;
		a.given.targets = &a.target;
		struct trace_info info = { 0 };

		a.sampling.writer = trace_writer_new(memfd_create("stretch", MFD_CLOEXEC), &info);
		assert_non_null(a.sampling.writer);
		a.sampling.cut = cut;
		a.end_ns = cut ? UINT64_MAX : 1;
		assert_true(a.given.wake_fd >= 0);
		assert_int_equal(signals_open(&a.signals, false, 0), 0);
		assert_int_equal(raise(SIGTERM), 0);
		const bool ended = agent_stretch(&a);

		if (!ended) /* else it would end the test */
			signals_take(&a.signals, &a.target);
		assert_true(ended);
		assert_int_equal(a.sampling.reason, END_INTERRUPTED);
		trace_writer_abort(a.sampling.writer);
		signals_close(&a.signals);
		close(a.given.wake_fd);
	}
}

TESTS(test_no_time_left)
