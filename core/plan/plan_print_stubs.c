// SPDX-License-Identifier: BSD-2-Clause
#include "plan/plan_print.h"

#include <errno.h>
#include <stdlib.h>

#include "binary/gocode.h"
#include "bpf/event.h"

/* What becomes of the sites that a call passes. */
struct stub_count {
	size_t entries, exits;             /* of the functions probed */
	size_t cheap_entries, cheap_exits; /* one trap each, in a stub or in the text */
	size_t stub_entries, stub_exits;
	size_t inline_entries, inline_exits; /* of them without any trap, */
	size_t join_entries, join_exits;     /* also with --pid */
	size_t why[STUB_REASONS];            /* of the sites that are single-stepped */
	size_t cheap_funcs;                  /* functions none of whose sites is */
};

static struct stub_count count(const struct plan *p, uint8_t *stepped)
{
	struct stub_count c = { 0 };

	for (size_t i = 0; i < p->n_sites; i++) {
		const struct plan_site *s = &p->sites[i];
		bool entry = s->program == PROGRAM_ENTRY, cheap = !site_is_stepped(s);

		if (s->func == PLAN_NO_FUNC)
			continue;
		*(entry ? &c.entries : &c.exits) += 1;
		*(entry ? &c.cheap_entries : &c.cheap_exits) += cheap;
		*(entry ? &c.stub_entries : &c.stub_exits) += site_has_stub(s);
		*(entry ? &c.inline_entries : &c.inline_exits) += site_is_inline(s);
		*(entry ? &c.join_entries : &c.join_exits) += plan_can_join(s);
		if (cheap)
			continue;
		c.why[s->stub.why]++;
		stepped[s->func] = 1;
	}
	for (size_t i = 0; i < p->n_funcs; i++)
		c.cheap_funcs += p->funcs[i].fate == PLAN_PROBED && !stepped[i];
	return c;
}

static double pct(size_t part, size_t all)
{
	return all ? 100.0 * part / all : 100.0;
}

static void print_inline(const struct plan *p, const struct stub_count *c, FILE *out)
{
	fprintf(out, "no trap: %zu of %zu entries (%.1f %%), %zu of %zu exits (%.1f %%)\n",
		c->inline_entries, c->entries, pct(c->inline_entries, c->entries), c->inline_exits,
		c->exits, pct(c->inline_exits, c->exits));
	fprintf(out, "  with --pid: %zu entries (%.1f %%), %zu exits (%.1f %%)\n", c->join_entries,
		pct(c->join_entries, c->entries), c->join_exits, pct(c->join_exits, c->exits));
	if (p->stubs.inl.obstacle)
		fprintf(out, "  no stub can write events: %s\n", p->stubs.inl.obstacle);
}

int plan_print_stubs(const struct plan *p, FILE *out)
{
	uint8_t *stepped = calloc(p->n_funcs + 1, 1);

	if (!stepped)
		return -ENOMEM;
	struct stub_count c = count(p, stepped);
	if (plan_wants_inline(p))
		print_inline(p, &c, out);
	fprintf(out,
		"%s: %zu of %zu entries (%.1f %%, %zu in stubs), %zu of %zu exits (%.1f %%, %zu in stubs); "
		"nothing single-stepped in %zu of %zu functions (%.1f %%)\n",
		plan_wants_inline(p) ? "at most one trap" : "one trap each", c.cheap_entries,
		c.entries, pct(c.cheap_entries, c.entries), c.stub_entries, c.cheap_exits, c.exits,
		pct(c.cheap_exits, c.exits), c.stub_exits, c.cheap_funcs, p->n_probed,
		pct(c.cheap_funcs, p->n_probed));
	for (int why = 0; why < STUB_REASONS; why++)
		if (c.why[why])
			fprintf(out, "  %zu single-stepped: %s\n", c.why[why],
				stub_reason_clause((enum stub_reason)why));
	if (p->stubs.bytes)
		fprintf(out, "  %zu stubs, %zu KiB\n", p->stubs.n_sites, p->stubs.bytes / 1024);
	if (p->stubs.obstacle)
		fprintf(out, "  record would not use them: %s\n", p->stubs.obstacle);
	free(stepped);
	return 0;
}
