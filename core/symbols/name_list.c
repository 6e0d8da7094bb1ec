// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/name_list.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compare.h"
#include "base/foreign_file.h"
#include "base/vec.h"

#define LINE_BYTES     8192
#define NAMES_MAX      (1u << 20)
#define PERF_MAP_BYTES (64u << 20)

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
	l->n_bytes += strlen(copy) + 1;
	return 0;
}

static int by_start(const void *x, const void *y)
{
	return compare_u64(((const struct named *)x)->start, ((const struct named *)y)->start);
}

/* A line that comes in pieces; what goes beyond its room is dropped. */
struct lines {
	struct name_list *l;
	int (*take)(struct name_list *l, char *line);
	size_t n;
	char line[LINE_BYTES];
};

static int end_line(struct lines *in)
{
	in->line[in->n] = '\0';
	in->n = 0;
	return in->l->n < NAMES_MAX ? in->take(in->l, in->line) : -EFBIG;
}

static int take_bytes(void *ctx, const char *bytes, size_t n)
{
	struct lines *in = ctx;
	int err = 0;

	for (size_t i = 0; i < n && !err; i++)
		if (bytes[i] == '\n')
			err = end_line(in);
		else if (in->n < sizeof(in->line) - 1)
			in->line[in->n++] = bytes[i];
	return err;
}

/* Calls take with each line, without its end. */
static int each_line(struct name_list *l, const char *path, const struct foreign_rule *rule,
		     uint64_t deadline_ns, int (*take)(struct name_list *l, char *line))
{
	struct lines in = { .l = l, .take = take };
	int fd = foreign_file_open(path, rule);
	int err = fd < 0 ? fd
			 : foreign_file_read(fd, rule->most_bytes, deadline_ns, take_bytes, &in);

	if (!err && in.n)
		err = end_line(&in);
	if (fd >= 0)
		close(fd);
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
	const struct foreign_rule kernels = { .kernels = true };
	int err = each_line(l, path, &kernels, UINT64_MAX, take_kallsyms);

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

int name_list_perf_map(struct name_list *l, const char *path, uid_t owner, uint64_t deadline_ns)
{
	const struct foreign_rule perfs = {
		.most_bytes = PERF_MAP_BYTES, .no_link = true, .owned = true, .owner = owner
	};

	return each_line(l, path, &perfs, deadline_ns, take_perf_map);
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

size_t name_list_bytes(const struct name_list *l)
{
	return l->cap * sizeof(*l->list) + l->n_bytes;
}

void name_list_free(struct name_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->list[i].name);
	free(l->list);
	*l = (struct name_list){ 0 };
}
