// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/samples/sample_names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/vec.h"

/* What a function takes in memory besides its name: about what the model has of it. */
#define FUNC_BYTES 512

static uint32_t program_index(const struct loaded_samples *s, uint32_t process)
{
	return s->programs.n ? s->programs.of[process] : 0;
}

/* Functions of several programs may share a name that the file has once. */
static int may_add(struct loaded_samples *s, const struct trace_func *f)
{
	const uint64_t bytes = FUNC_BYTES + strlen(f->name) + (f->file ? strlen(f->file) : 0);

	if (!s->programs.n)
		return 0;
	if (bytes > s->names_left)
		return -E2BIG;
	s->names_left -= bytes;
	return 0;
}

static int add_func(struct loaded_samples *s, struct trace_info *info, const struct trace_func *f,
		    struct sample_func what, uint32_t *func)
{
	int err = may_add(s, f);

	if (!err)
		err = vec_reserve(&s->funcs, &s->cap_funcs, s->n_funcs + 1);
	if (!err)
		err = trace_info_add_func(info, f);
	if (err)
		return err;
	*func = s->first_func + (uint32_t)s->n_funcs;
	s->funcs[s->n_funcs++] = what;
	return 0;
}

static const struct sample_func *made_as(const struct loaded_samples *s, uint32_t func)
{
	static const struct sample_func none = { TRACE_NONE, TRACE_NONE };

	return func >= s->first_func && func - s->first_func < s->n_funcs
		       ? &s->funcs[func - s->first_func]
		       : &none;
}

/* A symbol's function, or one made up, of a program; added on first asking. */
static int func_of(struct loaded_samples *s, struct trace_info *info, struct sample_func what,
		   const struct trace_func *f, uint32_t *func)
{
	const uint32_t hash = hash_u64_pair(what.symbol, what.program);
	size_t at;

	for (uint32_t i = hash_index_first(&s->by_func, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&s->by_func, hash, &at))
		if (s->funcs[i].symbol == what.symbol && s->funcs[i].program == what.program) {
			*func = s->first_func + i;
			return 0;
		}
	int err = add_func(s, info, f, what, func);

	return err ? err : hash_index_put(&s->by_func, hash, *func - s->first_func);
}

static int symbol_func(struct loaded_samples *s, struct trace_info *info, uint32_t program,
		       uint32_t symbol, uint32_t *func)
{
	const struct sample_symbol *x = &s->tables->symbols[symbol];
	const struct trace_func f = { .name = (char *)(uintptr_t)x->name,
				      .file = (char *)(uintptr_t)x->file,
				      .line = x->start_line };

	return func_of(s, info, (struct sample_func){ symbol, program }, &f, func);
}

int sample_symbol_func(struct loaded_samples *s, struct trace_info *info, uint32_t process,
		       uint32_t symbol, uint32_t *func)
{
	return symbol_func(s, info, program_index(s, process), symbol, func);
}

const struct sample_symbol *sample_func_symbol(const struct loaded_samples *s, uint32_t func)
{
	const uint32_t symbol = made_as(s, func)->symbol;

	return symbol < SAMPLE_MADE_UP ? &s->tables->symbols[symbol] : NULL;
}

int sample_names(struct loaded_samples *s, struct trace_info *info)
{
	const struct sample_tables *t = s->tables;
	uint32_t func;
	int err = 0;

	s->first_func = (uint32_t)info->n_funcs;
	s->n_symbols = t ? t->n_symbols : 0;
	for (size_t i = 0; i < s->n_symbols && !err && !s->programs.n; i++)
		err = symbol_func(s, info, 0, (uint32_t)i, &func);
	return err;
}

/* The image at an address: the last one that covers it. */
static const struct sample_image *image_at(const struct sample_tables *t, uint32_t process,
					   uint64_t pc)
{
	const uint32_t image = sample_tables_image_at(t, process, pc);

	return image == TRACE_NONE ? NULL : &t->images[image];
}

#define NAME_MOST 400 /* bytes of a file's name */

/* Where in the file, whatever address it was at. */
void sample_stranger_name(const struct sample_tables *t, uint32_t process, uint64_t pc,
			  char name[STRANGER_NAME_BYTES])
{
	const struct sample_image *i = image_at(t, process, pc);
	size_t len = 0;
	const char *file = i ? sample_image_file(i, &len) : "";

	if (pc == STACK_MISSING_PC) {
		snprintf(name, STRANGER_NAME_BYTES, "%s", STACK_MISSING);
		return;
	}
	if (!i)
		snprintf(name, STRANGER_NAME_BYTES, "[%s+0x%" PRIx64 "]",
			 sample_in_kernel(pc) ? "kernel" : "unknown", pc);
	else
		snprintf(name, STRANGER_NAME_BYTES, "[%.*s+0x%" PRIx64 "]",
			 (int)(len < NAME_MOST ? len : NAME_MOST), file,
			 pc - i->start + i->file_off);
}

#define MADE_ADDRESS (SAMPLE_MADE_UP + 16)

/* One place in a file has one function in each program, at whatever addresses it was. */
static int stranger_func(struct loaded_samples *s, struct trace_info *info, uint32_t process,
			 uint64_t pc, uint32_t *func)
{
	const struct sample_func what = { MADE_ADDRESS, program_index(s, process) };
	char name[STRANGER_NAME_BYTES];

	sample_stranger_name(s->tables, process, pc, name);
	const struct trace_func f = { .name = name };
	const uint32_t hash = hash_u64_pair(hash_bytes(name, strlen(name)), what.program);
	size_t at;

	for (uint32_t i = hash_index_first(&s->by_name, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&s->by_name, hash, &at))
		if (s->funcs[i].program == what.program &&
		    !strcmp(info->funcs[s->first_func + i].name, name)) {
			*func = s->first_func + i;
			return 0;
		}
	int err = add_func(s, info, &f, what, func);

	return err ? err : hash_index_put(&s->by_name, hash, *func - s->first_func);
}

int sample_stranger(struct loaded_samples *s, struct trace_info *info, uint32_t process,
		    uint64_t pc, uint32_t *func)
{
	uint32_t hash = hash_u64_pair(pc, process);
	size_t at;

	for (uint32_t i = hash_index_first(&s->by_stranger, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&s->by_stranger, hash, &at))
		if (s->strangers[i].pc == pc && s->strangers[i].process == process) {
			*func = s->strangers[i].func;
			return 0;
		}
	int err = stranger_func(s, info, process, pc, func);

	if (!err)
		err = vec_reserve(&s->strangers, &s->cap_strangers, s->n_strangers + 1);
	if (!err)
		err = hash_index_put(&s->by_stranger, hash, (uint32_t)s->n_strangers);
	if (err)
		return err;
	s->strangers[s->n_strangers].pc = pc;
	s->strangers[s->n_strangers].process = process;
	s->strangers[s->n_strangers++].func = *func;
	return 0;
}

enum { MADE_CUT, MADE_UNREADABLE, MADE_SCHEDULER, MADE_EMPTY, MADE_PROGRAM };

static int made_up(struct loaded_samples *s, struct trace_info *info, uint32_t process, int which,
		   uint32_t *func)
{
	static const char *const names[] = { "[cut off]", "[unreadable]", "[scheduler]",
					     "[no stack]" };
	const struct trace_func f = { .name = (char *)(uintptr_t)names[which] };

	return func_of(s, info,
		       (struct sample_func){ SAMPLE_MADE_UP + (uint32_t)which,
					     program_index(s, process) },
		       &f, func);
}

/* "[compile]" */
static int program_func(struct loaded_samples *s, struct trace_info *info, uint32_t process,
			uint32_t *func)
{
	const uint32_t program = program_index(s, process);
	const char *of = s->programs.list[program].name;
	char *name = NULL;

	if (asprintf(&name, *of == '[' ? "%s" : "[%s]", of) < 0)
		return -ENOMEM;
	const struct trace_func f = { .name = name };
	int err = func_of(s, info, (struct sample_func){ SAMPLE_MADE_UP + MADE_PROGRAM, program },
			  &f, func);

	free(name);
	return err;
}

const char *sample_program_of_func(const struct loaded_samples *s, uint32_t func)
{
	const uint32_t program = made_as(s, func)->program;

	return program < s->programs.n ? s->programs.list[program].name : NULL;
}

bool sample_func_is_program(const struct loaded_samples *s, uint32_t func)
{
	return made_as(s, func)->symbol == SAMPLE_MADE_UP + MADE_PROGRAM;
}

/* Is the outermost function of a stack of that name? */
static bool ends_in(const struct loaded_samples *s, const struct sample_stack *x, const char *name)
{
	const struct sample_location *l = x->n ? sample_tables_find(s->tables, x->process,
								    x->pcs[x->n - 1])
					       : NULL;

	return l && !strcmp(s->tables->symbols[l->frames[l->n - 1].symbol].name, name);
}

int sample_stack_top(struct loaded_samples *s, struct trace_info *info, uint32_t stack,
		     uint32_t *func)
{
	const struct sample_stack *x = &s->tables->stacks[stack];

	*func = TRACE_NONE;
	if (!x->n)
		return made_up(s, info, x->process, MADE_EMPTY, func);
	if (x->flags & STACK_CUT)
		return made_up(s, info, x->process, MADE_CUT, func);
	if (x->flags & STACK_UNREADABLE)
		return made_up(s, info, x->process, MADE_UNREADABLE, func);
	/* mcall's work belongs to no goroutine (runtime/asm_amd64.s). */
	if (x->flags & STACK_SYSTEM && ends_in(s, x, "runtime.mcall"))
		return made_up(s, info, x->process, MADE_SCHEDULER, func);
	return 0;
}

#define PARKED "runtime.gopark"

/* How many of the n functions of a goroutine that is parked are left: as in Go's tracebacks,
 * without those of the runtime that park it. Why it waits is known. */
static size_t without_parking(const struct trace_info *info, const uint32_t *funcs, size_t n)
{
	if (!n || strcmp(info->funcs[funcs[n - 1]].name, PARKED))
		return n;
	while (n > 1 && !strncmp(info->funcs[funcs[n - 1]].name, "runtime.", 8))
		n--;
	return n;
}

/* Below a program and below what stands for a part that is missing, where these are. */
static void hang(uint32_t *funcs, size_t at, size_t n, uint32_t program, uint32_t top,
		 size_t *n_all)
{
	size_t to = 0;

	if (program != TRACE_NONE)
		funcs[to++] = program;
	if (top != TRACE_NONE)
		funcs[to++] = top;
	memmove(funcs + to, funcs + at, n * sizeof(*funcs));
	*n_all = to + n;
}

int sample_stack_expand(struct loaded_samples *s, struct trace_info *info, uint32_t stack,
			uint32_t **funcs, size_t *cap, size_t *n, bool *unresolved)
{
	const struct sample_stack *x = &s->tables->stacks[stack];
	const size_t below = s->programs.n ? 2 : 1; /* places for what it hangs below */
	size_t at = below, room = below;
	uint32_t top = TRACE_NONE, program = TRACE_NONE;
	int err = 0;

	*unresolved = false;
	for (uint32_t i = 0; i < x->n; i++) {
		const struct sample_location *l = sample_tables_find(s->tables, x->process,
								     x->pcs[i]);

		room += l ? l->n : 1;
	}
	if (vec_reserve(funcs, cap, room))
		return -ENOMEM;
	for (uint32_t i = x->n; i-- > 0 && !err;) {
		const struct sample_location *l = sample_tables_find(s->tables, x->process,
								     x->pcs[i]);

		for (uint32_t k = l ? l->n : 0; k-- > 0 && !err;) {
			if (!sample_elided(s->tables, l, i, k))
				err = sample_symbol_func(s, info, x->process, l->frames[k].symbol,
							 &(*funcs)[at++]);
			*unresolved |= s->tables->symbols[l->frames[k].symbol].kind ==
				       SYMBOL_UNKNOWN;
		}
		if (!l) {
			*unresolved = true;
			err = sample_stranger(s, info, x->process, x->pcs[i], &(*funcs)[at++]);
		}
	}
	if (s->wall && !err)
		at = below + without_parking(info, *funcs + below, at - below);
	if (!err)
		err = sample_stack_top(s, info, stack, &top);
	if (!err && s->programs.n)
		err = program_func(s, info, x->process, &program);
	hang(*funcs, below, at - below, program, top, n);
	return err;
}

int sample_frames_take(struct loaded_samples *s, size_t n)
{
	if (n > s->frames_left) {
		log_error(
			"this format writes the stack of each sample, and these have more functions than a "
			"recording of this size has");
		return -E2BIG;
	}
	s->frames_left -= n;
	return 0;
}

int sample_stack_funcs(struct loaded_samples *s, struct trace_info *info, uint32_t stack,
		       uint32_t **funcs, size_t *cap, size_t *n, bool *unresolved)
{
	int err = sample_stack_expand(s, info, stack, funcs, cap, n, unresolved);

	return err ? err : sample_frames_take(s, *n + 1);
}
