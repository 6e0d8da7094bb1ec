// SPDX-License-Identifier: BSD-2-Clause
#include "agent/pairs.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

int pairs_add(struct pairs *p, const char *name, const char *value)
{
	if (!value || pairs_get(p, name))
		return 0;
	if (vec_reserve(&p->at, &p->cap, p->n + 1))
		return -ENOMEM;
	struct pair x = { strdup(name), strdup(value) };

	if (!x.name || !x.value) {
		free(x.name);
		free(x.value);
		return -ENOMEM;
	}
	p->at[p->n++] = x;
	return 0;
}

int pairs_add_all(struct pairs *to, const struct pairs *from)
{
	int err = 0;

	for (size_t i = 0; i < from->n && !err; i++)
		err = pairs_add(to, from->at[i].name, from->at[i].value);
	return err;
}

const char *pairs_get(const struct pairs *p, const char *name)
{
	for (size_t i = 0; i < p->n; i++)
		if (!strcmp(p->at[i].name, name))
			return p->at[i].value;
	return NULL;
}

static int by_name(const void *x, const void *y)
{
	const struct pair *a = x, *b = y;

	return strcmp(a->name, b->name);
}

void pairs_sort(struct pairs *p)
{
	if (p->n)
		qsort(p->at, p->n, sizeof(*p->at), by_name);
}

/* What a program or a cgroup is called need not be UTF-8, which JSON is. */
static json_t *text(const char *s)
{
	json_t *j = json_string(s);

	if (j)
		return j;
	char *copy = strdup(s);

	for (char *p = copy; p && *p; p++)
		if ((unsigned char)*p >= 0x80)
			*p = '?';
	j = copy ? json_string(copy) : NULL;
	free(copy);
	return j;
}

char *pairs_json(const struct pairs *p)
{
	json_t *o = json_object();
	int err = o ? 0 : -1;

	for (size_t i = 0; i < p->n && !err; i++)
		err = json_object_set_new(o, p->at[i].name, text(p->at[i].value));
	char *s = err ? NULL : json_dumps(o, JSON_COMPACT | JSON_SORT_KEYS);

	json_decref(o);
	return s;
}

int pairs_from_json(struct pairs *p, const char *json)
{
	json_t *o = json_loads(json, JSON_REJECT_DUPLICATES, NULL), *v;
	const char *name;
	int err = json_is_object(o) ? 0 : -EINVAL;

	json_object_foreach(o, name, v)
	{
		if (!err)
			err = json_is_string(v) ? pairs_add(p, name, json_string_value(v))
						: -EINVAL;
	}
	json_decref(o);
	return err;
}

void pairs_free(struct pairs *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->at[i].name);
		free(p->at[i].value);
	}
	free(p->at);
	*p = (struct pairs){ 0 };
}
