// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/sample_names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/vec.h"

int sample_names(struct loaded_samples *s, struct trace_info *info)
{
	const struct sample_tables *t = s->tables;

	s->n_symbols = t ? t->n_symbols : 0;
	s->func_of = calloc(s->n_symbols + 1, sizeof(*s->func_of));
	if (!s->func_of)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_symbols; i++) {
		const struct sample_symbol *x = &t->symbols[i];
		const struct trace_func f = { .name = (char *)(uintptr_t)x->name,
					      .file = (char *)(uintptr_t)x->file,
					      .line = x->start_line };

		s->func_of[i] = (uint32_t)info->n_funcs;
		if (trace_info_add_func(info, &f))
			return -ENOMEM;
	}
	return 0;
}

/* The image at an address: the last one that covers it. */
static const struct sample_image *image_at(const struct sample_tables *t, uint32_t process,
					   uint64_t pc)
{
	const uint32_t image = sample_tables_image_at(t, process, pc);

	return image == TRACE_NONE ? NULL : &t->images[image];
}

static int add_named(struct trace_info *info, const char *name, uint32_t *func)
{
	const struct trace_func f = { .name = (char *)(uintptr_t)name };

	*func = (uint32_t)info->n_funcs;
	return trace_info_add_func(info, &f);
}

#define NAME_MOST 400 /* bytes of a file's name */

/* Where in the file, whatever address it was at. */
void sample_stranger_name(const struct sample_tables *t, uint32_t process, uint64_t pc,
			  char name[STRANGER_NAME_BYTES])
{
	const struct sample_image *i = image_at(t, process, pc);
	const char *path = i ? i->path : "", *slash = strrchr(path, '/'),
		   *file = slash && slash[1] ? slash + 1 : path;
	const size_t len = i ? sample_image_path_len(i) - (size_t)(file - path) : 0;

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

static int add_stranger(struct loaded_samples *s, struct trace_info *info, uint32_t process,
			uint64_t pc, uint32_t *func)
{
	char name[STRANGER_NAME_BYTES];

	sample_stranger_name(s->tables, process, pc, name);
	return add_named(info, name, func);
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
	if (vec_reserve(&s->strangers, &s->cap_strangers, s->n_strangers + 1) ||
	    hash_index_put(&s->by_stranger, hash, (uint32_t)s->n_strangers) ||
	    add_stranger(s, info, process, pc, func))
		return -ENOMEM;
	s->strangers[s->n_strangers].pc = pc;
	s->strangers[s->n_strangers].process = process;
	s->strangers[s->n_strangers++].func = *func;
	return 0;
}

enum { MADE_CUT, MADE_UNREADABLE, MADE_SCHEDULER, MADE_EMPTY };

static int made_up(struct loaded_samples *s, struct trace_info *info, int which, uint32_t *func)
{
	static const char *const names[] = { "[cut off]", "[unreadable]", "[scheduler]",
					     "[no stack]" };
	int err = 0;

	if (!s->made_up[which]) {
		err = add_named(info, names[which], func);
		s->made_up[which] = *func + 1;
	}
	*func = s->made_up[which] - 1;
	return err;
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
		return made_up(s, info, MADE_EMPTY, func);
	if (x->flags & STACK_CUT)
		return made_up(s, info, MADE_CUT, func);
	if (x->flags & STACK_UNREADABLE)
		return made_up(s, info, MADE_UNREADABLE, func);
	/* mcall's work belongs to no goroutine (runtime/asm_amd64.s). */
	if (x->flags & STACK_SYSTEM && ends_in(s, x, "runtime.mcall"))
		return made_up(s, info, MADE_SCHEDULER, func);
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

int sample_stack_expand(struct loaded_samples *s, struct trace_info *info, uint32_t stack,
			uint32_t **funcs, size_t *cap, size_t *n, bool *unresolved)
{
	const struct sample_stack *x = &s->tables->stacks[stack];
	size_t at = 0, room = 1;
	int err = 0;

	*unresolved = false;
	for (uint32_t i = 0; i < x->n; i++) {
		const struct sample_location *l = sample_tables_find(s->tables, x->process,
								     x->pcs[i]);

		room += l ? l->n : 1;
	}
	if (vec_reserve(funcs, cap, room))
		return -ENOMEM;
	/* The first place is for what it hangs below. */
	at = 1;
	for (uint32_t i = x->n; i-- > 0 && !err;) {
		const struct sample_location *l = sample_tables_find(s->tables, x->process,
								     x->pcs[i]);

		for (uint32_t k = l ? l->n : 0; k-- > 0;) {
			if (!sample_elided(s->tables, l, i, k))
				(*funcs)[at++] = s->func_of[l->frames[k].symbol];
			*unresolved |= s->tables->symbols[l->frames[k].symbol].kind ==
				       SYMBOL_UNKNOWN;
		}
		if (!l) {
			*unresolved = true;
			err = sample_stranger(s, info, x->process, x->pcs[i], &(*funcs)[at++]);
		}
	}
	if (s->wall && !err)
		at = 1 + without_parking(info, *funcs + 1, at - 1);
	uint32_t top = TRACE_NONE;
	if (!err)
		err = sample_stack_top(s, info, stack, &top);
	if (top != TRACE_NONE)
		(*funcs)[0] = top;
	else
		memmove(*funcs, *funcs + 1, (at - 1) * sizeof(**funcs));
	*n = top != TRACE_NONE ? at : at - 1;
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
