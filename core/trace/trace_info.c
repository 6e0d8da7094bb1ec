// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "base/units.h"
#include "trace/trace.h"

/* strdup that lets NULL through. */
static int copy_str(char **to, const char *from)
{
	*to = from ? strdup(from) : NULL;
	return from && !*to ? -ENOMEM : 0;
}

int trace_info_add_func(struct trace_info *t, const struct trace_func *f)
{
	struct trace_func copy = *f;

	copy.name = copy.file = NULL;
	if (vec_reserve(&t->funcs, &t->cap_funcs, t->n_funcs + 1) ||
	    copy_str(&copy.name, f->name ? f->name : "") || copy_str(&copy.file, f->file)) {
		free(copy.name);
		return -ENOMEM;
	}
	t->funcs[t->n_funcs++] = copy;
	return 0;
}

int trace_info_add_value(struct trace_info *t, const struct trace_value_def *d)
{
	struct trace_value_def copy = *d;

	if (vec_reserve(&t->values, &t->cap_values, t->n_values + 1) ||
	    copy_str(&copy.name, d->name ? d->name : ""))
		return -ENOMEM;
	t->values[t->n_values++] = copy;
	return 0;
}

int trace_info_add_site(struct trace_info *t, const struct trace_site *s)
{
	if (vec_reserve(&t->sites, &t->cap_sites, t->n_sites + 1))
		return -ENOMEM;
	t->sites[t->n_sites++] = *s;
	return 0;
}

/* Index of the first entry of pcs that is not below pc. */
static size_t pc_rank(const struct trace_info *t, uint64_t pc)
{
	size_t lo = 0, hi = t->n_pcs;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (t->pcs[mid].pc < pc)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

int trace_info_add_pc(struct trace_info *t, const struct trace_pc *p)
{
	struct trace_pc copy = *p;
	size_t i = pc_rank(t, p->pc);

	copy.func = copy.file = NULL;
	if (vec_reserve(&t->pcs, &t->cap_pcs, t->n_pcs + 1) ||
	    copy_str(&copy.func, p->func ? p->func : "") || copy_str(&copy.file, p->file)) {
		free(copy.func);
		return -ENOMEM;
	}
	if (i < t->n_pcs && t->pcs[i].pc == p->pc) {
		free(t->pcs[i].func);
		free(t->pcs[i].file);
	} else {
		memmove(&t->pcs[i + 1], &t->pcs[i], (t->n_pcs - i) * sizeof(t->pcs[0]));
		t->n_pcs++;
	}
	t->pcs[i] = copy;
	return 0;
}

const struct trace_pc *trace_info_pc(const struct trace_info *t, uint64_t pc)
{
	size_t i = pc_rank(t, pc);

	return i < t->n_pcs && t->pcs[i].pc == pc ? &t->pcs[i] : NULL;
}

static struct trace_kv *find_kv(const struct trace_info *t, const char *key)
{
	for (size_t i = 0; i < t->n_kvs; i++)
		if (!strcmp(t->kvs[i].key, key))
			return &t->kvs[i];
	return NULL;
}

int trace_info_set(struct trace_info *t, const char *key, const char *value)
{
	struct trace_kv *kv = find_kv(t, key);
	char *v = strdup(value);

	if (!v)
		return -ENOMEM;
	if (kv) {
		free(kv->value);
		kv->value = v;
		return 0;
	}
	char *k = strdup(key);
	if (!k || vec_reserve(&t->kvs, &t->cap_kvs, t->n_kvs + 1)) {
		free(k);
		free(v);
		return -ENOMEM;
	}
	t->kvs[t->n_kvs++] = (struct trace_kv){ .key = k, .value = v };
	return 0;
}

int trace_info_setf(struct trace_info *t, const char *key, const char *fmt, ...)
{
	char *value;
	va_list ap;

	va_start(ap, fmt);
	int n = vasprintf(&value, fmt, ap);
	va_end(ap);
	if (n < 0)
		return -ENOMEM;
	int err = trace_info_set(t, key, value);
	free(value);
	return err;
}

const char *trace_info_get(const struct trace_info *t, const char *key)
{
	const struct trace_kv *kv = find_kv(t, key);

	return kv ? kv->value : NULL;
}

uint64_t trace_info_u64(const struct trace_info *t, const char *key, uint64_t missing)
{
	const char *value = trace_info_get(t, key);
	uint64_t n;

	return !value || parse_decimal(value, UINT64_MAX, &n) ? missing : n;
}

void trace_info_free(struct trace_info *t)
{
	for (size_t i = 0; i < t->n_funcs; i++) {
		free(t->funcs[i].name);
		free(t->funcs[i].file);
	}
	for (size_t i = 0; i < t->n_kvs; i++) {
		free(t->kvs[i].key);
		free(t->kvs[i].value);
	}
	for (size_t i = 0; i < t->n_pcs; i++) {
		free(t->pcs[i].func);
		free(t->pcs[i].file);
	}
	for (size_t i = 0; i < t->n_values; i++)
		free(t->values[i].name);
	free(t->values);
	free(t->funcs);
	free(t->sites);
	free(t->kvs);
	free(t->pcs);
	memset(t, 0, sizeof(*t));
}
