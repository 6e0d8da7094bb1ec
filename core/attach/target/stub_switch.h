/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes inline stubs stop recording while the program runs. */
#ifndef GOTRACE_STUB_SWITCH_H
#define GOTRACE_STUB_SWITCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "plan/plan.h"

/*
 * The inline stubs of each site i with in_stub[i] whose function has off[function] record nothing
 * from now on. A byte of each is written (plan_switches, held_text.h). To be called once they have
 * no probe any more, or every call would trap. An event that is being written is finished.
 * `bias`: run-time minus link-time address of the text. *n_left: stubs that still record, because
 * another code is there or it cannot be written. 0 or -errno: the memory cannot be opened.
 */
int stub_switch_off(pid_t pid, const struct plan *plan, uint64_t bias, const bool *in_stub,
		    const bool *off, size_t *n_left);

#endif
