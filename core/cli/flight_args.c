// SPDX-License-Identifier: BSD-2-Clause
#include "cli/flight_args.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "cli/args.h"
#include "trace/keys.h"

enum { OPT_KEEP_LAST = 0x500, OPT_WHEN, OPT_TIMES };

static const struct argp_option options[] = {
	{ "keep-last", OPT_KEEP_LAST, "TIME|SIZE", 0,
	  "Keep only the last 60s, or 200M, or 60s,200M of the events, in memory. gotrace writes "
	  "them when recording ends. On SIGUSR1 it writes them to FILE.1, FILE.2, ... while "
	  "recording goes on",
	  1 },
	{ "when", OPT_WHEN, "'GLOB > TIME'", 0,
	  "With --keep-last, write the events and end recording when a call of a function that "
	  "matches GLOB takes longer, as 'main.handle > 500ms'",
	  1 },
	{ "times", OPT_TIMES, "N", 0,
	  "With --when, write so many traces, FILE.1, FILE.2, ...; the Nth ends recording and is "
	  "FILE (default 1)",
	  1 },
	{ 0 },
};

#define LEAST_BYTES (1u << 20)

/* One of "60s" and "200M". */
static bool parse_limit(const char *s, struct flight_args *o)
{
	size_t n = strlen(s);
	/* 60m are minutes, 60M bytes; so are bare numbers. */
	bool size = n && strchr("KMG0123456789", s[n - 1]);

	if (!size && !parse_duration_ns(s, 1, &o->keep_ns) && o->keep_ns)
		return true;
	return !parse_size_bytes(s, &o->keep_bytes) && o->keep_bytes >= LEAST_BYTES;
}

static void parse_last(struct flight_args *o, const char *arg, struct argp_state *state)
{
	char words[64], *save, *w;
	bool ok = strlen(arg) < sizeof(words);

	o->last = arg;
	o->keep_ns = o->keep_bytes = 0;
	snprintf(words, sizeof(words), "%s", arg);
	w = strtok_r(words, ",", &save);
	ok = ok && w;
	for (; ok && w; w = strtok_r(NULL, ",", &save))
		ok = parse_limit(w, o);
	if (!ok)
		arg_error(
			state,
			"--keep-last: '%s' is not a time (60s), a size of 1M or more (200M) or both (60s,200M)",
			arg);
}

/* "main.handle > 500ms" */
static void parse_when(struct flight_args *o, const char *arg, struct argp_state *state)
{
	const char *sign = strrchr(arg, '>'), *time = sign ? sign + 1 : "", *end = sign;

	free(o->when_func);
	o->when_func = NULL;
	o->when = arg;
	while (*time == ' ')
		time++;
	while (end && end > arg && end[-1] == ' ')
		end--;
	while (*arg == ' ')
		arg++;
	size_t n = strlen(time);
	bool bare = !n || (time[n - 1] >= '0' && time[n - 1] <= '9');

	if (!sign || end <= arg || bare || parse_duration_ns(time, 1, &o->when_ns) || !o->when_ns)
		arg_error(state, "--when: '%s' is not FUNCTION > TIME, as 'main.handle > 500ms'",
			  o->when);
	o->when_func = strndup(arg, (size_t)(end - arg));
	if (!o->when_func) {
		perror("gotrace");
		exit(1);
	}
}

static void check_together(const struct flight_args *o, struct argp_state *state)
{
	if (o->when && !o->last)
		arg_error(state, "--when goes with --keep-last, whose events it writes");
	if (o->times && !o->when)
		arg_error(state, "--times goes with --when");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct flight_args *o = state->input;
	uint64_t n;

	switch (key) {
	case OPT_KEEP_LAST:
		parse_last(o, arg, state);
		return 0;
	case OPT_WHEN:
		parse_when(o, arg, state);
		return 0;
	case OPT_TIMES:
		n = arg_number(state, "--times", arg);
		if (!n || n > 1000000)
			arg_error(state, "--times: '%s' is not a number from 1 to a million", arg);
		o->times = (uint32_t)n;
		return 0;
	case ARGP_KEY_END:
		check_together(o, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp flight_argp = { options, parse, NULL, NULL, NULL, NULL, NULL };

int flight_args_describe(const struct flight_args *o, struct trace_info *t)
{
	int err = o->last ? trace_info_set(t, KEY_KEEP_LAST, o->last) : 0;

	return !err && o->when ? trace_info_set(t, KEY_KEEP_WHEN, o->when) : err;
}

uint32_t flight_args_signals(const struct flight_args *o)
{
	return o->last ? 1u << SIGUSR1 : 0;
}

void flight_args_free(struct flight_args *o)
{
	free(o->when_func);
	o->when_func = NULL;
}
