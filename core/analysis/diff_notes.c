// SPDX-License-Identifier: BSD-2-Clause
/* What makes two traces differ for other reasons than the program: said, never refused. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "analysis/diff.h"
#include "trace/keys.h"

static const char side_name[] = { 'A', 'B' };

static __attribute__((format(printf, 2, 3))) int note(struct diff *d, const char *fmt, ...)
{
	va_list ap;
	int err = vec_reserve(&d->notes, &d->cap_notes, d->n_notes + 1);

	if (err)
		return err;
	va_start(ap, fmt);
	if (vasprintf(&d->notes[d->n_notes], fmt, ap) < 0)
		err = -ENOMEM;
	else
		d->n_notes++;
	va_end(ap);
	return err;
}

static const char *value(const struct diff *d, unsigned side, const char *key)
{
	return trace_info_get(d->side[side].info, key);
}

static int compare_keys(struct diff *d)
{
	static const struct {
		const char *key, *what;
	} keys[] = {
		{ KEY_BINARY_PATH, "binaries at different paths" },
		{ KEY_GO_VERSION, "different Go versions" },
		{ KEY_PROBE_STRATEGY, "different probe strategies" },
		{ KEY_HOST_KERNEL, "different kernels" },
		{ KEY_HOST_CPU, "different processors" },
		{ KEY_HOST_CPUS, "different numbers of CPUs" },
	};
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *a = value(d, 0, keys[i].key), *b = value(d, 1, keys[i].key);

		if (a && b && strcmp(a, b))
			err = note(d, "%s: A %s, B %s", keys[i].what, a, b);
	}
	return err;
}

/* The options that made the selection, as they were given; to be freed. */
static char *selection(const struct trace_info *info)
{
	static const struct {
		const char *prefix, *option;
	} kinds[] = {
		{ KEY_SELECT_PACKAGE ".", "-p " },
		{ KEY_SELECT_FUNCTION ".", "-f " },
		{ KEY_SELECT_EXCLUDE ".", "-x " },
		{ KEY_SELECT_WRAPPERS, "--wrappers" },
	};
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
		for (size_t i = 0; i < info->n_kvs; i++) {
			const struct trace_kv *kv = &info->kvs[i];

			if (strncmp(kv->key, kinds[k].prefix, strlen(kinds[k].prefix)))
				continue;
			fprintf(out, "%s%s%s", ftell(out) ? " " : "", kinds[k].option,
				kinds[k].option[1] == '-' ? "" : kv->value);
		}
	if (!ftell(out))
		fputs("the default", out);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

static int compare_selections(struct diff *d)
{
	char *a = selection(d->side[0].info), *b = selection(d->side[1].info);
	int err = a && b ? 0 : -ENOMEM;

	if (!err && strcmp(a, b))
		err = note(d, "different selections: A %s, B %s", a, b);
	free(a);
	free(b);
	return err;
}

/* How the trace of one side falls short of the run that it is of. */
static int look_at(struct diff *d, unsigned side)
{
	static const struct {
		const char *reason, *by;
	} early[] = {
		{ REASON_DURATION, "--duration" },
		{ REASON_SIZE, "--max-size" },
		{ REASON_INTERRUPTED, "a signal to gotrace" },
		{ REASON_WRITE_ERROR, "an error of writing" },
	};
	const struct report *rep = &d->side[side];
	const struct model_totals *t = rep->totals;
	const char *reason = value(d, side, KEY_END_REASON);
	char name = side_name[side];
	int err = 0;

	if (!rep->complete)
		err = note(d, "%c is incomplete: it has no end record", name);
	for (size_t i = 0; !err && i < sizeof(early) / sizeof(early[0]); i++)
		if (reason && !strcmp(reason, early[i].reason))
			err = note(d, "recording of %c was ended by %s before the program ended",
				   name, early[i].by);
	if (!err && t->lost_events)
		err = note(d, "%c lost %" PRIu64 " event%s: it has fewer calls than there were",
			   name, t->lost_events, plural(t->lost_events));
	if (!err && t->suspect_calls)
		err = note(d, "%c has %" PRIu64 " suspect call%s, %.2f%% of its time", name,
			   t->suspect_calls, plural(t->suspect_calls),
			   share_pct(t->suspect_ns, t->root_ns));
	if (!err && d->opt->by == BY_PATH && t->folded_nodes)
		err = note(d,
			   "the tree of paths of %c is full: %" PRIu64 " calls stand under [other]",
			   name, report_other_calls(rep));
	return err;
}

/* Times hold what measuring cost; where that differs much, so do they. */
static int compare_costs(struct diff *d)
{
	static const struct {
		const char *key, *what;
	} costs[] = {
		{ KEY_COST_EMULATED_NS, "an emulated probe" },
		{ KEY_COST_STEP_NS, "a single-stepped probe" },
	};
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(costs) / sizeof(costs[0]); i++) {
		uint64_t a = trace_info_u64(d->side[0].info, costs[i].key, 0);
		uint64_t b = trace_info_u64(d->side[1].info, costs[i].key, 0);

		if (a && b && (a > b + b / 2 || b > a + a / 2))
			err = note(d, "%s cost A %s, B %s an event", costs[i].what, HUMAN(a),
				   HUMAN(b));
	}
	return err;
}

int diff_find_notes(struct diff *d)
{
	int err = compare_keys(d);

	if (!err)
		err = compare_selections(d);
	for (unsigned s = 0; !err && s < 2; s++)
		err = look_at(d, s);
	return err ? err : compare_costs(d);
}
