// SPDX-License-Identifier: BSD-2-Clause
#include "cli/selection.h"

#include <stdlib.h>
#include <string.h>

#include "cli/args.h"
#include "plan/presets.h"

enum {
	OPT_WRAPPERS = 0x100,
	OPT_PROBE,
	OPT_STUB,
	OPT_WAITS,
	OPT_NET,
	OPT_DB,
	OPT_ARGS,
	OPT_RET,
	OPT_KEY,
	OPT_TRAPS
};

static const struct argp_option options[] = {
	{ "package", 'p', "PKG", 0,
	  "Select functions of package PKG and those below it; 'all' is every package but the "
	  "runtime's own. The default is main and the packages of the main module. Repeatable",
	  10 },
	{ "function", 'f', "GLOB", 0,
	  "Select functions whose full name matches GLOB ('*' and '?' only; 'F[...]' names all "
	  "instances of a generic), in addition to -p. Repeatable",
	  10 },
	{ "exclude", 'x', "GLOB", 0, "Leave out functions that match GLOB. Repeatable", 10 },
	{ "waits", OPT_WAITS, NULL, 0,
	  "Also select functions where goroutines wait: select, channels, mutexes, semaphores, "
	  "sleep, network and system calls",
	  10 },
	{ "net", OPT_NET, NULL, 0,
	  "Also select package net and those below, crypto/tls, x/net and grpc", 10 },
	{ "db", OPT_DB, NULL, 0,
	  "Also select functions of database/sql and of clients of common databases, and methods "
	  "of drivers that database/sql calls",
	  10 },
	{ "wrappers", OPT_WRAPPERS, NULL, 0,
	  "Also select method wrappers, equality and hash functions made by the compiler", 10 },
	{ "args", OPT_ARGS, "FUNC(ARG,...)", 0,
	  "Record these arguments with each call of FUNC, which is traced, too. ARG is NAME, a "
	  "field as in r.URL.Path, or *POINTER; without a list gotrace records all that it can "
	  "read. Without DWARF, ARG is a register's number, as in %0, %1:string. Repeatable",
	  10 },
	{ "key", OPT_KEY, "FUNC(ARG)", 0,
	  "Record ARG like --args, and show calls of FUNC in reports by its value, as FUNC{VALUE}. "
	  "Repeatable",
	  10 },
	{ "ret", OPT_RET, "FUNC(RESULT,...)", 0,
	  "Record these results with each call of FUNC, by name or number; without a list gotrace "
	  "records all that it can read. Repeatable",
	  10 },
	{ "probe", OPT_PROBE, "STRATEGY", 0,
	  "Strategy of probing: auto (default: inline, and with --pid nothing else), inline, "
	  "springboard, emulated or thesis",
	  11 },
	{ "traps", OPT_TRAPS, NULL, 0,
	  "With --pid, also record functions that a stub cannot record in a running process. Each "
	  "of their calls costs microseconds",
	  11 },
	{ "stub", OPT_STUB, "KIND", 0,
	  "The instruction that springboard probes in its stubs: jump (default), nop or auto. nop "
	  "is cheaper where the kernel turns nops into system calls, but the program's own "
	  "profiles and SIGQUIT traces show unknown code. auto takes nop if it was measured to be "
	  "cheaper",
	  11 },
	{ 0 },
};

/* Each pattern becomes a key of the trace, which has room for a few thousand keys. */
#define PATTERNS_MAX 1000

static void append(struct argp_state *state, const char *const **list, size_t *n, const char *item)
{
	if (*n == PATTERNS_MAX)
		arg_error(state, "more than %d patterns of one kind", PATTERNS_MAX);
	const char **grown = realloc((void *)*list, (*n + 1) * sizeof(*grown));

	if (!grown) {
		perror("gotrace");
		exit(1);
	}
	grown[(*n)++] = item;
	*list = grown;
}

/* FUNCTION(ARGUMENT). A method's name has parentheses of its own: main.(*T).f(x). */
static bool is_of_one_argument(const char *key)
{
	const char *open = strrchr(key, '(');

	return open && open != key && !strchr(open, ',') && open[1] != ')' &&
	       key[strlen(key) - 1] == ')';
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	static const char *const stubs[] = { "jump", "nop", "auto", NULL };
	struct selection *s = state->input;

	switch (key) {
	case 'p':
		append(state, &s->plan.packages, &s->plan.n_packages, arg);
		return 0;
	case 'f':
		append(state, &s->plan.globs, &s->plan.n_globs, arg);
		return 0;
	case 'x':
		append(state, &s->plan.excludes, &s->plan.n_excludes, arg);
		return 0;
	case OPT_ARGS:
		append(state, &s->plan.args, &s->plan.n_args, arg);
		return 0;
	case OPT_KEY:
		if (!is_of_one_argument(arg))
			arg_error(state, "--key: '%s' is not FUNCTION(ARGUMENT), of one argument",
				  arg);
		append(state, &s->plan.args, &s->plan.n_args, arg);
		append(state, &s->keys, &s->n_keys, arg);
		return 0;
	case OPT_RET:
		if (!strcmp(arg, "auto") || !strcmp(arg, "step"))
			s->step_rets = !strcmp(arg, "step"); /* what --rets was called */
		else
			append(state, &s->plan.rets, &s->plan.n_rets, arg);
		return 0;
	case OPT_TRAPS:
		s->plan.traps = true;
		return 0;
	case OPT_WRAPPERS:
		s->plan.wrappers = true;
		return 0;
	case OPT_WAITS:
		s->plan.presets |= PRESET_WAITS;
		return 0;
	case OPT_NET:
		s->plan.presets |= PRESET_NET;
		return 0;
	case OPT_DB:
		s->plan.presets |= PRESET_DB;
		return 0;
	case OPT_PROBE:
		if (probe_strategy_parse(arg, &s->plan.strategy))
			arg_error(
				state,
				"there is no probe strategy '%s'; there are auto, inline, springboard, emulated and thesis",
				arg);
		return 0;
	case OPT_STUB:
		s->stub = (enum stub_choice)arg_choice(state, "kind of stub", arg, stubs);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp selection_argp = { options, parse, NULL, NULL, NULL, NULL, NULL };

void selection_free(struct selection *s)
{
	free((void *)s->plan.packages);
	free((void *)s->plan.globs);
	free((void *)s->plan.excludes);
	free((void *)s->plan.args);
	free((void *)s->plan.rets);
	free((void *)s->keys);
}
