/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes how soon a thread gets a processor on a busy machine, by its nice value
 * (setpriority(2)). */
#ifndef GOTRACE_URGENCY_H
#define GOTRACE_URGENCY_H

/*
 * Makes the calling thread, with threads and processes that it begins from now on, more urgent by
 * `steps` of nice. Without the right to do so nothing changes. Returns the value before, for
 * urgency_put_back.
 */
int urgency_raise(int steps);
void urgency_put_back(int was);

#endif
