// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/name_list.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/vec.h"

static int add(struct name_list *l, uint64_t start, uint64_t size, const char *name)
{
	char *copy = *name ? strdup(name) : NULL;

	if (!*name)
		return 0;
	if (!copy || vec_reserve(&l->list, &l->cap, l->n + 1)) {
		free(copy);
		return -ENOMEM;
	}
	l->list[l->n++] = (struct named){ start, size, copy };
	return 0;
}

static int by_start(const void *x, const void *y)
{
	return compare_u64(((const struct named *)x)->start, ((const struct named *)y)->start);
}

/* Calls take with each line, without its end. */
static int each_line(struct name_list *l, const char *path,
		     int (*take)(struct name_list *l, char *line))
{
	FILE *in = fopen(path, "re");
	char *line = NULL;
	size_t cap = 0;
	int err = in ? 0 : -errno;

	while (!err && getline(&line, &cap, in) > 0) {
		line[strcspn(line, "\n")] = '\0';
		err = take(l, line);
	}
	free(line);
	if (in)
		fclose(in);
	/* glibc's sort of many is a merge, which keeps the order of equal ones */
	if (!err && l->n)
		qsort(l->list, l->n, sizeof(*l->list), by_start);
	return err;
}

static int take_kallsyms(struct name_list *l, char *line)
{
	char *end, *name;
	uint64_t start = strtoull(line, &end, 16);

	if (*end != ' ' || !end[1] || end[2] != ' ' || !strchr("tTwW", end[1]) || !start)
		return 0;
	name = end + 3;
	char *tab = strchr(name, '\t'); /* "name [module]" */
	if (tab)
		*tab = ' ';
	return add(l, start, 0, name);
}

int name_list_kallsyms(struct name_list *l, const char *path)
{
	int err = each_line(l, path, take_kallsyms);

	return err || l->n ? err : -EPERM;
}

static int take_perf_map(struct name_list *l, char *line)
{
	char *end, *name;
	uint64_t start = strtoull(line, &end, 16), size;

	if (*end != ' ')
		return 0;
	size = strtoull(end + 1, &name, 16);
	return *name == ' ' && size ? add(l, start, size, name + 1) : 0;
}

int name_list_perf_map(struct name_list *l, const char *path)
{
	return each_line(l, path, take_perf_map);
}

const char *name_list_at(const struct name_list *l, uint64_t address)
{
	size_t lo = 0, hi = l->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (l->list[mid].start <= address)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo)
		return NULL;
	const struct named *x = &l->list[lo - 1];

	return x->size && address - x->start >= x->size ? NULL : x->name;
}

void name_list_free(struct name_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->list[i].name);
	free(l->list);
	*l = (struct name_list){ 0 };
}
