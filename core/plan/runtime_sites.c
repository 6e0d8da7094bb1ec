// SPDX-License-Identifier: BSD-2-Clause
#include "plan/runtime_sites.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "bpf/event.h"
#include "plan/runtime_stubs.h"
#include "plan/sites.h"

enum where { AT_ENTRY, AT_RETURN, AT_CALL };

/* All in runtime/proc.go, panic.go, signal_unix.go and stack.go. Where a name changed between Go
 * 1.19 and 1.27 both are here. */
static const struct {
	const char *names[2]; /* the first that exists */
	uint16_t kind;
	enum where where;
	size_t seen_off; /* flag of struct plan to set */
	uint8_t prologue_stop;
	const char *from; /* AT_CALL: calls of `names` in this function */
} wanted[] = {
	{ { "runtime.main" }, EV_IMAGE, AT_ENTRY, 0, 0, NULL },
	{ { "runtime.gdestroy", "runtime.goexit0" },
	  EV_END,
	  AT_ENTRY,
	  offsetof(struct plan, ends_seen),
	  0,
	  NULL },
	{ { "runtime.newproc1" },
	  EV_CREATE,
	  AT_RETURN,
	  offsetof(struct plan, creates_seen),
	  0,
	  NULL },
	{ { "runtime.recovery" },
	  EV_UNWIND,
	  AT_ENTRY,
	  offsetof(struct plan, unwinds_seen),
	  0,
	  NULL },
	{ { "runtime.sigpanic" }, EV_WIRE_FAULT, AT_ENTRY, 0, 0, NULL },
	{ { "runtime.newstack" }, EV_STOP, AT_ENTRY, offsetof(struct plan, stops_seen), 0, NULL },
	/* What newstack does about the stopped prologue. Nothing else makes a stack grow. Of the
	 * rest its calls only, others call these functions often. gopreempt_m is inlined into
	 * newstack except in old versions. */
	{ { "runtime.copystack" }, EV_RESUME, AT_ENTRY, 0, STOP_GROWTH, NULL },
	{ { "runtime.gopreempt_m" }, EV_RESUME, AT_CALL, 0, STOP_YIELD, "runtime.newstack" },
	{ { "runtime.goschedImpl" }, EV_RESUME, AT_CALL, 0, STOP_YIELD, "runtime.newstack" },
	{ { "runtime.preemptPark" }, EV_RESUME, AT_CALL, 0, STOP_GC, "runtime.newstack" },
};

/* Where arguments are still in their registers: on the stack check's jump and the push after it,
 * not necessarily later. */
static const struct code_point *entry_with_arguments(const struct gocode *code)
{
	uint32_t after_check = 32; /* the longest check is 28 bytes */

	return code->has_entry && (code->entry.check_jcc || code->entry.off < after_check) &&
			       code->entry.to_frame_bytes == 0
		       ? &code->entry
		       : &code->start;
}

/* w: where its stub may be; NULL: it shall have none. */
static int add_one(struct plan *p, const struct gofunc *fn, const struct code_point *at,
		   const struct code_window *w, size_t which)
{
	struct plan_site s = site_at(fn, at, wanted[which].kind, PROGRAM_RUNTIME);
	int err;

	s.runtime_func = fn->name;
	s.prologue_stop = wanted[which].prologue_stop;
	err = w ? runtime_stub_give(p, &s, fn, w) : 0;
	return err ? err : plan_add_site(p, &s);
}

static void set_seen(struct plan *p, size_t which)
{
	if (wanted[which].seen_off)
		*(bool *)((char *)p + wanted[which].seen_off) = true;
}

static int add_entry(struct plan *p, struct gocode_ctx *ctx, const struct gofunc *fn, size_t which)
{
	struct gocode code;
	int err = gocode_analyze(ctx, fn, &code);

	if (err)
		return err;
	if (code.status == CODE_OK && code.start.class != INSN_REFUSED) {
		err = add_one(p, fn,
			      wanted[which].kind == EV_WIRE_FAULT && code.has_entry
				      ? &code.entry
				      : entry_with_arguments(&code),
			      &code.inline_entry, which);
		set_seen(p, which);
	}
	gocode_free(&code);
	return err;
}

/* Points in a function, none when it cannot be decoded. */
static int add_points(struct plan *p, const struct gofunc *fn, struct code_point *points, size_t n,
		      size_t which)
{
	int err = 0;

	for (size_t k = 0; k < n && !err; k++)
		err = add_one(p, fn, &points[k], NULL, which);
	if (n)
		set_seen(p, which);
	free(points);
	return err;
}

/* The window before the first RET from `off` on, which nothing but what comes before it leads to.
 * NULL: there is none. */
static const struct code_window *window_before_ret(const struct gocode *code, uint32_t off)
{
	for (size_t i = 0; code->inline_rets && i < code->n_rets; i++)
		if (code->rets[i].off >= off)
			return code->inline_branches[i].n ? NULL : &code->inline_rets[i];
	return NULL;
}

static int add_returns(struct plan *p, struct gocode_ctx *ctx, const struct gofunc *fn,
		       size_t which)
{
	struct code_point *points = NULL;
	struct gocode code;
	size_t n = 0;
	int err = gocode_analyze(ctx, fn, &code);

	if (err)
		return err;
	err = gocode_returns(ctx, fn, &points, &n);
	if (err == -EILSEQ)
		n = err = 0;
	for (size_t i = 0; i < n && !err; i++)
		err = add_one(p, fn, &points[i], window_before_ret(&code, points[i].off), which);
	if (n)
		set_seen(p, which);
	free(points);
	gocode_free(&code);
	return err;
}

static int add_calls(struct plan *p, struct gocode_ctx *ctx, const struct gofunc *fn, size_t which)
{
	const struct gofunc *from = gobin_func_named(p->binary, wanted[which].from);
	struct code_point *calls;
	size_t n;

	if (!from)
		return 0;
	int err = gocode_calls(ctx, from, fn->vaddr, &calls, &n);

	return err && err != -EILSEQ ? err : add_points(p, from, calls, n, which);
}

int plan_add_runtime_sites(struct plan *p, struct gocode_ctx *ctx)
{
	int err = 0;

	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted) && !err; i++) {
		const struct gofunc *fn = NULL;

		for (size_t j = 0; j < 2 && !fn && wanted[i].names[j]; j++)
			fn = gobin_func_named(p->binary, wanted[i].names[j]);
		if (!fn || (wanted[i].kind == EV_WIRE_FAULT && !p->faults_seen))
			continue;
		err = wanted[i].where == AT_CALL     ? add_calls(p, ctx, fn, i)
		      : wanted[i].where == AT_RETURN ? add_returns(p, ctx, fn, i)
						     : add_entry(p, ctx, fn, i);
	}
	return err;
}
