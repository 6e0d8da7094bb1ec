// SPDX-License-Identifier: BSD-2-Clause
/* Why stacks end before their root, when many do. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/samples/sample_notes.h"
#include "base/text_format.h"
#include "trace/keys.h"

#define MANY_PCT 5.0

/* Where the stack of a group ends: its file, "" where the code is in none. NULL: it is whole, or
 * the view leaves it out. */
static const char *ends_in(const struct loaded_samples *s, const struct sample_group *g)
{
	const struct sample_stack *x = &s->tables->stacks[g->stack];

	if (g->left_out || !(x->flags & STACK_UNREADABLE) || !x->n)
		return NULL;
	const uint32_t image = sample_tables_image_at(s->tables, x->process, x->pcs[x->n - 1]);

	if (image == TRACE_NONE || s->tables->images[image].kind == IMAGE_PERF_MAP)
		return "";
	return s->tables->images[image].path;
}

/* The only file that more than half of them can end in. */
static const char *candidate(const struct loaded_samples *s)
{
	const char *most = NULL;
	uint64_t lead = 0;

	for (size_t i = 0; i < s->n_groups; i++) {
		const char *file = ends_in(s, &s->groups[i]);
		const uint64_t n = s->groups[i].samples;

		if (!file)
			continue;
		if (most && !strcmp(most, file)) {
			lead += n;
		} else if (n > lead) {
			most = file;
			lead = n - lead;
		} else {
			lead -= n;
		}
	}
	return most;
}

static void say_where(const struct loaded_samples *s, char *to, size_t size)
{
	const char *file = candidate(s);
	uint64_t n = 0;

	*to = '\0';
	for (size_t i = 0; i < s->n_groups && file; i++) {
		const char *other = ends_in(s, &s->groups[i]);

		n += other && !strcmp(file, other) ? s->groups[i].samples : 0;
	}
	const double pct = share_pct(n, s->shown.unreadable);

	if (pct <= 50)
		return;
	if (*file) {
		size_t len;
		const char *name = sample_image_file(&(struct sample_image){ .path = file }, &len);

		snprintf(
			to, size,
			"; %.0f%% of them end in %.*s, whose tables do not say how its frames lie, or "
			"were not known yet",
			pct, len < 200 ? (int)len : 200, name);
	} else {
		snprintf(
			to, size,
			"; %.0f%% of them end in code that was made at run time, which can be walked "
			"if it keeps frame pointers (node --interpreted-frames-native-stack, java "
			"-XX:+PreserveFramePointer)",
			pct);
	}
}

void sample_unreadable(const struct loaded_trace *t, struct notes *to)
{
	const struct loaded_samples *s = t->samples;
	const uint64_t early = trace_info_u64(t->info, KEY_END_SAMPLES_EARLY, 0);
	const double pct = share_pct(s->shown.unreadable, s->shown.samples);
	char where[512], when[96] = "";

	if (!s->tables || pct < MANY_PCT)
		return;
	say_where(s, where, sizeof(where));
	if (early && !(t->view && t->view->n_processes))
		snprintf(when, sizeof(when),
			 "; %" PRIu64 " of them were taken before gotrace had read the process",
			 early);
	notes_add(
		to,
		"%.0f%% of the samples have callers that are missing, and are below [unreadable]%s%s",
		pct, where, when);
}
