// SPDX-License-Identifier: BSD-2-Clause
/* A site's values, and how a BPF program reads them. */
#include <string.h>

#include "bpf/event.h"
#include "plan/plan.h"

_Static_assert(GOVALUE_HOPS_MAX == VALUE_HOPS_MAX, "a recipe holds a value");

size_t site_values_of(const struct plan *p, const struct plan_site *s,
		      const struct plan_value **first)
{
	if (s->func == PLAN_NO_FUNC)
		return 0;
	const struct plan_func *f = &p->funcs[s->func];

	*first = NULL;
	if (!f->n_args && !f->n_results)
		return 0;
	*first = p->values.list + f->first_value;
	switch ((enum event_kind)s->kind) {
	case EV_ENTRY:
	case EV_ENTRY_TAIL:
		return f->n_args;
	case EV_ENTRY_EXIT:
		return f->n_args + (f->brief ? 0 : f->n_results);
	case EV_EXIT:
		*first += f->n_args;
		return f->n_results;
	case EV_TAIL:
	case EV_STOP:
	case EV_RESUME:
	case EV_CREATE:
	case EV_END:
	case EV_UNWIND:
	case EV_LOSS:
	case EV_IMAGE:
	case EV_MORESTACK:
	case EV_RELEASED:
	case EV_STATE:
	case EV_WAKE:
	case EV_WINDOW:
	case EV_SAMPLE:
		break;
	}
	return 0;
}

static uint8_t recipe_kind(const struct govalue *v)
{
	if (v->type == GOVALUE_STRING)
		return VALUE_TEXT;
	if (v->has_itab)
		return VALUE_ITAB;
	return v->counted ? VALUE_COUNT : VALUE_WORD;
}

void site_values_recipes(const struct plan_value *list, size_t n, struct site_values *out)
{
	const unsigned slot = sizeof(struct value_slot);
	unsigned texts = 0, at = 0, room = 0;

	*out = (struct site_values){ .n = (uint32_t)n };
	for (size_t i = 0; i < n; i++)
		texts += list[i].v.type == GOVALUE_STRING;
	if (texts) {
		room = (unsigned)(VALUES_BYTES - n * slot) / texts / 8 * 8;
		room = room < VALUE_TEXT_MAX ? room : VALUE_TEXT_MAX;
	}
	out->has_text = texts > 0;
	for (size_t i = 0; i < n; i++) {
		const struct govalue *v = &list[i].v;
		struct value_recipe *r = &out->recipe[i];

		r->from = v->source == GOVALUE_STACK ? VALUE_FROM_STACK
			  : v->source == GOVALUE_FP  ? VALUE_FROM_XMM
						     : v->reg;
		r->kind = recipe_kind(v);
		r->hops = v->n_hops;
		r->bytes = v->type == GOVALUE_STRING ? 8 : v->bytes;
		r->at = (uint16_t)at;
		memcpy(r->off, v->off, sizeof(r->off));
		at += slot;
		if (v->type == GOVALUE_STRING) {
			r->room = (uint16_t)room;
			at += room;
		}
	}
}
