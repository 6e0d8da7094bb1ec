// SPDX-License-Identifier: BSD-2-Clause
#include "attach/trap_limit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"

int trap_limit_open(struct trap_limit *l, size_t n_funcs)
{
	*l = (struct trap_limit){ .n_funcs = n_funcs };
	l->begin_ns = calloc(n_funcs + 1, sizeof(*l->begin_ns));
	l->chosen = calloc(n_funcs + 1, sizeof(*l->chosen));
	return l->begin_ns && l->chosen ? 0 : -ENOMEM;
}

void trap_limit_close(struct trap_limit *l)
{
	free(l->begin_ns);
	free(l->chosen);
	*l = (struct trap_limit){ 0 };
}

static int costliest_first(const void *x, const void *y)
{
	const struct release *a = x, *b = y;
	int c = compare_u64(b->probe_ns, a->probe_ns);

	return c ? c : compare_u64(a->func, b->func);
}

static void begin_span(struct trap_limit *l, uint64_t now_ns, uint64_t cpu_ns,
		       const uint64_t *trap_ns)
{
	memcpy(l->begin_ns, trap_ns, l->n_funcs * sizeof(*trap_ns));
	l->begin_at_ns = now_ns;
	l->begin_cpu_ns = cpu_ns;
}

void trap_limit_restart(struct trap_limit *l)
{
	l->restart = true;
}

size_t trap_limit_choose(struct trap_limit *l, uint64_t now_ns, uint64_t cpu_ns,
			 const uint64_t *trap_ns, const bool *keep, struct release *out)
{
	const uint64_t span_ns = cpu_ns - l->begin_cpu_ns;
	size_t n = 0, chosen = 0;
	uint64_t left_ns = 0;

	if (l->restart) {
		l->restart = false;
		begin_span(l, now_ns, cpu_ns, trap_ns);
		return 0;
	}
	for (uint32_t i = 0; i < l->n_funcs; i++) {
		uint64_t ns = trap_ns[i] > l->begin_ns[i] ? trap_ns[i] - l->begin_ns[i] : 0;

		if (!ns || l->chosen[i] || (keep && keep[i]))
			continue;
		out[n++] = (struct release){ i, ns, span_ns };
		left_ns += ns;
	}
	if (n)
		qsort(out, n, sizeof(*out), costliest_first);
	while (chosen < n && left_ns > TRAP_LIMIT_FELT_NS) {
		const uint64_t ns = out[chosen].probe_ns;
		const bool one = ns > TRAP_LIMIT_FELT_NS &&
				 (double)ns > TRAP_LIMIT_ONE * (double)span_ns;

		if (!one && (double)left_ns <= TRAP_LIMIT_ALL * (double)span_ns)
			break;
		left_ns -= ns;
		l->chosen[out[chosen++].func] = true;
	}
	if (!l->begin_at_ns) /* the first look */
		l->begin_at_ns = now_ns;
	if (span_ns >= TRAP_LIMIT_SPAN_NS || now_ns - l->begin_at_ns >= TRAP_LIMIT_LAST_NS)
		begin_span(l, now_ns, cpu_ns, trap_ns);
	return chosen;
}
