/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes jumps to stubs into the target's text, and writes the original text back. */
#ifndef GOTRACE_PATCHING_H
#define GOTRACE_PATCHING_H

#include "attach/probes/links.h"
#include "attach/recording.h"

struct links_options patching_where(const struct recording *r);

/* Makes the held target stop at its exec, to be patched, or because it may die at once. */
void patching_hold(struct recording *r);

/* Writes the jumps in a process stopped at its exec, and probes the sites with unused stubs in the
 * text. target_release calls it. in NULL: the process could not be held. ctx: the recording. */
void patching_at_exec(void *ctx, struct inject *in);
/* Writes the jumps in a process that runs already. From then on every event is recorded. */
void patching_running(struct recording *r);
/* Returns true if the target can execute itself again through Go, because it links syscall.Exec. */
bool patching_may_be_undone(const struct recording *r);
/* Returns the time until the next look in ms, at most `ms`. The target is stopped meanwhile. */
int patching_wait_ms(const struct recording *r, int ms);
/* Checks at every look whether the target has executed its binary again. A launched target is then
 * stopped until traps probe its new image. Calls of a target that ran already are not recorded any
 * more. */
void patching_look(struct recording *r);
/* From now on the target is not stopped when it executes its binary. */
void patching_end_look(struct recording *r);
/* Writes the original text back. */
void patching_put_back(struct recording *r);

#endif
