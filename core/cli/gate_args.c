// SPDX-License-Identifier: BSD-2-Clause
#include "cli/gate_args.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "cli/args.h"
#include "plan/name_suggest.h"
#include "plan/func_glob.h"
#include "trace/keys.h"

enum { OPT_DEPTH = 0x300, OPT_TRIGGER, OPT_ONE_IN, OPT_TOGGLE };

static const struct argp_option options[] = {
	{ "depth", OPT_DEPTH, "N", 0,
	  "Do not record calls inside N others on their goroutine; their time counts for the Nth "
	  "one",
	  1 },
	{ "trigger", OPT_TRIGGER, "GLOB", 0,
	  "Record goroutines only inside functions that match GLOB, and goroutines started there "
	  "with go. Such functions are probed even if not selected. Repeatable",
	  1 },
	{ "one-in", OPT_ONE_IN, "N", 0,
	  "With --trigger, record one of every N outermost calls, whole, with the goroutines that "
	  "it starts",
	  1 },
	{ "delay", 'D', "SECONDS", 0, "Begin to record after this time; -d counts from then on",
	  1 },
	{ "toggle", OPT_TOGGLE, "on|off", OPTION_ARG_OPTIONAL,
	  "SIGUSR2 to gotrace switches recording on and off. Recording begins switched off, with "
	  "--toggle=on switched on",
	  1 },
	{ 0 },
};

#define TRIGGERS_MAX 1000

static void add_trigger(struct gate_args *o, const char *glob, struct argp_state *state)
{
	if (o->n_triggers == TRIGGERS_MAX)
		arg_error(state, "more than %d patterns of one kind", TRIGGERS_MAX);
	const char **grown = realloc(o->triggers, (o->n_triggers + 1) * sizeof(*grown));

	if (!grown) {
		perror("gotrace");
		exit(1);
	}
	grown[o->n_triggers++] = glob;
	o->triggers = grown;
}

static void check_together(const struct gate_args *o, struct argp_state *state)
{
	if (o->one_in && !o->n_triggers)
		arg_error(state, "--one-in goes with --trigger, which names the calls");
	if (o->delay_ns && o->toggle)
		arg_error(state, "give either --delay or --toggle, not both");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	static const char *const states[] = { "off", "on", NULL };
	struct gate_args *o = state->input;
	uint64_t n;

	switch (key) {
	case OPT_DEPTH:
		n = arg_number(state, "--depth", arg);
		if (!n || n > UINT32_MAX)
			arg_error(state, "--depth: '%s' is not a number of calls, 1 or more", arg);
		o->depth = (uint32_t)n;
		return 0;
	case OPT_TRIGGER:
		add_trigger(o, arg, state);
		return 0;
	case OPT_ONE_IN:
		o->one_in = arg_number(state, "--one-in", arg);
		if (!o->one_in)
			arg_error(state, "--one-in: '%s' is not a number of calls, 1 or more", arg);
		return 0;
	case 'D':
		o->delay_ns = arg_duration(state, "--delay", arg, 1000000000);
		if (!o->delay_ns)
			arg_error(state, "--delay: '%s' is not a time such as 5 or 500ms", arg);
		return 0;
	case OPT_TOGGLE:
		o->toggle = true;
		o->toggle_on = arg && arg_choice(state, "--toggle", arg, states);
		return 0;
	case ARGP_KEY_END:
		check_together(o, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp gate_argp = { options, parse, NULL, NULL, NULL, NULL, NULL };

bool gate_args_any(const struct gate_args *o)
{
	return o->n_triggers || o->depth || o->one_in || o->delay_ns || o->toggle;
}

/* Why nothing that matches glob can be meant. */
static int none_probed(const char *option, const char *glob, const struct plan *plan,
		       const struct gobin *b)
{
	struct name_suggestions names = { .n = 0 };
	char list[512];

	for (size_t i = 0; i < plan->n_funcs; i++)
		if (func_glob_hits(glob, plan->funcs[i].name) > 0) {
			log_error("%s: %s cannot be probed ('gotrace plan' prints why)", option,
				  plan->funcs[i].name);
			return -ENOENT;
		}
	name_suggest_add(&names, glob, false, b);
	if (name_suggest_list(&names, list, sizeof(list)))
		log_error("%s: no function matches '%s'; similar names: %s", option, glob, list);
	else
		log_error(
			"%s: no function matches '%s'; 'gotrace plan --list -p all BINARY' lists all functions",
			option, glob);
	name_suggest_free(&names);
	return -ENOENT;
}

int gate_args_check_glob(const char *option, const char *glob, const struct plan *plan,
			 const struct gobin *b)
{
	for (size_t i = 0; i < plan->n_funcs; i++) {
		int hit = func_glob_hits(glob, plan->funcs[i].name);

		if (hit < 0)
			return hit;
		if (hit && plan->funcs[i].fate == PLAN_PROBED)
			return 0;
	}
	return none_probed(option, glob, plan, b);
}

int gate_args_check_plan(const struct gate_args *o, const struct plan *plan, const struct gobin *b)
{
	int err = 0;

	for (size_t t = 0; t < o->n_triggers && !err; t++)
		err = gate_args_check_glob("--trigger", o->triggers[t], plan, b);
	return err;
}

uint32_t gate_args_signals(const struct gate_args *o)
{
	return o->toggle ? 1u << SIGUSR2 : 0;
}

int gate_args_describe(const struct gate_args *o, struct trace_info *t)
{
	char key[64];
	int err = 0;

	for (size_t i = 0; i < o->n_triggers && !err; i++) {
		snprintf(key, sizeof(key), KEY_KEEP_TRIGGER ".%zu", i);
		err = trace_info_set(t, key, o->triggers[i]);
	}
	if (!err && o->depth)
		err = trace_info_setf(t, KEY_KEEP_DEPTH, "%" PRIu32, o->depth);
	if (!err && o->one_in)
		err = trace_info_setf(t, KEY_KEEP_ONE_IN, "%" PRIu64, o->one_in);
	if (!err && o->delay_ns)
		err = trace_info_setf(t, KEY_KEEP_DELAY_NS, "%" PRIu64, o->delay_ns);
	if (!err && o->toggle)
		err = trace_info_set(t, KEY_KEEP_TOGGLE, o->toggle_on ? "on" : "off");
	if (!err && (o->delay_ns || o->toggle))
		err = trace_info_set(t, KEY_KEEP_RESTS, "1");
	return err;
}

void gate_args_free(struct gate_args *o)
{
	free(o->triggers);
	o->triggers = NULL;
	o->n_triggers = 0;
}
