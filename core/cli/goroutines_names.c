// SPDX-License-Identifier: BSD-2-Clause
/* Functions of the addresses in goroutines' stacks. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sample/maps.h"
#include "base/log.h"
#include "cli/goroutines.h"
#include "symbols/symbols.h"

struct adding {
	struct sample_tables *to;
	int err;
};

static void add_image(void *ctx, struct sample_image *i)
{
	struct adding *a = ctx;

	i->process = 0;
	if (!a->err)
		a->err = sample_tables_image(a->to, i);
}

static int add_process(struct goroutines_shown *s)
{
	char link[32], exe[PATH_MAX];

	snprintf(link, sizeof(link), "/proc/%d/exe", s->pid);
	ssize_t n = readlink(link, exe, sizeof(exe) - 1);

	exe[n < 0 ? 0 : n] = '\0';
	const struct sample_process p = { .pid = (uint32_t)s->pid, .comm = s->comm, .exe = exe };
	int err = sample_tables_process(&s->tables, &p);

	if (err)
		return err;
	struct adding a = { .to = &s->tables };

	maps_read((uint32_t)s->pid, add_image, &a);
	return a.err;
}

int goroutines_name(struct goroutines_shown *s)
{
	const struct symbols_options here = { .here = true };
	struct sample_tables found = { 0 };
	int err = add_process(s);

	for (size_t i = 0; i < s->groups->n && !err; i++) {
		const struct goroutine_group *g = &s->groups->groups[i];
		const struct sample_stack stack = { .n = g->n,
						    .pcs = s->groups->pcs + g->first,
						    .flags = g->flags };

		err = sample_tables_stack(&s->tables, &stack);
	}
	if (!err)
		err = symbols_resolve(&s->tables, &here, &found, NULL);
	if (!err)
		err = sample_tables_merge(&s->tables, &found);
	sample_tables_free(&found);
	if (err)
		log_error("the goroutines' functions cannot be found: %s", strerror(-err));
	return err;
}
