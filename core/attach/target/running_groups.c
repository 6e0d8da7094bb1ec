// SPDX-License-Identifier: BSD-2-Clause
#include "attach/target/running_groups.h"

#include <string.h>

size_t running_group_end(const struct running *r, size_t i)
{
	const struct plan_site *sites = r->opt.plan->sites;
	size_t end = i + 1;

	while (r->whole[i] && end < r->opt.plan->n_sites && sites[end].func == sites[i].func)
		end++;
	return end;
}

void running_mark_whole(struct running *r, const bool *in_stub)
{
	const struct plan *plan = r->opt.plan;

	for (size_t i = 0, end; i < plan->n_sites; i = end) {
		bool whole = !r->opt.traps && plan->sites[i].func != PLAN_NO_FUNC;

		for (end = i; end < plan->n_sites && plan->sites[end].func == plan->sites[i].func;
		     end++)
			whole &= in_stub[end];
		memset(r->whole + i, whole, end - i);
	}
}

static void undo_group(struct running *r, bool *in_stub, size_t from, size_t to)
{
	for (size_t i = to; i-- > from;) {
		const struct plan_site *s = &r->opt.plan->sites[i];

		in_stub[i] = false;
		if (!r->patched[i])
			continue;
		text_patch_turn_page(&r->text, s->stub.displaced_vaddr);
		r->patched[i] = !text_patch_undo_site(&r->text, s);
		r->n_patched -= !r->patched[i];
	}
}

void running_patch_group(struct running *r, const uint8_t *stubs, bool *in_stub, size_t from,
			 size_t to)
{
	for (size_t i = from; i < to; i++) {
		const struct plan_site *s = &r->opt.plan->sites[i];

		text_patch_turn_page(&r->text, s->stub.displaced_vaddr);
		r->patched[i] = text_patch_site(&r->text, s, stubs);
		r->n_patched += r->patched[i];
		if (!r->patched[i]) {
			undo_group(r, in_stub, from, to);
			return;
		}
	}
}
