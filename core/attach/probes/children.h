/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts what the target starts and gotrace does not follow. */
#ifndef GOTRACE_CHILDREN_H
#define GOTRACE_CHILDREN_H

#include <stdbool.h>

#include "bpf/event.h"

struct children {
	struct bpf_object *object;
	struct bpf_link *fork, *exec;
	struct children_state *state; /* shared with the programs */
};

/* Starts to count; exe_fd: the traced binary. Where the kernel has no type information (BTF), or
 * refuses the programs, nothing is counted and children_counted is false; only a debug line is
 * logged. */
void children_watch(struct children *c, const struct target_config *target, int exe_fd);
bool children_counted(const struct children *c);
/* How often the target has executed the traced binary; 0 where nothing is counted. */
unsigned children_own_execs(const struct children *c);
/* From now on, or not any more: when the target executes the traced binary, it is stopped before
 * its first instruction. Whoever asks for that sends SIGCONT when children_stopped, and says so. */
void children_stop_own(struct children *c, bool on);
bool children_stopped(const struct children *c);
void children_continued(struct children *c);
void children_close(struct children *c);

#endif
