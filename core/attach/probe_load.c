// SPDX-License-Identifier: BSD-2-Clause
#include "attach/probe_load.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/shell_word.h"
#include "base/text_format.h"

/* What the cheapest event costs of which there are some; UINT64_MAX: none was measured. */
static uint64_t cheapest_ns(const struct plan *plan, const struct site_events *events,
			    const struct site_cost *costs, uint64_t inline_ns)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < plan->n_sites; i++) {
		uint64_t trap_ns = costs[i].trap_ns;

		if (events[i].inlined && inline_ns && inline_ns < least)
			least = inline_ns;
		if (events[i].trapped && trap_ns && trap_ns < least)
			least = trap_ns;
	}
	return least;
}

int probe_load_find(struct probe_load *l, const struct plan *plan, const struct site_events *events,
		    const struct site_cost *costs, uint64_t inline_ns)
{
	uint64_t least_ns = cheapest_ns(plan, events, costs, inline_ns);

	*l = (struct probe_load){ .plan = plan };
	l->funcs = calloc(plan->n_funcs + 1, sizeof(*l->funcs));
	if (!l->funcs)
		return -ENOMEM;
	for (size_t i = 0; i < plan->n_sites; i++) {
		const struct plan_site *s = &plan->sites[i];
		const struct site_events *e = &events[i];
		uint64_t ns = e->trapped * costs[i].trap_ns + e->inlined * inline_ns;

		l->events += e->trapped + e->inlined;
		l->ns += ns;
		if (costs[i].is_inline)
			l->inline_trapped += e->trapped;
		if (s->func == PLAN_NO_FUNC)
			continue;
		struct func_load *f = &l->funcs[s->func];

		f->events += e->trapped + e->inlined;
		f->ns += ns;
		if (costs[i].is_inline || costs[i].trap_ns / LOAD_COSTLY < least_ns)
			continue;
		f->costly_events += e->trapped;
		f->costly_ns += ns;
		l->costly_ns += ns;
	}
	return 0;
}

void probe_load_free(struct probe_load *l)
{
	free(l->funcs);
	*l = (struct probe_load){ 0 };
}

/* ---- sentences */

void probe_load_add_exclude(FILE *out, const char *name)
{
	fputs(" -x ", out);
	shell_word(out, name);
}

uint32_t probe_load_heavy(const struct probe_load *l, uint64_t cpu_ns)
{
	for (uint32_t i = 0; i < l->plan->n_funcs; i++)
		if (l->funcs[i].events > l->events / 2)
			return l->funcs[i].ns > LOAD_HEAVY * cpu_ns ? i : PLAN_NO_FUNC;
	return PLAN_NO_FUNC;
}

static FILE *text_open(char text[LOAD_TEXT_BYTES])
{
	text[0] = '\0';
	return fmemopen(text, LOAD_TEXT_BYTES, "w");
}

const char *probe_load_heavy_text(const struct probe_load *l, uint32_t func, uint64_t cpu_ns,
				  char text[LOAD_TEXT_BYTES])
{
	const struct func_load *f = &l->funcs[func];
	const char *name = l->plan->funcs[func].name;
	double share = 100.0 * f->ns / (cpu_ns ? cpu_ns : 1);
	FILE *out = text_open(text);

	if (!out)
		return NULL;
	fprintf(out,
		"%s makes %.0f%% of all events, and its probes take about %.0f%% of the program's "
		"processor time: leave it out with",
		name, 100.0 * f->events / l->events, share < 100 ? share : 100);
	probe_load_add_exclude(out, name);
	fclose(out);
	return text;
}

static bool taken(const uint32_t *top, unsigned n, uint32_t func)
{
	for (unsigned i = 0; i < n; i++)
		if (top[i] == func)
			return true;
	return false;
}

/* The heaviest functions by their costly sites, until what is left is not worth a name. How many.
 */
static unsigned take_costly(const struct probe_load *l, uint32_t top[LOAD_NAMES])
{
	uint64_t named_ns = 0;
	unsigned n = 0;

	while (n < LOAD_NAMES && named_ns < l->costly_ns - l->costly_ns / 10) {
		uint32_t best = PLAN_NO_FUNC;

		for (uint32_t i = 0; i < l->plan->n_funcs; i++) {
			uint64_t best_ns = best == PLAN_NO_FUNC ? 0 : l->funcs[best].costly_ns;

			if (l->funcs[i].costly_ns > best_ns && !taken(top, n, i))
				best = i;
		}
		if (best == PLAN_NO_FUNC)
			break;
		top[n++] = best;
		named_ns += l->funcs[best].costly_ns;
	}
	return n;
}

const char *probe_load_costly_text(const struct probe_load *l, uint64_t cpu_ns,
				   char text[LOAD_TEXT_BYTES])
{
	uint32_t top[LOAD_NAMES];

	if (l->costly_ns <= l->ns / 2 || l->costly_ns < LOAD_FELT * cpu_ns)
		return NULL;
	unsigned n = take_costly(l, top);
	FILE *out = n ? text_open(text) : NULL;

	if (!out)
		return NULL;
	fprintf(out,
		"%.0f%% of the time that probing took went into sites that could not be probed "
		"as cheaply as others: ",
		100.0 * l->costly_ns / l->ns);
	for (unsigned i = 0; i < n; i++) {
		const struct func_load *f = &l->funcs[top[i]];

		fprintf(out, "%s%s (%" PRIu64 " events of about %s)", i ? ", " : "",
			l->plan->funcs[top[i]].name, f->costly_events,
			HUMAN(f->costly_ns / f->costly_events));
	}
	fprintf(out, "; to leave %s out:", n > 1 ? "these functions" : "it");
	for (unsigned i = 0; i < n; i++)
		probe_load_add_exclude(out, l->plan->funcs[top[i]].name);
	fclose(out);
	return text;
}
