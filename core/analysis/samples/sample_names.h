/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes stacks of the trace's functions from stacks of addresses. */
#ifndef GOTRACE_SAMPLE_NAMES_H
#define GOTRACE_SAMPLE_NAMES_H

#include "analysis/samples/sample_load.h"

/* Makes functions of info from all symbols. With several programs, functions are made when stacks
 * need them. 0 or -ENOMEM. */
int sample_names(struct loaded_samples *s, struct trace_info *info);
/* Sets *func to the function of a symbol in the program of a process. 0, -ENOMEM, or -E2BIG if
 * names take more memory than those of a recording. */
int sample_symbol_func(struct loaded_samples *s, struct trace_info *info, uint32_t process,
		       uint32_t symbol, uint32_t *func);
/* Returns the symbol of a function, NULL if the function is made up. */
const struct sample_symbol *sample_func_symbol(const struct loaded_samples *s, uint32_t func);
/* Returns the program of a function, NULL if programs share functions. */
const char *sample_program_of_func(const struct loaded_samples *s, uint32_t func);
/* Returns whether the function stands for a program, above the stacks of that program. */
bool sample_func_is_program(const struct loaded_samples *s, uint32_t func);
#define STRANGER_NAME_BYTES 512
/* Writes the name of an address without a symbol, its place in its file: "[prog+0x1234]". */
void sample_stranger_name(const struct sample_tables *t, uint32_t process, uint64_t pc,
			  char name[STRANGER_NAME_BYTES]);
/* Sets *func to the function for an address without a symbol, and makes it at first. 0 or an error
 * as above. */
int sample_stranger(struct loaded_samples *s, struct trace_info *info, uint32_t process,
		    uint64_t pc, uint32_t *func);

/* Sets *func to the made-up function above a stack that is not whole or belongs to no goroutine.
 * Other stacks have TRACE_NONE. 0 or an error as above. */
int sample_stack_top(struct loaded_samples *s, struct trace_info *info, uint32_t stack,
		     uint32_t *func);

/* Does what sample_stack_funcs does, for callers that expand each stack once. 0 or an error as
 * above. */
int sample_stack_expand(struct loaded_samples *s, struct trace_info *info, uint32_t stack,
			uint32_t **funcs, size_t *cap, size_t *n, bool *unresolved);

/* Returns whether frame k of the i-th address of a stack is left out, because it is a wrapper that
 * calls something. Go's tracebacks do so (runtime/traceback.go, elideWrapperCalling). */
static inline bool sample_elided(const struct sample_tables *t, const struct sample_location *l,
				 uint32_t i, uint32_t k)
{
	return (i || k) && t->symbols[l->frames[k].symbol].kind == SYMBOL_GO_WRAPPER;
}

#endif
