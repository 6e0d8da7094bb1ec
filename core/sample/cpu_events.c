// SPDX-License-Identifier: BSD-2-Clause
#include "sample/cpu_events.h"

#include <errno.h>
#include <stdlib.h>

#include "base/log.h"

static int open_cpus(struct cpu_events *c, struct sample_events *e, struct scope scope)
{
	for (size_t i = 0; i < c->n; i++) {
		if (c->open[i])
			continue;
		int err = sample_events_open(e, scope_on(scope, (int)i), 0, false);

		if (err && err != -ENODEV)
			return err;
		c->open[i] = !err;
		c->n_open += !err;
	}
	return 0;
}

int cpu_events_open(struct cpu_events *c, struct sample_events *e, struct scope scope, size_t n)
{
	*c = (struct cpu_events){ .open = calloc(n, sizeof(*c->open)), .n = n };
	if (!c->open) {
		log_no_memory("out of memory for the events of CPUs");
		return -ENOMEM;
	}
	return open_cpus(c, e, scope);
}

bool cpu_events_complete(const struct cpu_events *c)
{
	return c->n_open == c->n;
}

int cpu_events_open_again(struct cpu_events *c, struct sample_events *e, struct scope scope)
{
	const size_t had = c->n_open;
	int err = open_cpus(c, e, scope);

	c->late += c->n_open - had;
	return err;
}

void cpu_events_close(struct cpu_events *c)
{
	free(c->open);
	*c = (struct cpu_events){ 0 };
}
