// SPDX-License-Identifier: BSD-2-Clause
#include "attach/release_news.h"

#include <stdio.h>

#define APART_NS 1000000000ull

static void note_costly(struct release_news *news, const struct release *x)
{
	unsigned at = RELEASE_NEWS_NAMES;

	while (at && news->costliest_ns[at - 1] < x->probe_ns)
		at--;
	if (at == RELEASE_NEWS_NAMES)
		return;
	for (unsigned i = RELEASE_NEWS_NAMES - 1; i > at; i--) {
		news->costliest[i] = news->costliest[i - 1];
		news->costliest_ns[i] = news->costliest_ns[i - 1];
	}
	news->costliest[at] = x->func;
	news->costliest_ns[at] = x->probe_ns;
}

void release_news_add(struct release_news *news, const struct release *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		note_costly(news, &list[i]);
		news->probe_ns += list[i].probe_ns;
	}
	news->n += n;
	news->cpu_ns += n ? list[0].cpu_ns : 0;
}

const char *release_news_text(struct release_news *news, const struct plan *plan, double max_share,
			      uint64_t now_ns, bool last, char text[RELEASE_NEWS_BYTES])
{
	const bool again = news->said_ns != 0;

	if (!news->n || (again && !last && now_ns - news->said_ns < APART_NS))
		return NULL;
	const size_t named = news->n < RELEASE_NEWS_NAMES ? news->n : RELEASE_NEWS_NAMES;
	double percent = news->cpu_ns ? 100.0 * (double)news->probe_ns / (double)news->cpu_ns : 100;
	FILE *out = fmemopen(text, RELEASE_NEWS_BYTES, "w");

	if (!out)
		return NULL;
	fputs("released ", out);
	if (news->n > named)
		fprintf(out, "%zu %sfunctions: ", news->n, again ? "more " : "");
	for (size_t i = 0; i < named; i++)
		fprintf(out, "%s%s", i ? ", " : "", plan->funcs[news->costliest[i]].name);
	if (news->n > named)
		fputs(" ...", out);
	fprintf(out, "; %s %s took about %.0f%% of the processor time (--max-cost=",
		news->n > 1 ? "their" : "its", max_share > 0 ? "probes" : "traps",
		percent < 100 ? percent : 100);
	if (max_share > 0)
		fprintf(out, "%g%%)", 100 * max_share);
	else
		fprintf(out, "off keeps %s)", news->n > 1 ? "them" : "it");
	fputs("; calls from here on are not recorded", out);
	fclose(out);
	text[RELEASE_NEWS_BYTES - 1] = '\0';
	*news = (struct release_news){ .said_ns = now_ns };
	return text;
}
