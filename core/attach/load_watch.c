// SPDX-License-Identifier: BSD-2-Clause
#include "attach/load_watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "attach/kernel/costs.h"
#include "attach/kernel/inline_bench.h"

#define LOOK_APART_NS 1000000000ull
#define ENOUGH_CPU_NS 500000000ull

int load_watch_open(struct load_watch *w, const struct probing *p, const struct caps *caps)
{
	*w = (struct load_watch){ .probing = p, .caps = caps };
	w->events = calloc(p->plan->n_sites + 1, sizeof(*w->events));
	w->named = calloc(p->plan->n_funcs + 1, sizeof(*w->named));
	if (!w->events || !w->named)
		return -ENOMEM;
	if (p->strategy == PROBE_INLINE)
		w->inline_ns = inline_event_ns();
	return 0;
}

void load_watch_close(struct load_watch *w)
{
	free(w->events);
	free(w->named);
	*w = (struct load_watch){ 0 };
}

void load_watch_count_inlined(struct site_events *by_site, const struct event *ev, size_t n,
			      uint64_t *random)
{
	for (size_t i = 0; !random && i < n; i++)
		load_watch_count(&by_site[ev[i].site].inlined, 1);
	if (!random)
		return;
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	load_watch_count(&by_site[ev[(*random >> 33) % n].site].inlined, n);
}

int load_watch_find(const struct load_watch *w, struct probe_load *l)
{
	const struct probing *p = w->probing;
	const size_t n = p->plan->n_sites;
	struct site_events *now = calloc(n + 1, sizeof(*now));
	struct site_cost *costs = calloc(n + 1, sizeof(*costs));
	int err = now && costs ? 0 : -ENOMEM;

	*l = (struct probe_load){ .plan = p->plan };
	for (size_t i = 0; !err && i < n; i++) {
		const struct plan_site *s = &p->plan->sites[i];

		now[i].trapped = __atomic_load_n(&w->events[i].trapped, __ATOMIC_RELAXED);
		now[i].inlined = __atomic_load_n(&w->events[i].inlined, __ATOMIC_RELAXED);
		costs[i].trap_ns = cost_ns(w->caps, p->cost_class[i], s->stub.kind);
		costs[i].is_inline = p->in_stub[i] && site_is_inline(s);
	}
	if (!err)
		err = probe_load_find(l, p->plan, now, costs, w->inline_ns);
	free(now);
	free(costs);
	return err;
}

bool load_watch_traps(const struct load_watch *w, uint64_t *func_ns)
{
	const struct probing *p = w->probing;
	bool any = false;

	memset(func_ns, 0, p->plan->n_funcs * sizeof(*func_ns));
	for (size_t i = 0; i < p->plan->n_sites; i++) {
		const struct plan_site *s = &p->plan->sites[i];

		if (s->func == PLAN_NO_FUNC || (p->in_stub[i] && site_is_inline(s)))
			continue;
		any = true;
		func_ns[s->func] += __atomic_load_n(&w->events[i].trapped, __ATOMIC_RELAXED) *
				    cost_ns(w->caps, p->cost_class[i], s->stub.kind);
	}
	return any;
}

const char *load_watch_look(struct load_watch *w, uint64_t now_ns, uint64_t cpu_ns,
			    char text[LOAD_TEXT_BYTES])
{
	const char *said = NULL;
	struct probe_load l;

	if (now_ns - w->looked_ns < LOOK_APART_NS || cpu_ns < ENOUGH_CPU_NS)
		return NULL;
	w->looked_ns = now_ns;
	if (!load_watch_find(w, &l)) {
		uint32_t func = probe_load_heavy(&l, cpu_ns);

		if (func != PLAN_NO_FUNC && !w->named[func]) {
			w->named[func] = true;
			said = probe_load_heavy_text(&l, func, cpu_ns, text);
		}
	}
	probe_load_free(&l);
	return said;
}

#define ALL_SAMPLES 50

const char *load_watch_all(struct load_watch *w, const struct cpu_samples_seen *seen,
			   char text[LOAD_TEXT_BYTES])
{
	if (w->said_all || seen->n_probes < ALL_SAMPLES ||
	    (double)seen->probe_ns < LOAD_ALL * (double)seen->ns)
		return NULL;
	w->said_all = true;
	snprintf(
		text, LOAD_TEXT_BYTES,
		"probes take about %.0f%% of the program's processor time; --max-cost=10%% releases the "
		"functions whose probes take most, -p, -f and -x select fewer",
		100 * (double)seen->probe_ns / (double)seen->ns);
	return text;
}
