// SPDX-License-Identifier: BSD-2-Clause
#include "attach/progress.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/log.h"

void progress_show(const struct recording *r, uint64_t start_ns, bool last)
{
	struct collector_stats s = collector_stats(r->collector);
	double seconds = (clock_monotonic_ns() - start_ns) / 1e9;

	if (!r->given->show_progress)
		return;
	char line[128];
	int n = snprintf(line, sizeof(line), "%llu events, %.0f/s, %.1f MB",
			 (unsigned long long)s.events, seconds > 0 ? s.events / seconds : 0,
			 s.bytes / 1e6);

	if (s.lost_events)
		snprintf(line + n, sizeof(line) - (size_t)n, ", %llu lost",
			 (unsigned long long)s.lost_events);
	log_progress(last ? NULL : line);
}

void progress_advise(struct recording *r)
{
	char text[LOAD_TEXT_BYTES];
	uint64_t cpu_ns = target_cpu_ns(r->target);
	const struct cpu_samples_seen seen = cpu_samples_seen(&r->cpu_samples);
	const char *said = NULL;

	if (r->given->advise && cpu_ns > r->times.cpu_before_ns)
		said = load_watch_look(&r->load, clock_monotonic_ns(),
				       cpu_ns - r->times.cpu_before_ns, text);
	if (!said && r->given->advise && !r->given->max_cost)
		said = load_watch_all(&r->load, &seen, text);
	if (said)
		log_warn("%s", said);
}
