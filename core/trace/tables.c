// SPDX-License-Identifier: BSD-2-Clause
#include "trace/items.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "trace/format.h"

/* ---- writing ---- */

/* Two strings, then up to three numbers: the form of all items with strings. */
static int put_item(struct bytes *b, const char *one, const char *two, const uint64_t *v,
		    size_t n_v)
{
	size_t n_one = item_str_bytes(one), n_two = item_str_bytes(two);

	if (!n_one || !n_two)
		return -E2BIG;
	uint8_t *p = item_room(b, n_one + n_two + n_v * VARINT_MAX_BYTES);
	if (!p)
		return -ENOMEM;
	p = item_put_str(item_put_str(p, one), two);
	for (size_t i = 0; i < n_v; i++)
		p = varint_put(p, v[i]);
	b->n = (size_t)(p - b->data);
	return 0;
}

int table_put_func(struct bytes *b, const struct trace_func *f)
{
	const uint64_t v[] = { f->line, f->vaddr, f->size };

	return put_item(b, f->name, f->file, v, 3);
}

int table_put_kv(struct bytes *b, const struct trace_kv *kv)
{
	if (!*kv->key)
		return -EINVAL;
	return put_item(b, kv->key, kv->value, NULL, 0);
}

int table_put_pc(struct bytes *b, const struct trace_pc *p)
{
	const uint64_t v[] = { p->line, p->pc };

	return put_item(b, p->func, p->file, v, 2);
}

static bool site_valid(const struct trace_site *s, size_t n_funcs)
{
	return (s->func == TRACE_NONE || s->func < n_funcs) &&
	       (s->target == TRACE_NONE || s->target < n_funcs) && s->kind && s->kind <= 0xff;
}

int table_put_site(struct bytes *b, const struct trace_site *s, size_t n_funcs)
{
	if (!site_valid(s, n_funcs))
		return -EINVAL;
	uint8_t *p = item_room(b, 4 * VARINT_MAX_BYTES);
	if (!p)
		return -ENOMEM;
	/* TRACE_NONE + 1 wraps to 0, the shortest. */
	p = varint_put(p, (uint32_t)(s->func + 1));
	p = varint_put(p, (uint32_t)(s->target + 1));
	p = varint_put(p, s->file_off);
	p = varint_put(p, s->kind);
	b->n = (size_t)(p - b->data);
	return 0;
}

static bool value_valid(const struct trace_value_def *d, size_t n_funcs)
{
	return d->func < n_funcs && d->type && d->type < TRACE_VALUE_TYPES;
}

int table_put_value(struct bytes *b, const struct trace_value_def *d, size_t n_funcs)
{
	const uint64_t v[] = { d->func, d->result, d->type };

	return value_valid(d, n_funcs) ? put_item(b, d->name, NULL, v, 3) : -EINVAL;
}

/* ---- reading ---- */

/* An empty file name stands for none. */
static const char *or_none(const char *s)
{
	return *s ? s : NULL;
}

static const char *add(int err)
{
	return err ? "" : NULL;
}

static const char *get_func(struct trace_info *info, struct item_in *in, const char *name,
			    const char *file)
{
	struct trace_func f = { .name = (char *)(uintptr_t)name,
				.file = (char *)(uintptr_t)or_none(file) };

	if (!item_get_u32(in, &f.line) || !item_get_u(in, UINT64_MAX, &f.vaddr) ||
	    !item_get_u32(in, &f.size))
		return "a bad function";
	return add(trace_info_add_func(info, &f));
}

static const char *get_pc(struct trace_info *info, struct item_in *in, const char *func,
			  const char *file)
{
	struct trace_pc p = { .func = (char *)(uintptr_t)func,
			      .file = (char *)(uintptr_t)or_none(file) };

	if (!item_get_u32(in, &p.line) || !item_get_u(in, UINT64_MAX, &p.pc))
		return "a bad program counter";
	return add(trace_info_add_pc(info, &p));
}

static const char *get_value(struct trace_info *info, struct item_in *in, const char *name)
{
	struct trace_value_def d = { .name = (char *)(uintptr_t)name };
	uint64_t result, type;

	if (!item_get_u32(in, &d.func) || !item_get_u(in, 1, &result) ||
	    !item_get_u(in, UINT8_MAX, &type))
		return "a bad value";
	d.result = result;
	d.type = (uint8_t)type;
	return value_valid(&d, info->n_funcs) ? add(trace_info_add_value(info, &d))
					      : "a value of no known function or type";
}

static const char *get_kv(struct trace_info *info, const char *key, const char *value)
{
	if (!*key)
		return "an empty key";
	return add(trace_info_set(info, key, value));
}

static const char *get_site(struct trace_info *info, struct item_in *in)
{
	struct trace_site s;
	uint64_t kind;

	if (!item_get_u32(in, &s.func) || !item_get_u32(in, &s.target) ||
	    !item_get_u(in, UINT64_MAX, &s.file_off) || !item_get_u(in, UINT16_MAX, &kind))
		return "a bad site";
	s.func--; /* 0 becomes TRACE_NONE */
	s.target--;
	s.kind = (uint16_t)kind;
	if (!site_valid(&s, info->n_funcs))
		return "a site of no known function or kind";
	return add(trace_info_add_site(info, &s));
}

static const char *get_item(struct trace_info *info, unsigned type, struct item_in *in)
{
	const char *fault = "a bad string";
	char *one = NULL, *two = NULL;
	bool oom = false;

	if (type == CHUNK_SITES)
		return get_site(info, in);
	if (item_get_str(in, &one, &oom) && item_get_str(in, &two, &oom)) {
		if (type == CHUNK_FUNCS)
			fault = get_func(info, in, one, two);
		else if (type == CHUNK_PCS)
			fault = get_pc(info, in, one, two);
		else if (type == CHUNK_VALUES)
			fault = get_value(info, in, one);
		else
			fault = get_kv(info, one, two);
	}
	free(one);
	free(two);
	return oom ? "" : fault;
}

const char *table_get(struct trace_info *info, unsigned type, const uint8_t *p, size_t len,
		      uint32_t count)
{
	struct item_in in = { p, p + len };

	for (uint32_t i = 0; i < count; i++) {
		const char *fault = get_item(info, type, &in);
		if (fault)
			return fault;
	}
	return in.p == in.end ? NULL : "bytes after its last item";
}
