// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/calls/key_groups.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_index.h"
#include "base/log.h"
#include "base/vec.h"

#define NO_KEY UINT32_MAX

struct group {
	uint32_t func, row;
	uint8_t *bytes; /* of the value, as the trace has it; NULL: of all others */
	size_t n;
};

struct key_groups {
	struct trace_info *info;
	uint32_t *key; /* by function: its value's place in info->values, or NO_KEY */
	size_t n_funcs;
	struct group *groups;
	size_t n, cap;
	struct hash_index by_value;
	bool full;
};

/* ---- which argument */

/* The value that "main.handle(r.URL.Path)" names; NO_KEY: there is none. */
static uint32_t find_value(const struct trace_info *info, const char *key)
{
	size_t len = strlen(key);

	for (size_t i = 0; i < info->n_values; i++) {
		const struct trace_value_def *d = &info->values[i];
		const char *func = info->funcs[d->func].name;
		size_t n = strlen(func), k = strlen(d->name);

		if (!d->result && len == n + k + 2 && !memcmp(key, func, n) && key[n] == '(' &&
		    !memcmp(key + n + 1, d->name, k) && key[len - 1] == ')')
			return (uint32_t)i;
	}
	return NO_KEY;
}

static void log_missing(const struct trace_info *info, const char *key)
{
	char list[512] = "";
	size_t n = 0;

	for (size_t i = 0; i < info->n_values && n < sizeof(list) - 1; i++)
		if (!info->values[i].result)
			n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s(%s)", n ? ", " : "",
					      info->funcs[info->values[i].func].name,
					      info->values[i].name);
	if (n)
		log_error("--key %s: no call was recorded with this argument; there are %s", key,
			  list);
	else
		log_error(
			"--key %s: no arguments were recorded; gotrace record --args '%s' records them",
			key, key);
}

struct key_groups *key_groups_new(struct trace_info *info, const char *const *keys, size_t n)
{
	struct key_groups *g = calloc(1, sizeof(*g));
	int err = g ? 0 : -ENOMEM;

	if (g) {
		g->info = info;
		g->n_funcs = info->n_funcs;
		g->key = malloc((info->n_funcs + 1) * sizeof(*g->key));
		err = g->key ? 0 : -ENOMEM;
	}
	for (size_t i = 0; !err && i < info->n_funcs; i++)
		g->key[i] = NO_KEY;
	for (size_t i = 0; !err && i < n; i++) {
		uint32_t value = find_value(info, keys[i]);

		if (value == NO_KEY) {
			log_missing(info, keys[i]);
			err = -ENOENT;
		} else {
			g->key[info->values[value].func] = value;
		}
	}
	if (!err)
		return g;
	key_groups_free(g);
	errno = -err;
	return NULL;
}

void key_groups_free(struct key_groups *g)
{
	if (!g)
		return;
	for (size_t i = 0; i < g->n; i++)
		free(g->groups[i].bytes);
	free(g->groups);
	free(g->key);
	hash_index_free(&g->by_value);
	free(g);
}

bool key_groups_full(const struct key_groups *g)
{
	return g->full;
}

/* ---- groups */

/* "main.handle{/index}", to be freed. */
static char *name_of(const char *func, const struct trace_value *v)
{
	char *name = NULL;
	size_t size;
	FILE *out = open_memstream(&name, &size);

	if (!out)
		return NULL;
	fprintf(out, "%s{", func);
	if (v)
		trace_value_plain(out, v);
	else
		fputs("...", out);
	fputc('}', out);
	fclose(out);
	return name;
}

static int add_group(struct key_groups *g, const struct group *like, const struct trace_value *v,
		     uint32_t hash, uint32_t *row)
{
	int err = vec_reserve(&g->groups, &g->cap, g->n + 1);
	struct trace_func f = g->info->funcs[like->func];

	if (err)
		return err;
	struct group *new = &g->groups[g->n];

	*new = *like;
	new->row = (uint32_t)g->info->n_funcs;
	new->bytes = like->bytes ? malloc(like->n + 1) : NULL;
	f.name = name_of(f.name, v);
	if ((like->bytes && !new->bytes) || !f.name)
		err = -ENOMEM;
	if (!err && new->bytes)
		memcpy(new->bytes, like->bytes, like->n);
	if (!err)
		err = trace_info_add_func(g->info, &f);
	if (!err)
		err = hash_index_put(&g->by_value, hash, (uint32_t)g->n);
	free(f.name);
	if (err) {
		free(new->bytes);
		return err;
	}
	*row = new->row;
	g->n++;
	return 0;
}

static uint32_t hash_of(const struct group *k)
{
	return hash_u64_pair(k->func, hash_bytes(k->bytes, k->n));
}

static int find_group(struct key_groups *g, const struct group *k, const struct trace_value *v,
		      uint32_t *row)
{
	static const struct group others;
	uint32_t hash = hash_of(k);
	size_t at;

	for (uint32_t i = hash_index_first(&g->by_value, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&g->by_value, hash, &at)) {
		const struct group *x = &g->groups[i];

		if (x->func != k->func || x->n != k->n || !x->bytes != !k->bytes ||
		    (k->n && memcmp(x->bytes, k->bytes, k->n)))
			continue;
		*row = x->row;
		return 0;
	}
	if (g->n >= KEY_GROUPS_MAX && k->bytes) {
		struct group rest = others;

		rest.func = k->func;
		g->full = true;
		return find_group(g, &rest, NULL, row);
	}
	return add_group(g, k, v, hash, row);
}

int key_groups_row(void *ctx, uint32_t func, const struct trace_values *v, uint32_t *row)
{
	struct key_groups *g = ctx;
	uint32_t key = func < g->n_funcs ? g->key[func] : NO_KEY;
	const uint8_t *p = v->data, *end = p + v->bytes;
	struct trace_value one;

	if (key == NO_KEY || key < v->first || key >= v->first + v->n)
		return 0;
	for (uint32_t i = v->first; p && i <= key; i++) {
		const uint8_t *from = p;

		p = trace_value_get(p, end, g->info->values[i].type, &one);
		if (p && i == key) {
			const struct group k = { .func = func,
						 .bytes = (uint8_t *)(uintptr_t)from,
						 .n = (size_t)(p - from) };

			return find_group(g, &k, &one, row);
		}
	}
	return 0;
}
