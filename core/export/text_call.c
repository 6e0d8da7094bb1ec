// SPDX-License-Identifier: BSD-2-Clause
#include <inttypes.h>

#include "export/report.h"

bool report_wants_call(const struct report *rep, const struct call *c)
{
	const struct report_options *o = rep->opt;
	uint64_t at_ns = c->start_ns - rep->totals->first_ns;

	return c->end_ns && (!o->goid || c->goid == o->goid) && at_ns >= o->from_ns && (!o->to_ns || at_ns < o->to_ns) &&
	       c->end_ns - c->start_ns >= o->min_ns;
}

static const char *mark(const struct call *c)
{
	static const char *const plain[] = {
		[CALL_FINISHED] = "", [CALL_UNWOUND] = "  (unwound)", [CALL_UNFINISHED] = "  (unfinished)",
		[CALL_TAIL] = "  (tail)", [CALL_INFERRED] = "  (suspect: end not seen)",
	};

	return c->suspect && c->end == CALL_FINISHED ? "  (suspect)" : plain[c->end];
}

/* In the order in which the calls began; the goroutine's number says whose line it is. */
int text_calls(const struct report *rep, FILE *out)
{
	uint64_t shown = 0, cut = 0;

	fprintf(out, "%10s %14s %8s  CALL\n", "GOROUTINE", "START", "DURATION");
	for (size_t i = 0; i < rep->calls.n; i++) {
		const struct call *c = &rep->calls.slots[i];
		uint64_t at_ns = c->start_ns - rep->totals->first_ns;

		if (!report_wants_call(rep, c))
			continue;
		if (rep->opt->limit && shown == rep->opt->limit) {
			cut++;
			continue;
		}
		shown++;
		fprintf(out, "%10" PRIu64 " %4" PRIu64 ".%09" PRIu64 " %8s  %*s%s%s%s\n", c->goid,
			at_ns / 1000000000, at_ns % 1000000000, HUMAN(c->end_ns - c->start_ns), (int)(2 * c->level), "",
			report_name(rep, c->func), c->system ? "  (system stack)" : "", mark(c));
	}
	if (cut)
		fprintf(out, "%" PRIu64 " more calls (-n 0 shows all; --goid, --from, --to, --min choose)\n", cut);
	return 0;
}
