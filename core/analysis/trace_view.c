// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/trace_view.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/log.h"
#include "base/text_format.h"

/* "main.F[...]" of "main.F[int,go.shape.*]" in buf; false: it is no generic. */
static bool all_instances(const char *name, char *buf, size_t size)
{
	const char *from = strchr(name, '['), *to = from ? strrchr(name, ']') : NULL;

	if (!to || to < from)
		return false;
	return (size_t)snprintf(buf, size, "%.*s[...]%s", (int)(from - name), name, to + 1) < size;
}

static bool matches(const char *glob, const char *name)
{
	char generic[4096];

	return glob_match(glob, name) ||
	       (all_instances(name, generic, sizeof(generic)) && glob_match(glob, generic));
}

/* Names that hold the last word of a glob. */
static void suggest(const char *option, const char *glob, const struct trace_info *info)
{
	char word[256], list[512] = "";
	const char *from = glob;
	size_t n = 0;

	for (const char *s = glob; *s && *s != '{'; s++)
		if ((*s == '.' || *s == '/' || *s == '*') && s[1] && s[1] != '*')
			from = s + 1;
	snprintf(word, sizeof(word), "*%.*s*", (int)strcspn(from, "*?{"), from);
	for (size_t i = 0; i < info->n_funcs && n < 4; i++)
		if (glob_match(word, info->funcs[i].name)) {
			strncat(list, n++ ? ", " : "", sizeof(list) - strlen(list) - 1);
			strncat(list, info->funcs[i].name, sizeof(list) - strlen(list) - 1);
		}
	if (n)
		log_error("%s: no function of this trace matches '%s'; there are: %s", option, glob,
			  list);
	else
		log_error(
			"%s: no function of this trace matches '%s'; 'gotrace report -n 0' lists those that ran",
			option, glob);
}

static bool any_matches(const char *glob, uint8_t bit, const struct trace_info *info,
			uint8_t *funcs)
{
	bool any = false;

	for (size_t i = 0; i < info->n_funcs; i++)
		if (matches(glob, info->funcs[i].name)) {
			funcs[i] |= bit;
			any = true;
		}
	return any;
}

int trace_view_mark(const char *option, const char *const *globs, size_t n, uint8_t bit,
		    const struct trace_info *info, uint8_t *funcs)
{
	for (size_t g = 0; g < n; g++) {
		if (!any_matches(globs[g], bit, info, funcs)) {
			suggest(option, globs[g], info);
			return -ENOENT;
		}
	}
	return 0;
}

static int mark_all(const struct trace_view *v, const struct trace_info *info, uint8_t *funcs)
{
	int err = trace_view_mark("--focus", v->focus, v->n_focus, VIEW_FOCUS, info, funcs);

	return err ? err
		   : trace_view_mark("--ignore", v->ignore, v->n_ignore, VIEW_IGNORE, info, funcs);
}

static uint8_t matched(const char *const *globs, size_t n, uint8_t bit, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (matches(globs[i], name))
			return bit;
	return 0;
}

/* Of a row that --key has just made. */
static uint8_t row_view(void *ctx, uint32_t row)
{
	const struct trace_view_rows *r = ctx;
	const char *name = row < r->info->n_funcs ? r->info->funcs[row].name : "";

	return matched(r->view->focus, r->view->n_focus, VIEW_FOCUS, name) |
	       matched(r->view->ignore, r->view->n_ignore, VIEW_IGNORE, name);
}

int trace_view_compile(const struct trace_view *v, const struct trace_info *info,
		       struct trace_view_rows *rows, struct model_view *to)
{
	uint8_t *funcs = NULL;
	int err = 0;

	if (v->n_focus || v->n_ignore) {
		funcs = calloc(info->n_funcs + 1, sizeof(*funcs));
		err = funcs ? 0 : -ENOMEM;
	}
	if (!err && !rows)
		err = mark_all(v, info, funcs);
	for (size_t i = 0; !err && rows && i < v->n_focus; i++)
		any_matches(v->focus[i], VIEW_FOCUS, info, funcs);
	for (size_t i = 0; !err && rows && i < v->n_ignore; i++)
		any_matches(v->ignore[i], VIEW_IGNORE, info, funcs);
	*to = (struct model_view){ .funcs = funcs,
				   .focus = v->n_focus > 0,
				   .goids = v->goids,
				   .n_goids = v->n_goids,
				   .later = v->from_ns > 0,
				   .row = rows ? row_view : NULL,
				   .row_ctx = rows };
	if (rows)
		*rows = (struct trace_view_rows){ v, info };
	return err;
}

int trace_view_check(const struct trace_view *v, const struct trace_info *info)
{
	uint8_t *funcs = calloc(info->n_funcs + 1, sizeof(*funcs));
	int err = funcs ? mark_all(v, info, funcs) : -ENOMEM;

	free(funcs);
	return err;
}

/* "0.5s": exact, unlike human_ns. */
static const char *seconds(uint64_t ns, char buf[32])
{
	size_t n = (size_t)snprintf(buf, 31, "%" PRIu64 ".%09" PRIu64, ns / 1000000000,
				    ns % 1000000000);

	while (buf[n - 1] == '0')
		n--;
	n -= buf[n - 1] == '.';
	strcpy(buf + n, "s");
	return buf;
}

static void add(char buf[TRACE_VIEW_BYTES], const char *option, const char *value)
{
	size_t n = strlen(buf);

	snprintf(buf + n, TRACE_VIEW_BYTES - n, "%s%s %s", n ? ", " : "", option, value);
}

const char *trace_view_say(const struct trace_view *v, char buf[TRACE_VIEW_BYTES])
{
	char number[32], list[128] = "";

	buf[0] = '\0';
	for (size_t i = 0; i < v->n_focus; i++)
		add(buf, "--focus", v->focus[i]);
	for (size_t i = 0; i < v->n_ignore; i++)
		add(buf, "--ignore", v->ignore[i]);
	for (size_t i = 0; i < v->n_goids; i++) {
		size_t n = strlen(list);

		snprintf(list + n, sizeof(list) - n, "%s%" PRIu64, n ? "," : "", v->goids[i]);
	}
	if (v->n_goids)
		add(buf, "--goid", list);
	for (size_t i = 0; i < v->n_processes; i++)
		add(buf, "--process", v->processes[i]);
	if (v->from_ns)
		add(buf, "--from", seconds(v->from_ns, number));
	if (v->to_ns)
		add(buf, "--to", seconds(v->to_ns, number));
	return buf;
}

int trace_view_too_late(const struct trace_view *v, uint64_t span_ns, const char *first)
{
	char from[32];

	log_error("--from %s: the trace ends %s after its first %s", seconds(v->from_ns, from),
		  HUMAN(span_ns), first);
	return -ENOENT;
}
