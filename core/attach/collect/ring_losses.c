// SPDX-License-Identifier: BSD-2-Clause
#include "attach/collect/ring_losses.h"

#include <bpf/bpf.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

#include "trace/trace.h"

/* How often a CPU that is counting a loss is looked at again in one call. */
#define BUSY_TRIES 100

struct losses {
	struct probes *probes;
	uint64_t reported;
	/* counted and not reported yet: times of the first and the last, by the CPUs' counters */
	uint64_t first_ns, last_ns;
	bool goids_waiting; /* losses were counted whose goids are still in the map */
	uint64_t seen[];    /* [n_cpus] losses counted, as of the last call */
};

struct reporting {
	uint64_t written_ns;
	int (*fn)(void *ctx, const struct event_ext *loss);
	void *ctx;
};

static int report_loss(const struct reporting *to, uint64_t goid, uint16_t flags, uint64_t first_ns,
		       uint64_t last_ns, uint64_t count)
{
	struct event_ext ev = {
		.h = { .ts_ns = first_ns,
		       .goid = goid,
		       .site = TRACE_NONE,
		       .kind = EV_LOSS,
		       .flags = flags },
		.arg = { last_ns, count },
	};

	/* The stream is written up to there. */
	if (ev.h.ts_ns < to->written_ns)
		ev.h.ts_ns = to->written_ns;
	if (ev.arg[0] < ev.h.ts_ns)
		ev.arg[0] = ev.h.ts_ns;
	return to->fn(to->ctx, &ev);
}

/* As many entries as the map can hold; programs go on adding to it meanwhile. */
#define LOST_GOIDS_MAX 4096

/* Takes the map's entries out, each once. */
static int take_goids(struct losses *l, const struct reporting *to)
{
	int fd = l->probes->lost_goids_fd, err = 0;
	uint64_t goid, next;
	bool more = !bpf_map_get_next_key(fd, NULL, &goid);

	for (int i = 0; i < LOST_GOIDS_MAX && more && !err; i++) {
		struct lost_goid lost;
		bool found = !bpf_map_lookup_elem(fd, &goid, &lost);

		more = !bpf_map_get_next_key(fd, &goid, &next);
		bpf_map_delete_elem(fd, &goid);
		if (found) {
			l->reported += lost.count;
			err = report_loss(to, goid, 0, lost.first_ns, lost.last_ns, lost.count);
		}
		goid = next;
	}
	return err;
}

/* Waits for a CPU that is counting a loss right now. false: it still is. */
static bool settled(const volatile struct cpu_counters *now, uint64_t *done)
{
	for (int tries = 0; tries < BUSY_TRIES; tries++) {
		uint64_t begun = now->lost_begun;

		*done = now->lost_done;
		if (begun == *done)
			return true;
		sched_yield();
	}
	return false;
}

struct losses *losses_new(struct probes *probes)
{
	struct losses *l = calloc(1, sizeof(*l) + probes->n_cpus * sizeof(l->seen[0]));

	if (l) {
		l->probes = probes;
		l->first_ns = UINT64_MAX;
	}
	return l;
}

/* Takes over what a CPU has counted, `done` losses in all. */
static void take_times(struct losses *l, unsigned cpu, uint64_t done)
{
	volatile struct cpu_counters *now = &l->probes->counters[cpu];

	if (done == l->seen[cpu])
		return;
	l->seen[cpu] = done;
	l->goids_waiting = true;
	if (now->lost_first_ns && now->lost_first_ns < l->first_ns)
		l->first_ns = now->lost_first_ns;
	if (now->lost_last_ns > l->last_ns)
		l->last_ns = now->lost_last_ns;
	now->lost_first_ns = 0;
}

int losses_take(struct losses *l, uint64_t written_ns,
		int (*report)(void *ctx, const struct event_ext *loss), void *ctx)
{
	const struct reporting to = { .written_ns = written_ns, .fn = report, .ctx = ctx };
	uint64_t counted = 0;
	int err;

	for (unsigned i = 0; i < l->probes->n_cpus; i++) {
		uint64_t done;

		if (!settled(&l->probes->counters[i], &done))
			return 1;
		counted += done;
		take_times(l, i, done);
	}
	if (!l->goids_waiting)
		return 0;
	l->goids_waiting = false;
	err = take_goids(l, &to);
	/* The rest found no room in the map, or was added to an entry just as it was taken out:
	 * whose events they were is not known. */
	if (!err && counted > l->reported) {
		/* The first time is missing where it was reset just as the CPU counted; nothing was
		 * merged before the first watermark. */
		if (l->first_ns > l->last_ns)
			l->first_ns = written_ns ? written_ns : l->last_ns;
		err = report_loss(&to, 0, EVF_ALL, l->first_ns, l->last_ns, counted - l->reported);
		l->reported = counted;
	}
	l->first_ns = UINT64_MAX;
	l->last_ns = 0;
	return err;
}

void losses_free(struct losses *l)
{
	free(l);
}
