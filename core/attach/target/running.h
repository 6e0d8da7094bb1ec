/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inline stubs in a process that runs already. Its threads are stopped only while its text changes,
 * as often as it takes to put the jumps in, and to take them out, in stops of some milliseconds;
 * what takes longer is done by one thread, which sleeps otherwise, or by this process. Whenever
 * this process dies, the other goes on: without stubs, with some of them or all, which cost
 * nanoseconds.
 *
 * All calls must come from one thread.
 */
#ifndef GOTRACE_RUNNING_H
#define GOTRACE_RUNNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/target/ring_area.h"
#include "attach/target/stub_maps.h"
#include "attach/target/text_patch.h"
#include "attach/target/whereabouts.h"
#include "plan/plan.h"

struct running_options {
	pid_t pid;
	const struct plan *plan; /* borrowed; with inline stubs */
	int exe_fd;              /* the binary, borrowed */
	unsigned n_rings;
	bool traps; /* a site whose jump cannot be written may be probed by a trap */
};

/* How often all threads were stopped at once, and for how long. */
struct stop_times {
	unsigned n;
	uint64_t longest_ns, sum_ns;
};

struct running {
	struct running_options opt;
	struct text_patch text;
	struct stub_maps maps;
	struct whereabouts where;
	struct whereabouts_options look;
	uint8_t *inside;  /* look.inside */
	uint64_t code_at; /* of text that never runs any more; run-time address */
	bool *patched;    /* by site */
	/* by site: of a function that is recorded by all of its stubs or not at all; without traps
	 */
	bool *whole;
	size_t n_patched; /* sites whose jump is in the text */
	bool hooked;      /* runtime.sigtramp jumps to the hook */
	/* for the jumps; to take them out, and the stubs */
	struct stop_times in, out;
	bool short_stops;    /* GOTRACE_SHORT_STOPS=1: one function in each stop, for tests only */
	int nice;            /* this thread's priority, while others wait for it */
	size_t n_in_the_way; /* sites left out since a thread or goroutine is there */
	size_t n_busy;       /* sites whose jump could not be taken out */
	bool more;           /* jumps are left for the next stop, */
	size_t next;         /* which begins at this site, or before it to take them out, */
	uint64_t next_end;   /* where its stub ends */
	bool again;          /* what came in the way may not the next time */
	char said[256];      /* a reason with names and numbers */
};

/*
 * Maps the plan's stubs and rings, which no stub writes to yet, into the process. *stub_fd,
 * *lock_fd (left_behind.h) and *rings are the caller's to close. NULL, or a clause, r's or static:
 * why not; nothing is mapped then. An obstacle that may pass is tried several times, with pauses.
 * To be followed by running_close in every case.
 */
const char *running_map(struct running *r, const struct running_options *opt, int *stub_fd,
			int *lock_fd, struct ring_area *rings);

/*
 * With all probes attached and the rings shut: writes the jumps, for each site i with in_stub[i],
 * which is cleared where that cannot be, and then for all sites of a function that r->whole has. A
 * process that cannot be stopped is let go and tried again, with pauses. NULL, or a clause, r's or
 * static: some jumps may be there then, for running_put_back.
 */
const char *running_patch(struct running *r, bool *in_stub);

/* Takes the jumps out again: of those where a thread is in the stub it tries again, for a limited
 * time. The rings must be shut. Returns how many are left in. */
size_t running_put_back(struct running *r);

/* With no probe in the stubs any more: unmaps them, once no jump is left and nobody is inside.
 * false: they stay. */
bool running_unmap(struct running *r);

/* Gives the memory of rings back that stay mapped; what is in them is gone. */
void running_give_rings_back(const struct running *r, const struct ring_area *rings);

void running_close(struct running *r);

#endif
