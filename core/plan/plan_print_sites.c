// SPDX-License-Identifier: BSD-2-Clause
/* Every site of a plan with its instruction, the traps it costs and why it is that one. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/event_kinds.h"
#include "base/text_format.h"
#include "binary/arch.h"
#include "binary/disasm.h"
#include "binary/gocode.h"
#include "bpf/event.h"
#include "plan/plan_print.h"
#include "plan/plan_print_internal.h"

/* Why an entry is where it is. */
enum entry_why {
	WHY_CHECKED, /* after the stack check */
	WHY_LINE,    /* no stack check */
	WHY_JCC,
	WHY_CHECK,
	WHY_LONE_RET,
	WHY_ONE_PROBE_LEAF,
	WHY_TAIL,
	WHY_PAST_FAULT,
	WHY_PAST_FAULT_RET,
	WHY_BRIEF,
	WHY_PAST_FAULT_BRIEF,
	WHY_THESIS,
	WHY_VALUES,
	WHY_FIRST, /* + enum line_end */
	WHY_ENDS = WHY_FIRST + LINE_ENDS,
};

static const char *const whys[WHY_ENDS] = {
	[WHY_CHECKED] = "the first instruction after the stack check that the kernel emulates",
	[WHY_LINE] = "the first instruction that the kernel emulates; there is no stack check",
	[WHY_JCC] = "the stack check's jump; no instruction after it will do",
	[WHY_CHECK] = "the stack check's jump, which the kernel emulates",
	[WHY_LONE_RET] = "the function is one RET",
	[WHY_ONE_PROBE_LEAF] =
		"runs straight to its RET with nothing that could fault: one probe for both",
	[WHY_TAIL] = "a wrapper that jumps on",
	[WHY_PAST_FAULT] =
		"the first that the kernel emulates, after what may fault: a probe on runtime.sigpanic sees calls that do",
	[WHY_PAST_FAULT_RET] =
		"runs straight to its RET: one probe for both, and one on runtime.sigpanic sees calls that fault",
	[WHY_BRIEF] = "short, without loops and calls: one probe for both",
	[WHY_PAST_FAULT_BRIEF] =
		"short, without loops and calls: one probe for both, and one on runtime.sigpanic sees calls that fault before it",
	[WHY_THESIS] = "the first byte, as thesis probes it",
	[WHY_VALUES] =
		"where every call comes by once, with the arguments that are recorded still in their places",
	[WHY_FIRST + LINE_FAULT] =
		"the first byte; the next instruction may fault, and a call that faults has been entered",
	[WHY_FIRST + LINE_FLOW] = "the first byte; a RET or an indirect jump follows",
	[WHY_FIRST + LINE_TARGET] = "the first byte; a branch comes back to what follows it",
	[WHY_FIRST + LINE_LOOP] = "the first byte; a loop comes back to it",
};

/* NULL: no entry is there for that reason. */
static const char *why_text(const struct plan *p, unsigned why)
{
	return why == WHY_FIRST + LINE_SP ? gobin_arch(p->binary)->words.sp_changes : whys[why];
}

/* Calls that fault before they are seen at s; without its stub it may be that none do. */
static bool is_past_fault(const struct plan *p, const struct plan_func *f,
			  const struct plan_site *s)
{
	return f->past_fault_entry != PLAN_NO_SITE && s == &p->sites[f->past_fault_entry];
}

static unsigned why_entry(const struct plan *p, const struct plan_func *f,
			  const struct plan_site *s)
{
	bool first = s->vaddr == f->fn->vaddr, past_fault = is_past_fault(p, f, s) && !first;

	if (f->brief)
		return past_fault ? WHY_PAST_FAULT_BRIEF : WHY_BRIEF;
	if (past_fault)
		return s->kind == EV_ENTRY_EXIT ? WHY_PAST_FAULT_RET : WHY_PAST_FAULT;
	if (s->kind == EV_ENTRY_TAIL)
		return WHY_TAIL;
	if (s->kind == EV_ENTRY_EXIT)
		return first ? WHY_LONE_RET : WHY_ONE_PROBE_LEAF;
	if (p->strategy == PROBE_THESIS)
		return WHY_THESIS;
	if (f->n_args && !f->no_values_entry)
		return WHY_VALUES;
	if (s->check_jcc)
		return f->line_end == LINE_FOUND ? WHY_CHECK : WHY_JCC;
	if (s->insn_class == INSN_EMULATED)
		return f->has_check ? WHY_CHECKED : WHY_LINE;
	return WHY_FIRST + f->line_end;
}

/* What a hit costs, as far as the binary tells. */
static const char *traps(const struct plan_site *s)
{
	if (site_is_inline(s))
		return "no trap";
	if (site_has_stub(s) && s->stub.kind != STUB_JUMP)
		return "a call";
	if (!site_is_stepped(s))
		return "one trap";
	return s->plain_ret ? "two traps*" : "two traps";
}

struct shares {
	size_t entries, exits, exits_one, exits_stub;
	size_t rets_one; /* RETs among exits_one */
	size_t why[WHY_ENDS], no_stub[STUB_REASONS];
};

static void explain_stub(const struct plan *p, const struct plan_func *f, const struct plan_site *s,
			 FILE *out)
{
	if (site_has_stub(s) && s->stub.returns)
		fputs("; its stub returns in its place", out);
	else if (s->stub.displaced_len)
		fprintf(out, "; %u bytes from +0x%" PRIx64 " run in a stub", s->stub.displaced_len,
			s->stub.displaced_vaddr - f->fn->vaddr);
	else if (!site_has_stub(s) && s->stub.why != STUB_NOT_ASKED && s->stub.why != STUB_CHEAP)
		fprintf(out, "; no stub: %s", stub_reason_clause(s->stub.why));
	if (s->stub.has_room) {
		const struct plan_room *room = &p->stubs.rooms[s->stub.room];

		fprintf(out, ", and %u from +0x%" PRIx64 " to make room", room->len,
			room->vaddr - f->fn->vaddr);
	}
	if (is_past_fault(p, f, s) && s->vaddr == f->fn->vaddr)
		fputs(", a probe on runtime.sigpanic sees calls that fault before", out);
	if (s->stub.n_branches)
		fprintf(out, "; %u branch%s to it go%s to a stub", s->stub.n_branches,
			s->stub.n_branches > 1 ? "es" : "", s->stub.n_branches > 1 ? "" : "es");
}

static void explain_site(const struct plan *p, const struct plan_func *f, const struct plan_site *s,
			 struct disasm *d, struct shares *n, FILE *out)
{
	char text[256];
	bool is_entry = s->program == PROGRAM_ENTRY;

	disasm_text(d, s->vaddr, text, sizeof(text));
	fprintf(out, "  +0x%-6" PRIx64 " %-28s %-10s %-10s ", s->vaddr - f->fn->vaddr, text,
		event_kind_site(s->kind), traps(s));
	if (is_entry) {
		unsigned why = why_entry(p, f, s);

		n->entries++;
		n->why[why]++;
		fputs(why_text(p, why), out);
	} else {
		n->exits++;
		n->exits_one += !site_is_stepped(s) && !site_has_stub(s);
		n->rets_one += !site_is_stepped(s) && !site_has_stub(s) && s->kind == EV_EXIT;
		fputs(s->kind == EV_EXIT   ? "a RET"
		      : s->kind == EV_TAIL ? "a jump out of the function"
					   : "calls morestack",
		      out);
	}
	explain_stub(p, f, s, out);
	if (!is_entry && site_has_stub(s))
		n->exits_stub++;
	if (site_is_stepped(s))
		n->no_stub[s->stub.why]++;
	fputc('\n', out);
}

static void line(FILE *out, size_t n, size_t of, const char *what)
{
	if (n)
		fprintf(out, "  %7zu %5.1f%%  %s\n", n, of ? 100.0 * n / of : 0, what);
}

static void summary(const struct plan *p, const struct shares *n, FILE *out)
{
	size_t stepped = n->exits - n->exits_one - n->exits_stub;

	fprintf(out, "%zu entries:\n", n->entries);
	for (int i = 0; i < WHY_ENDS; i++)
		if (why_text(p, i))
			line(out, n->why[i], n->entries, why_text(p, i));
	fprintf(out, "%zu exits with a site of their own:\n", n->exits);
	line(out, n->exits_one, n->exits,
	     n->rets_one ? "one trap: RETs, and jumps out of the function"
			 : "one trap: jumps out of the function");
	line(out, n->exits_stub, n->exits, "in a stub");
	line(out, stepped, n->exits, "two traps: RETs and what the kernel steps over");
	if (plan_has_stubs(p)) {
		fputs("sites that take two traps, and why they have no stub:\n", out);
		for (int i = STUB_SHORT; i < STUB_REASONS; i++)
			line(out, n->no_stub[i], n->entries + n->exits, stub_reason_clause(i));
	}
	if (!n->rets_one)
		fputs("* one where the kernel lets the program on a RET perform it ('gotrace doctor')\n",
		      out);
}

int plan_print_sites(const struct plan *p, FILE *out)
{
	const struct plan_func **list = plan_by_name(p);
	size_t *first = plan_first_sites(p);
	struct disasm *d = disasm_new(p->binary);
	struct shares n = { 0 };
	int err = list && first ? d ? 0 : -errno : -ENOMEM;

	for (size_t k = 0; k < p->n_funcs && !err; k++) {
		size_t func = list[k] - p->funcs;

		if (list[k]->fate != PLAN_PROBED)
			continue;
		text_safe(out, list[k]->name);
		fputs(list[k]->never_returns ? "  (never returns)\n" : "\n", out);
		for (size_t i = first[func]; i < p->n_sites && p->sites[i].func == func; i++)
			explain_site(p, list[k], &p->sites[i], d, &n, out);
	}
	if (!err) {
		fputc('\n', out);
		summary(p, &n, out);
		err = fflush(out) || ferror(out) ? -EIO : 0;
	}
	disasm_free(d);
	free(list);
	free(first);
	return err;
}
