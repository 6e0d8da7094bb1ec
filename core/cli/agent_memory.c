// SPDX-License-Identifier: BSD-2-Clause
/* What the agent keeps stays below what its file says, by counting. */
#include <inttypes.h>
#include <malloc.h>

#include "agent/bounds.h"
#include "base/log.h"
#include "cli/agent_run.h"

#define MAPPED_BYTES (128 << 10) /* from then on a block is given back when it is freed */
#define ARENAS       2           /* of malloc, for all threads */

void agent_bound_memory(struct agent *a, unsigned waiting)
{
	const struct agent_bounds b = agent_bounds(a->config.memory_bytes, waiting);
	struct sampling *s = &a->sampling;

	mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES);
	mallopt(M_ARENA_MAX, ARENAS);
	a->naming.hold_bytes = b.hold;
	s->binaries.most_bytes = b.binary;
	s->binaries.most_rows = s->natives.most_rows = b.rows;
	a->given.most_processes = b.mapped;
	s->processes.most_bytes = b.processes;
	s->processes.late = true;
	a->given.most_bytes = b.stretch;
	s->wall.most_binary = b.binary;
	s->wall.most_goroutines = b.goroutines;
	a->splitter.most_bytes = b.members;
}

/* Also those without a sample: when one comes the process may be gone. */
static void meet_new(struct agent *a)
{
	struct processes *p = &a->sampling.processes;

	for (size_t i = 0; i < p->n; i++) {
		struct process *one = &p->all[i];

		if (one->met || one->ended)
			continue;
		one->met = true;
		process_find_exe(one);
		splitter_meet(&a->splitter, &(struct sample_process){ .pid = one->pid,
								      .start_ns = one->start_ns,
								      .exe = one->exe,
								      .comm = one->comm });
	}
}

void agent_meet(struct agent *a)
{
	const struct sample_tables *t = trace_writer_tables(a->sampling.writer);

	meet_new(a);
	/* The splitter may have forgotten those that were met before. */
	for (; t && a->n_met < t->n_processes; a->n_met++)
		splitter_meet(&a->splitter, &t->processes[a->n_met]);
}

void agent_meet_again(struct agent *a, bool all)
{
	struct processes *p = &a->sampling.processes;

	a->n_met = 0;
	for (size_t i = 0; i < p->n && all; i++)
		p->all[i].met = false;
}

void agent_count_room(struct agent *a)
{
	const struct sampling *s = &a->sampling;

	a->n_forgotten += s->processes.dropped + s->processes.refused;
	a->no_memory_samples += s->counts.no_memory;
	if (!s->cut_for_room)
		return;
	if (!a->n_cut_for_room++)
		log_info(
			"a stretch ended early because it reached the memory limit; /metrics counts "
			"such stretches");
}
