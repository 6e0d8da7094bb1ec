// SPDX-License-Identifier: BSD-2-Clause
#include "cli/record_options.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "cli/args.h"
#include "cli/process_arg.h"
#include "plan/ring.h"

enum {
	OPT_MAX_SIZE = 0x200,
	OPT_USER,
	OPT_EXE,
	OPT_PID,
	OPT_ATTACH,
	OPT_RETS,
	OPT_RING,
	OPT_RINGS,
	OPT_OVERFLOW,
	OPT_MAX_COST,
	OPT_STATES,
	OPT_SIGNALS,
	OPT_NO_STATES,
	OPT_TRIAL,
	OPT_USAGE
};

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0,
	  "Trace to write (default gotrace.out). An existing trace is renamed to FILE.old", 1 },
	{ "pid", OPT_PID, "PID|NAME", 0,
	  "Attach to a running process, by inline stubs only; Ctrl-C detaches", 1 },
	{ "exe", OPT_EXE, "BINARY", 0,
	  "The Go binary to probe, if COMMAND is another program that executes it in its own "
	  "process, or loads it as a library. With --pid, BINARY is a library that the process has "
	  "loaded; --traps records it, by traps",
	  1 },
	{ "user", OPT_USER, "NAME", 0,
	  "Run COMMAND as this user (default under sudo: the user who called sudo)", 1 },
	{ "duration", 'd', "SECONDS", 0, "Stop tracing after this time; COMMAND keeps running", 2 },
	{ "max-size", OPT_MAX_SIZE, "SIZE", 0,
	  "Stop tracing when the trace reaches SIZE, such as 100M; COMMAND keeps running", 2 },
	{ "max-cost", OPT_MAX_COST, "SHARE", 0,
	  "Limit the share of probing in the program's processor time, such as 20%, or off. "
	  "gotrace releases the functions whose probes take most while the program runs; later "
	  "calls of them are not recorded. With --pid the default is 10%, and gotrace detaches "
	  "when it cannot keep the limit. For COMMAND the default releases functions whose traps "
	  "take more than 5%, and off keeps them",
	  2 },
	{ "states", OPT_STATES, NULL, 0,
	  "Record when each goroutine runs, is runnable, waits or is in a system call, why it "
	  "waits, and who wakes it. This is the default where a stub can write it. States outside "
	  "of the recorded part are left out. Not with --trial",
	  1 },
	{ "record-signals", OPT_SIGNALS, NULL, 0,
	  "When COMMAND dies of a signal or a Go panic, record the stacks of its threads", 1 },
	{ "no-states", OPT_NO_STATES, NULL, 0, "Do not record goroutine states (smaller traces)",
	  1 },
	{ "trial", OPT_TRIAL, "SECONDS", 0,
	  "Run for this time with --max-cost (default 20%) and write no trace. Print the calls and "
	  "probe cost of each function, and the -x options that keep probing below that share. "
	  "COMMAND keeps running",
	  2 },
	{ "buffer", 'm', "SIZE", 0,
	  "Ring buffer of each CPU (default 8M); all together take at most 512M, an eighth of "
	  "memory, or half of the memory that the cgroup has left",
	  2 },
	{ "ring", OPT_RING, "SIZE", 0,
	  "Size of the ring of each P that stubs write into (default 32M, a power of two); all "
	  "together are limited like -m. Asks for --probe=inline",
	  20 },
	{ "overflow", OPT_OVERFLOW, "WHAT", 0,
	  "With --probe=inline, on a full ring throttle (default: trap, which slows the program "
	  "down) or drop (count the event as lost)",
	  20 },
	{ "rings", OPT_RINGS, "N", 0,
	  "Number of rings (default: one for each P, at most 256). Asks for --probe=inline", 20 },
	{ "attach", OPT_ATTACH, "KIND", 0,
	  "auto (default), multi (one link for all probes; Linux 6.6) or perf (one link for each "
	  "probe, slow to detach)",
	  20 },
	{ "rets", OPT_RETS, "HOW", 0,
	  "auto (default: the BPF program performs the RET where the kernel allows it) or step "
	  "(the kernel single-steps each RET, a second trap)",
	  20 },
	{ 0 },
};

static const char doc[] =
	"Runs COMMAND, a Go program, and records every call of the selected functions. With --pid, records a "
	"running process until Ctrl-C.\v"
	"The exit status is COMMAND's, or 125 if gotrace failed before starting COMMAND, 126 if COMMAND cannot "
	"be run, 127 if it is not found.\n\n"
	"EXAMPLES\n"
	"  gotrace record -- ./server -port 8080\n"
	"  gotrace record -p main -p github.com/panjf2000/ants -- ./ants\n"
	"  gotrace record -f 'main.(*Cache).*' -d 10 --pid 1234\n";

/* The options of inline stubs. */
static error_t parse_inline(struct record_options *o, int key, char *arg, struct argp_state *state)
{
	uint64_t n = 0;

	switch (key) {
	case OPT_RING:
		if (parse_size_bytes(arg, &o->inline_ring_bytes) ||
		    o->inline_ring_bytes < RING_SIZE_MIN || o->inline_ring_bytes > RING_SIZE_MAX ||
		    (o->inline_ring_bytes & (o->inline_ring_bytes - 1)))
			arg_error(state, "--ring: '%s' is not a power of two from 4K to 1G", arg);
		return 0;
	case OPT_RINGS:
		if (parse_decimal(arg, RING_MAX, &n) || !n)
			arg_error(state, "--rings: '%s' is not a number from 1 to %d", arg,
				  RING_MAX);
		o->n_rings = (unsigned)n;
		return 0;
	case OPT_OVERFLOW:
		if (strcmp(arg, "throttle") && strcmp(arg, "drop"))
			arg_error(state, "--overflow: '%s' is not throttle or drop", arg);
		o->drop = !strcmp(arg, "drop");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* What cannot be given together. */
static void check_together(struct record_options *o, struct argp_state *state)
{
	if (!o->pid == !o->command)
		arg_error(state, o->pid ? "give either --pid or a command, not both"
					: "a command or --pid is needed");
	if (o->trial_ns && (o->keep.summary || o->keep.min_duration_ns || gate_args_any(&o->gate)))
		arg_error(
			state,
			"--trial writes no trace, so --summary and --min-duration do not go with it");
	if (o->trial_ns && (o->duration_ns || o->max_bytes || o->output))
		arg_error(
			state,
			"--trial writes no trace and ends by itself, so -o, -d and --max-size do not go with it");
	if (o->flight.last &&
	    (o->trial_ns || o->keep.summary || o->keep.min_duration_ns || o->max_bytes))
		arg_error(
			state,
			"--keep-last does not go with --trial, --summary, --min-duration and --max-size");
	if ((o->selection.plan.n_args || o->selection.plan.n_rets) &&
	    (o->trial_ns || o->keep.summary || o->keep.min_duration_ns))
		arg_error(state, "--args and --ret store values with each call: %s",
			  o->trial_ns       ? "--trial keeps no calls"
			  : o->keep.summary ? "--summary keeps no calls"
					    : "--min-duration does not keep values");
	if (o->states == STATES_ON && o->trial_ns)
		arg_error(state, "--trial keeps no states, so --states does not go with it");
	if (o->record_signals && (o->trial_ns || o->flight.last))
		arg_error(state, "--record-signals does not go with --trial and --keep-last");
	if (o->pid && o->user)
		arg_error(state, "--user goes with a command, not with --pid");
	if (o->selection.plan.traps && !o->pid)
		arg_error(state,
			  "--traps goes with --pid, because a command is probed before it runs");
	if (!o->inline_ring_bytes && !o->n_rings && !o->drop)
		return;
	/* They say that inline stubs are wanted: when there can be none, that is said. */
	if (o->selection.plan.strategy == PROBE_AUTO)
		o->selection.plan.strategy = PROBE_INLINE;
	if (o->selection.plan.strategy != PROBE_INLINE)
		arg_error(state, "--ring, --rings and --overflow=drop go with --probe=inline");
}

/* "20%" or 0.2. */
static double parse_share(const char *arg, struct argp_state *state)
{
	char *end;
	double share = strtod(arg, &end);

	if (end != arg && !strcmp(end, "%"))
		share /= 100;
	else if (end == arg || *end)
		share = 0;
	if (!(share >= 0.0001 && share <= 0.95))
		arg_error(state, "--max-cost: '%s' is not off or a share from 0.01%% to 95%%", arg);
	return share;
}

/* Whoever asks for traps accepts their price. */
static void set_max_cost(struct record_options *o, struct argp_state *state)
{
	const bool stubs = !o->selection.plan.traps && (o->selection.plan.strategy == PROBE_AUTO ||
							o->selection.plan.strategy == PROBE_INLINE);

	if (o->trial_ns && o->max_cost_off)
		arg_error(state,
			  "--trial shows which functions to leave out to stay below --max-cost");
	if (o->max_cost || o->max_cost_off)
		return;
	if (o->trial_ns)
		o->max_cost = TRIAL_MAX_COST;
	else if (o->pid && stubs)
		o->max_cost = PID_MAX_COST;
	else if (!o->pid)
		o->max_cost_traps = stubs && !o->selection.step_rets &&
				    o->selection.stub == CHOICE_JUMP;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct record_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->selection;
		state->child_inputs[1] = &o->keep;
		state->child_inputs[2] = &o->gate;
		state->child_inputs[3] = &o->flight;
		return 0;
	case 'o':
		o->output = arg;
		return 0;
	case OPT_PID:
		o->pid = process_arg(state, arg);
		return 0;
	case OPT_EXE:
		o->exe = arg;
		return 0;
	case OPT_USER:
		o->user = arg;
		return 0;
	case 'd':
		if (parse_duration_ns(arg, 1000000000, &o->duration_ns) || !o->duration_ns)
			arg_error(state, "-d: '%s' is not a time such as 5 or 500ms", arg);
		return 0;
	case OPT_MAX_SIZE:
		if (parse_size_bytes(arg, &o->max_bytes) || !o->max_bytes)
			arg_error(state, "--max-size: '%s' is not a size", arg);
		return 0;
	case 'm':
		if (parse_size_bytes(arg, &o->ring_bytes) || !o->ring_bytes ||
		    o->ring_bytes > 1ull << 30)
			arg_error(state, "-m: '%s' is not a size of at most 1G", arg);
		return 0;
	case OPT_ATTACH:
		if (attach_kind_parse(arg, &o->kind))
			arg_error(state, "--attach: '%s' is not auto, multi or perf", arg);
		return 0;
	case OPT_RETS:
		if (strcmp(arg, "auto") && strcmp(arg, "step"))
			arg_error(state, "--rets: '%s' is not auto or step", arg);
		o->selection.step_rets = !strcmp(arg, "step");
		return 0;
	case OPT_TRIAL:
		if (parse_duration_ns(arg, 1000000000, &o->trial_ns) || !o->trial_ns)
			arg_error(state, "--trial: '%s' is not a time such as 5 or 500ms", arg);
		return 0;
	case OPT_STATES:
		o->states = STATES_ON;
		return 0;
	case OPT_NO_STATES:
		o->states = STATES_OFF;
		return 0;
	case OPT_SIGNALS:
		o->record_signals = true;
		return 0;
	case OPT_MAX_COST:
		o->max_cost_off = !strcmp(arg, "off");
		o->max_cost = o->max_cost_off ? 0 : parse_share(arg, state);
		return 0;
	case ARGP_KEY_ARGS:
		o->command = state->argv + state->next;
		return 0;
	case ARGP_KEY_END:
		check_together(o, state);
		if (!o->output)
			o->output = "gotrace.out";
		set_max_cost(o, state);
		return 0;
	default:
		return parse_inline(o, key, arg, state);
	}
}

#define SHOWN_MAX 64

static bool is_in(const char *const *names, const char *name)
{
	for (; *names; names++)
		if (!strcmp(*names, name))
			return true;
	return false;
}

/* Options of one run, of a process that runs, or of a trace that is kept. */
static bool is_of_one(const char *name)
{
	static const char *const names[] = { "output", "duration", "pid", "max-size",
					     "trial",  "traps",    NULL };

	return is_in(names, name);
}

static bool is_any(const char *name)
{
	(void)name;
	return true;
}

/* The help shows the others to whoever asks for all. */
static bool is_rare(const char *name)
{
	static const char *const names[] = { "output",  "pid",       "user",    "duration",
					     "package", "function",  "exclude", "args",
					     "key",     "waits",     "db",      "max-cost",
					     "trigger", "keep-last", "when",    "help",
					     NULL };

	return !is_in(names, name);
}

/* Copies the options and hides some from the help. */
static struct argp hide(const struct argp *from, bool (*hidden_one)(const char *name),
			struct argp_option to[SHOWN_MAX])
{
	struct argp hidden = *from;
	size_t n = 0;

	for (const struct argp_option *o = from->options; o->name || o->key || o->doc; o++) {
		if (n + 1 == SHOWN_MAX) /* rather too much help than an option less */
			return *from;
		to[n] = *o;
		if (o->name && hidden_one(o->name))
			to[n].flags |= OPTION_HIDDEN;
		n++;
	}
	to[n] = (struct argp_option){ 0 };
	hidden.options = to;
	return hidden;
}

const struct argp *record_options_of_runs(void)
{
	static struct argp_option of_own[SHOWN_MAX], of_flight[SHOWN_MAX], of_selection[SHOWN_MAX];
	static struct argp own, flight, selection;
	static const struct argp_child all[] = {
		{ &selection, 0, "Functions to trace, and how to probe them:", 10 },
		{ &keep_argp, 0, "Calls to keep:", 15 },
		{ &gate_argp, 0, "Calls to record:", 13 },
		{ &flight, 0, NULL, 16 },
		{ 0 },
	};
	static const struct argp argp = { options, parse, NULL, NULL, all, NULL, NULL };

	own = hide(&argp, is_of_one, of_own);
	flight = hide(&flight_argp, is_any, of_flight);
	selection = hide(&selection_argp, is_of_one, of_selection);
	return &own;
}

struct record_options record_options_default(void)
{
	return (struct record_options){ .ring_bytes = RECORD_RING_BYTES };
}

/* The argps that record's options are in, as its help shows them: own, selection, keep, gate,
 * flight. */
enum { OWN, SELECTION, KEEP, GATE, FLIGHT, N_ARGPS };
static struct argp_option shown[N_ARGPS][SHOWN_MAX];

static void show_all(void)
{
	for (size_t i = 0; i < N_ARGPS; i++)
		for (struct argp_option *o = shown[i]; o->name || o->key || o->doc; o++)
			o->flags &= ~OPTION_HIDDEN;
}

/* The usage has every option: completion reads it. */
static error_t parse_help(int key, char *arg, struct argp_state *state)
{
	if (key != '?' && key != OPT_USAGE)
		return ARGP_ERR_UNKNOWN;
	if (arg && strcmp(arg, "all"))
		arg_error(state, "--help takes all, not '%s'", arg);
	if (arg || key == OPT_USAGE)
		show_all();
	argp_state_help(state, state->out_stream,
			key == OPT_USAGE ? ARGP_HELP_USAGE | ARGP_HELP_EXIT_OK
					 : ARGP_HELP_STD_HELP);
	return 0;
}

void record_options_parse(struct record_options *o, int argc, char **argv)
{
	static const struct argp_option help_options[] = {
		{ "help", '?', "all", OPTION_ARG_OPTIONAL,
		  "Print the options that most people need; with --help=all, every option", -1 },
		{ "usage", OPT_USAGE, NULL, 0, "Print a short usage message", -1 },
		{ 0 },
	};
	static const struct argp help = { .options = help_options, .parser = parse_help };
	static struct argp in[N_ARGPS];
	static const struct argp_child some[] = {
		{ &in[SELECTION], 0, "Functions to trace, and how to probe them:", 10 },
		{ &in[KEEP], 0, "Calls to keep:", 15 },
		{ &in[GATE], 0, "Calls to record:", 13 },
		{ &in[FLIGHT], 0, "A flight recorder keeps only the last events:", 16 },
		{ &help, 0, NULL, -1 },
		{ 0 },
	};
	static const struct argp argp = { options, parse, "-- COMMAND [ARG...]\n--pid PID|NAME",
					  doc,     some,  NULL,
					  NULL };
	const struct argp *const from[N_ARGPS] = { [OWN] = &argp,
						   [SELECTION] = &selection_argp,
						   [KEEP] = &keep_argp,
						   [GATE] = &gate_argp,
						   [FLIGHT] = &flight_argp };

	for (size_t i = 0; i < N_ARGPS; i++)
		in[i] = hide(from[i], is_rare, shown[i]);
	*o = record_options_default();
	/* In order: options after the command's name belong to the command. */
	arg_parse(&in[OWN], argc, argv, ARGP_IN_ORDER | ARGP_NO_HELP, o);
}
