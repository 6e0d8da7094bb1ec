/* SPDX-License-Identifier: BSD-2-Clause */
/* The target's text becomes that with stubs, and what it was before. */
#ifndef GOTRACE_PATCHING_H
#define GOTRACE_PATCHING_H

#include "attach/probes/links.h"
#include "attach/recording.h"

struct links_options patching_where(const struct recording *r);

/* Makes the held target stop at its exec: to be patched, or as it may die at once. */
void patching_hold(struct recording *r);

/* For target_release: writes the jumps in a process stopped at its exec, and probes the sites in
 * the text whose stub is not used. in NULL: it could not be held. ctx: the recording. */
void patching_at_exec(void *ctx, struct inject *in);
/* The same in a process that runs already; from then on every event is recorded. */
void patching_running(struct recording *r);
/* The target can execute itself anew by the means of Go: it links syscall.Exec. */
bool patching_may_be_undone(const struct recording *r);
/* How long may pass until the next look, at most `ms`: the target is stopped meanwhile. */
int patching_wait_ms(const struct recording *r, int ms);
/* At every look: has the target executed its own binary again? A launched one is stopped then,
 * until its new image is probed by traps. Calls of one that ran already are not recorded any more.
 */
void patching_look(struct recording *r);
/* The target is not stopped any more when it executes its binary. */
void patching_end_look(struct recording *r);
/* Its text becomes what it was. */
void patching_put_back(struct recording *r);

#endif
