// SPDX-License-Identifier: BSD-2-Clause
#include "plan/runtime_sites.h"

#include <errno.h>
#include <stddef.h>

#include "base/vec.h"
#include "bpf/event.h"

enum where { AT_ENTRY, AT_RETURN };

/* All in runtime/proc.go, panic.go and stack.go; names are the same from Go 1.19 to 1.27 but where noted. */
static const struct {
	const char *names[2];  /* the first that exists */
	uint16_t kind;
	enum where where;
	size_t seen_off;       /* flag of struct plan to set */
	uint8_t stop;
} wanted[] = {
	{ { "runtime.main" }, EV_IMAGE, AT_ENTRY, 0, 0 },
	{ { "runtime.gdestroy", "runtime.goexit0" }, EV_END, AT_ENTRY, offsetof(struct plan, ends_seen), 0 },
	{ { "runtime.newproc1" }, EV_CREATE, AT_RETURN, offsetof(struct plan, creates_seen), 0 },
	{ { "runtime.recovery" }, EV_UNWIND, AT_ENTRY, offsetof(struct plan, unwinds_seen), 0 },
	{ { "runtime.newstack" }, EV_STOP, AT_ENTRY, offsetof(struct plan, stops_seen), 0 },
	{ { "runtime.copystack" }, EV_RESUME, AT_ENTRY, 0, STOP_GROWTH },
	{ { "runtime.gopreempt_m" }, EV_RESUME, AT_ENTRY, 0, STOP_YIELD },
	{ { "runtime.preemptPark" }, EV_RESUME, AT_ENTRY, 0, STOP_GC },
};

/* Arguments are still in their registers on the stack check's jump and on the
 * push that follows it; further on they need not be. */
static const struct code_point *entry_with_arguments(const struct gocode *code)
{
	uint32_t after_check = 32; /* the longest check is 28 bytes */

	return code->has_entry && (code->entry.check_jcc || code->entry.off < after_check) &&
	       code->entry.sp_adj == 0 ? &code->entry : &code->start;
}

static int add_one(struct plan *p, const struct gofunc *fn, const struct code_point *at, size_t which)
{
	int err = vec_reserve(&p->sites, &p->cap_sites, p->n_sites + 1);

	if (err)
		return err;
	p->sites[p->n_sites++] = (struct plan_site){
		.func = PLAN_NO_FUNC, .target = PLAN_NO_FUNC, .kind = wanted[which].kind,
		.stop = wanted[which].stop, .sp_adj = at->sp_adj,
		.link = LINK_RUNTIME, .class = at->class, .check_jcc = at->check_jcc,
		.vaddr = fn->vaddr + at->off, .file_off = fn->file_off + at->off, .name = fn->name,
	};
	p->n_link[LINK_RUNTIME]++;
	return 0;
}

int plan_add_runtime_sites(struct plan *p, struct gocode_ctx *ctx)
{
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		const struct gofunc *fn = NULL;
		struct gocode code;
		int err;

		for (size_t j = 0; j < 2 && !fn && wanted[i].names[j]; j++)
			fn = gobin_func_named(p->binary, wanted[i].names[j]);
		if (!fn)
			continue;
		err = gocode_analyze(ctx, fn, &code);
		if (err)
			return err;
		bool usable = code.status == CODE_OK && code.start.class != INSN_REFUSED &&
			      (wanted[i].where == AT_ENTRY || code.n_rets);
		if (usable && wanted[i].where == AT_ENTRY)
			err = add_one(p, fn, entry_with_arguments(&code), i);
		for (size_t k = 0; usable && wanted[i].where == AT_RETURN && k < code.n_rets && !err; k++)
			err = add_one(p, fn, &code.rets[k], i);
		if (usable && wanted[i].seen_off)
			*(bool *)((char *)p + wanted[i].seen_off) = true;
		gocode_free(&code);
		if (err)
			return err;
	}
	return 0;
}
