/* SPDX-License-Identifier: BSD-2-Clause */
/* From stacks of addresses to stacks of the trace's functions. */
#ifndef GOTRACE_SAMPLE_NAMES_H
#define GOTRACE_SAMPLE_NAMES_H

#include "analysis/samples/sample_load.h"

/* Makes all symbols functions of info. Several programs get theirs once stacks ask for them. 0 or
 * -ENOMEM. */
int sample_names(struct loaded_samples *s, struct trace_info *info);
/* The function that a symbol is in the program of a process. 0, -ENOMEM, or -E2BIG if names take
 * more memory than those of a recording. */
int sample_symbol_func(struct loaded_samples *s, struct trace_info *info, uint32_t process,
		       uint32_t symbol, uint32_t *func);
/* The symbol of a function. NULL if it is made up. */
const struct sample_symbol *sample_func_symbol(const struct loaded_samples *s, uint32_t func);
/* The program of a function. NULL if programs are not told apart. */
const char *sample_program_of_func(const struct loaded_samples *s, uint32_t func);
/* Does it stand for a program, below which its stacks hang? */
bool sample_func_is_program(const struct loaded_samples *s, uint32_t func);
#define STRANGER_NAME_BYTES 512
/* "[prog+0x1234]": an address without symbol by where it is in its file. */
void sample_stranger_name(const struct sample_tables *t, uint32_t process, uint64_t pc,
			  char name[STRANGER_NAME_BYTES]);
/* The function that stands for an address without symbol; made on first asking. 0 or an error as
 * above.
 * */
int sample_stranger(struct loaded_samples *s, struct trace_info *info, uint32_t process,
		    uint64_t pc, uint32_t *func);

/* What a stack hangs below that is not whole, or belongs to no goroutine: a function made up for
 * it, TRACE_NONE: it hangs below nothing. 0 or an error as above. */
int sample_stack_top(struct loaded_samples *s, struct trace_info *info, uint32_t stack,
		     uint32_t *func);

/* As sample_stack_funcs, for what asks for each stack once: 0 or an error as above. */
int sample_stack_expand(struct loaded_samples *s, struct trace_info *info, uint32_t stack,
			uint32_t **funcs, size_t *cap, size_t *n, bool *unresolved);

/* Is frame k of the i-th address of a stack left out: a wrapper that calls something (as Go's
 * tracebacks do, runtime/traceback.go, elideWrapperCalling)? */
static inline bool sample_elided(const struct sample_tables *t, const struct sample_location *l,
				 uint32_t i, uint32_t k)
{
	return (i || k) && t->symbols[l->frames[k].symbol].kind == SYMBOL_GO_WRAPPER;
}

#endif
