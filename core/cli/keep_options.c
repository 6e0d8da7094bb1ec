// SPDX-License-Identifier: BSD-2-Clause
#include "cli/keep_options.h"

#include "base/units.h"
#include "cli/args.h"

enum { OPT_SUMMARY = 0x400, OPT_MIN_DURATION };

static const struct argp_option options[] = {
	{ "summary", OPT_SUMMARY, NULL, 0,
	  "Keep no single calls, only counts, sums and distributions by function and path. The "
	  "trace does not grow, however long it runs",
	  1 },
	{ "min-duration", OPT_MIN_DURATION, "TIME", 0,
	  "Keep single calls, and their callers, only if they last at least this long, such as "
	  "500us or 10ms. Shorter calls are in all counts and sums",
	  1 },
	{ 0 },
};

static void check_together(const struct keep_options *o, struct argp_state *state)
{
	if (o->summary && o->min_duration_ns)
		arg_error(state, "give either --summary or --min-duration, not both");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct keep_options *o = state->input;

	switch (key) {
	case OPT_SUMMARY:
		o->summary = true;
		return 0;
	case OPT_MIN_DURATION:
		if (parse_duration_ns(arg, 0, &o->min_duration_ns) || !o->min_duration_ns)
			arg_error(state, "--min-duration: '%s' is not a time such as 500us or 10ms",
				  arg);
		return 0;
	case ARGP_KEY_END:
		check_together(o, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp keep_argp = { options, parse, NULL, NULL, NULL, NULL, NULL };
