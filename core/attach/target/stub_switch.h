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
 * Switches off the inline stubs of each site i with in_stub[i] and off[function of the site]. It
 * writes a byte of each (plan_switches, held_text.h). The caller calls it after their probes are
 * gone. Otherwise every call would trap. An event in progress is finished. `bias`: run-time minus
 * link-time address of the text. *n_left: number of stubs that still record, because other code is
 * there or the byte cannot be written. Returns 0, or -errno if the memory cannot be opened.
 */
int stub_switch_off(pid_t pid, const struct plan *plan, uint64_t bias, const bool *in_stub,
		    const bool *off, size_t *n_left);

#endif
