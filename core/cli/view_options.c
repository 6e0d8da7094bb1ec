// SPDX-License-Identifier: BSD-2-Clause
#include "cli/view_options.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "cli/args.h"

#define SECOND_NS 1000000000ull

enum {
	KEY_FOCUS = 0x400,
	KEY_IGNORE,
	KEY_GOID,
	KEY_FROM,
	KEY_TO,
	KEY_KEY,
	KEY_PROCESS,
	KEY_SERVICE,
	KEY_LABEL,
	KEY_PARKED,
	KEY_REQUEST
};

static const struct argp_option view_option_list[] = {
	{ "focus", KEY_FOCUS, "GLOB", 0,
	  "only functions that match, and everything below them. Repeatable; any GLOB may match",
	  3 },
	{ "ignore", KEY_IGNORE, "GLOB", 0,
	  "leave out functions that match, and everything below them. Repeatable", 3 },
	{ "goid", KEY_GOID, "N[,N]", 0, "only these goroutines. Repeatable", 3 },
	{ "process", KEY_PROCESS, "GLOB", 0,
	  "only samples of processes whose number, name or executable matches any GLOB. Repeatable",
	  3 },
	{ "from", KEY_FROM, "SECONDS", 0,
	  "only from this time on, since the trace's first event. A store of gotrace agent also "
	  "takes a moment: -1h, 03:00, 2026-11-25T03:00",
	  3 },
	{ "to", KEY_TO, "SECONDS", 0, "only up to this time", 3 },
	{ "service", KEY_SERVICE, "NAME", 0, "only this service of a store of gotrace agent", 3 },
	{ "label", KEY_LABEL, "NAME=VALUE", 0,
	  "only profiles of such a store with this label. Repeatable; all labels must match", 3 },
	{ "parked", KEY_PARKED, NULL, 0,
	  "in text and pages, also count the waits of parked goroutines, which waited in one place "
	  "for nearly all of their life. Without this option a line prints how many are left out. "
	  "Folded stacks and pprof mark them; other formats count them always",
	  4 },
	{ "request", KEY_REQUEST, "GLOB", 0,
	  "in the report by function and in pages, make the answer about calls of the function "
	  "that matches. The default is the function that takes most time of those that are called "
	  "again and again",
	  4 },
	{ "key", KEY_KEY, "FUNC(ARG)", 0,
	  "show calls of FUNC by the value of a recorded argument (record --args), as FUNC{VALUE}. "
	  "'none' undoes record --key. Repeatable",
	  4 },
	{ 0 },
};

static void no_memory(int err)
{
	if (err) {
		perror("gotrace");
		exit(1);
	}
}

static void add_goids(struct argp_state *state, struct view_options *o, const char *arg)
{
	char *list = strdup(arg), *rest = list, *word;

	no_memory(!list);
	while ((word = strsep(&rest, ","))) {
		no_memory(vec_reserve(&o->goids, &o->cap_goids, o->view.n_goids + 1));
		o->goids[o->view.n_goids++] = arg_number(state, "--goid", word);
	}
	o->view.goids = o->goids;
	free(list);
}

void view_options_add_label(struct argp_state *state, struct view_options *o, const char *arg)
{
	const char *equals = strchr(arg, '=');
	char *name = equals ? strndup(arg, (size_t)(equals - arg)) : NULL;

	if (!equals || equals == arg)
		arg_error(state, "--label takes NAME=VALUE, not '%s'", arg);
	no_memory(!name || pairs_add(&o->labels, name, equals + 1));
	free(name);
}

/* "-1h", "03:00", "2026-11-25": no number of seconds. */
static bool is_moment(const char *s)
{
	return *s == '-' || strchr(s, ':') || (*s && strchr(s + 1, '-'));
}

static error_t parse_view(int key, char *arg, struct argp_state *state)
{
	struct view_options *o = state->input;
	struct trace_view *v = &o->view;

	switch (key) {
	case KEY_FOCUS:
		no_memory(vec_reserve(&o->focus, &o->cap_focus, v->n_focus + 1));
		o->focus[v->n_focus++] = arg;
		v->focus = o->focus;
		return 0;
	case KEY_IGNORE:
		no_memory(vec_reserve(&o->ignore, &o->cap_ignore, v->n_ignore + 1));
		o->ignore[v->n_ignore++] = arg;
		v->ignore = o->ignore;
		return 0;
	case KEY_GOID:
		add_goids(state, o, arg);
		return 0;
	case KEY_PROCESS:
		no_memory(vec_reserve(&o->processes, &o->cap_processes, v->n_processes + 1));
		o->processes[v->n_processes++] = arg;
		v->processes = o->processes;
		return 0;
	case KEY_KEY:
		no_memory(vec_reserve(&o->keys, &o->cap_keys, v->n_keys + 1));
		o->keys[v->n_keys++] = arg;
		v->keys = o->keys;
		return 0;
	case KEY_PARKED:
		o->parked = v->parked = true;
		return 0;
	case KEY_REQUEST:
		v->request = arg;
		return 0;
	case KEY_SERVICE:
		o->service = arg;
		return 0;
	case KEY_LABEL:
		view_options_add_label(state, o, arg);
		return 0;
	case KEY_FROM:
		if (is_moment(arg))
			o->from_text = arg;
		else
			v->from_ns = arg_duration(state, "--from", arg, SECOND_NS);
		return 0;
	case KEY_TO:
		if (is_moment(arg))
			o->to_text = arg;
		else
			v->to_ns = arg_duration(state, "--to", arg, SECOND_NS);
		return 0;
	case ARGP_KEY_END:
		if (v->to_ns && v->to_ns <= v->from_ns)
			arg_error(state, "--to is not after --from");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp view_argp = { view_option_list, parse_view, NULL, NULL, NULL, NULL, NULL };

void view_options_free(struct view_options *o)
{
	free(o->focus);
	free(o->ignore);
	free(o->keys);
	free(o->processes);
	pairs_free(&o->labels);
	free(o->goids);
}
