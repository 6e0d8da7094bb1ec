/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts the processes that the target starts and gotrace does not follow. */
#ifndef GOTRACE_CHILDREN_H
#define GOTRACE_CHILDREN_H

#include <stdbool.h>

#include "bpf/event.h"

struct children {
	struct bpf_object *object;
	struct bpf_link *fork, *exec;
	struct children_state *state; /* shared with the programs */
};

/* Starts to count. exe_fd: the traced binary. If the kernel has no type information (BTF) or
 * refuses the programs, it logs a debug line. Then it counts nothing, and children_counted returns
 * false. */
void children_watch(struct children *c, const struct target_config *target, int exe_fd);
bool children_counted(const struct children *c);
/* Returns how often the target has executed the traced binary, or 0 if nothing is counted. */
unsigned children_own_execs(const struct children *c);
/* Switches stopping on or off: a target that executes the traced binary is stopped before its first
 * instruction. The caller sends SIGCONT when children_stopped returns true, and then calls
 * children_continued. */
void children_stop_own(struct children *c, bool on);
bool children_stopped(const struct children *c);
void children_continued(struct children *c);
void children_close(struct children *c);

#endif
