// SPDX-License-Identifier: BSD-2-Clause
#include "attach/collect/value_records.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct value_records {
	const struct plan *plan;
	const struct probe_state *state;
	struct godebug *debug; /* for names of types; NULL: not opened, or there is none */
	bool debug_opened;
};

struct value_records *value_records_new(const struct plan *plan, const struct probe_state *state)
{
	struct value_records *r = calloc(1, sizeof(*r));

	if (r)
		*r = (struct value_records){ .plan = plan, .state = state };
	return r;
}

static int drop(void *ctx, const struct event_ext *ev)
{
	(void)ctx;
	free(value_records_of(ev));
	return 0;
}

void value_records_free(struct value_records *r, struct merge *waiting)
{
	if (!r)
		return;
	if (waiting->queues)
		merge_until(waiting, UINT64_MAX, drop, NULL);
	godebug_close(r->debug);
	free(r);
}

/* The name of a type by its address in the process, "" for none. */
static const char *type_name(struct value_records *r, uint64_t addr, char *made, size_t size)
{
	const char *name;

	if (!addr)
		return "";
	if (!r->debug_opened)
		r->debug = godebug_open(r->plan->binary);
	r->debug_opened = true;
	addr -= r->state->text_bias;
	name = r->debug ? godebug_type_at(r->debug, addr) : NULL;
	if (name)
		return name;
	snprintf(made, size, "type at 0x%llx", (unsigned long long)addr);
	return made;
}

static int64_t sign_extended(uint64_t word, unsigned bytes)
{
	unsigned shift = 64 - 8 * (bytes < 8 ? bytes : 8);

	return (int64_t)(word << shift) >> shift;
}

static uint64_t cut(uint64_t word, unsigned bytes)
{
	return bytes < 8 ? word & ((1ull << 8 * bytes) - 1) : word;
}

static double as_float(uint64_t word, unsigned bytes)
{
	uint32_t low = (uint32_t)word;
	double d;
	float f;

	if (bytes == 4) {
		memcpy(&f, &low, sizeof(f));
		return f;
	}
	memcpy(&d, &word, sizeof(d));
	return d;
}

static void convert(struct value_records *r, const struct govalue *v, const struct value_slot *slot,
		    struct trace_value *out, char *made, size_t size)
{
	*out = (struct trace_value){ .how = slot->how, .type = v->type, .text = "" };
	switch (v->type) {
	case GOVALUE_INT:
		out->v.i = sign_extended(slot->word, v->bytes);
		break;
	case GOVALUE_FLOAT:
		out->v.f = as_float(slot->word, v->bytes);
		break;
	case GOVALUE_BOOL:
		out->v.u = (slot->word & 0xff) != 0;
		break;
	case GOVALUE_STRING:
		out->v.u = slot->word;
		out->text = (const char *)(slot + 1);
		out->text_bytes = slot->stored;
		break;
	case GOVALUE_TYPE:
		out->text = slot->how ? "" : type_name(r, slot->word, made, size);
		out->text_bytes = strnlen(out->text, TRACE_VALUE_TEXT_MAX);
		break;
	default:
		out->v.u = cut(slot->word, v->bytes);
	}
}

_Static_assert((int)GOVALUE_INT == (int)TRACE_VALUE_INT &&
		       (int)GOVALUE_TYPE == (int)TRACE_VALUE_TYPE &&
		       (int)GOVALUE_TYPES == (int)TRACE_VALUE_TYPES,
	       "the same numbers");

static struct trace_values *take(struct value_records *r, const void *record, size_t size)
{
	const struct event *ev = record;
	const uint8_t *body = (const uint8_t *)record + sizeof(*ev);
	const struct plan_value *first = NULL;
	const struct plan_site *s = ev->site < r->plan->n_sites ? &r->plan->sites[ev->site] : NULL;
	size_t n = s ? site_values_of(r->plan, s, &first) : 0, room = 0;
	struct trace_value values[VALUES_MAX];
	char made[VALUES_MAX][40];
	struct site_values recipes;

	if (!n) {
		errno = EBADMSG;
		return NULL;
	}
	site_values_recipes(first, n, &recipes);
	for (size_t i = 0; i < n; i++) {
		const struct value_slot *slot = (const struct value_slot *)(body +
									    recipes.recipe[i].at);
		size_t end = sizeof(*ev) + recipes.recipe[i].at + sizeof(*slot);

		if (end > size || end + slot->stored > size || slot->how > VALUE_HOW_MAX) {
			errno = EBADMSG;
			return NULL;
		}
		convert(r, &first[i].v, slot, &values[i], made[i], sizeof(made[i]));
		room += trace_value_room(&values[i]);
	}
	struct trace_values *out = malloc(sizeof(*out) + room);

	if (!out)
		return NULL;
	uint8_t *data = (uint8_t *)(out + 1), *p = data;

	for (size_t i = 0; i < n; i++)
		p = trace_value_put(p, &values[i]);
	*out = (struct trace_values){ .first = (uint32_t)(first - r->plan->values.list),
				      .n = (uint32_t)n,
				      .bytes = (uint32_t)(p - data),
				      .data = data };
	return out;
}

int value_records_put(struct value_records *r, const void *record, size_t size,
		      struct event_ext *ev)
{
	struct trace_values *v = r ? take(r, record, size) : NULL;

	ev->arg[0] = (uintptr_t)v;
	return v ? 0 : r ? -errno : -EBADMSG;
}
