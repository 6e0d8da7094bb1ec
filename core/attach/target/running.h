/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inline stubs in a process that runs already. Its threads are stopped only while its text changes,
 * in stops of some milliseconds: to write the jumps, and to remove them. Longer work is done by one
 * thread, which sleeps otherwise, or by gotrace. If gotrace dies at any time, the process
 * continues. It then has no stubs, some of them or all, which cost nanoseconds.
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

/* Number and durations of stops of all threads. */
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
	uint8_t *inside; /* look.inside */
	/* Run-time address of text that never runs any more. */
	uint64_t code_at;
	bool *patched; /* by site */
	/* By site: without traps, its function is recorded by all of its stubs or not at all. */
	bool *whole;
	size_t n_patched; /* sites whose jump is in the text */
	bool hooked;      /* runtime.sigtramp jumps to the hook */
	/* Stops to write the jumps (in), and to remove jumps and stubs (out). */
	struct stop_times in, out;
	bool short_stops;    /* GOTRACE_SHORT_STOPS=1: one function in each stop, for tests only */
	int nice;            /* this thread's priority while others wait for it */
	size_t n_in_the_way; /* sites left out because a thread or goroutine is there */
	size_t n_busy;       /* sites whose jump could not be removed */
	bool more;           /* the next stop has more jumps to write or to remove */
	size_t next;         /* the site at which it begins, or before which it begins to remove */
	uint64_t next_end;   /* address where the stub of that site ends */
	bool again;          /* the obstacle may be gone the next time */
	char said[256];      /* a reason with names and numbers */
};

/*
 * Maps the plan's stubs and rings into the process. No stub writes to the rings yet. The caller
 * closes *stub_fd, *lock_fd (left_behind.h) and *rings. Returns NULL, or a clause with the reason,
 * in r or static; then nothing is mapped. It tries several times, with pauses, if an obstacle may
 * pass. The caller must call running_close in every case.
 */
const char *running_map(struct running *r, const struct running_options *opt, int *stub_fd,
			int *lock_fd, struct ring_area *rings);

/*
 * Writes the jumps for each site i with in_stub[i]. All probes are attached and the rings are shut.
 * It clears in_stub where a jump is impossible, and then for all sites of a function in r->whole.
 * If the process cannot be stopped, it lets it go and tries again, with pauses. Returns NULL, or a
 * clause, in r or static; then some jumps may be there, and running_put_back removes them.
 */
const char *running_patch(struct running *r, bool *in_stub);

/* Removes the jumps. If a thread is in a stub, it tries again for a limited time. The rings must be
 * shut. Returns the number of jumps that stay. */
size_t running_put_back(struct running *r);

/* Unmaps the stubs, once no jump is left and no thread is inside. No probe is in the stubs any
 * more. Returns false if they stay. */
bool running_unmap(struct running *r);

/* Frees the memory of rings that stay mapped. Their contents are lost. */
void running_give_rings_back(const struct running *r, const struct ring_area *rings);

void running_close(struct running *r);

#endif
