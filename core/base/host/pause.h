/* SPDX-License-Identifier: BSD-2-Clause */
/* Waiting in a loop for another processor's store. A folder beside this file has the function of
 * one processor. */
#ifndef GOTRACE_HOST_PAUSE_H
#define GOTRACE_HOST_PAUSE_H

/* Lets the processor wait for some dozens of cycles, which leaves its resources to others. */
void host_pause(void);

#endif
