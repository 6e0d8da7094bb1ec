/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that the compiler makes of go and defer statements and of method values: each calls one
 * function of the source and does nothing else, unless the compiler has inlined that one. */
#ifndef GOTRACE_WRAPPERS_H
#define GOTRACE_WRAPPERS_H

#include "analysis/trace_load.h"

/*
 * The function that a wrapper stands for, else func itself. It is the only one that the recorded
 * calls of the wrapper call, each once, and the wrapper has none of their waits, nor a twentieth of
 * their time, and ends no waits of others: then nothing was inlined in it that matters. A method
 * value without such a callee stands for the method of its name, if the trace has that.
 */
uint32_t wrapper_stands_for(const struct loaded_trace *t, uint32_t func);

#endif
