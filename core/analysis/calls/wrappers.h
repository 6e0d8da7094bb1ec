/* SPDX-License-Identifier: BSD-2-Clause */
/* Wrappers are functions that the compiler makes of go and defer statements and of method values.
 * Each calls one function of the source and does nothing else, unless the compiler inlined that
 * function. */
#ifndef GOTRACE_WRAPPERS_H
#define GOTRACE_WRAPPERS_H

#include "analysis/trace_load.h"

/*
 * Returns the function that a wrapper stands for, or func itself. Each recorded call of the wrapper
 * must call only this function, and only once. The wrapper must have no waits of its own and less
 * than a twentieth of the time, and must end no waits of others. Then no code that matters was
 * inlined in it. A method value without such a callee stands for the method of its name, if the
 * trace has that.
 */
uint32_t wrapper_stands_for(const struct loaded_trace *t, uint32_t func);

#endif
