/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of `gotrace record`. */
#ifndef GOTRACE_RECORD_OPTIONS_H
#define GOTRACE_RECORD_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/probes/probes.h"
#include "cli/flight_args.h"
#include "cli/gate_args.h"
#include "cli/keep_options.h"
#include "cli/selection.h"

#define TRIAL_MAX_COST    0.2
#define PID_MAX_COST      0.1 /* with --pid, unless the user asked for traps */
#define RECORD_RING_BYTES (8u << 20)

/* The choice to record states of goroutines. STATES_AUTO: if a stub can write them. */
enum states_choice { STATES_AUTO, STATES_ON, STATES_OFF };

struct record_options {
	struct selection selection;
	struct keep_options keep;
	struct gate_args gate;
	struct flight_args flight;
	const char *output;     /* "gotrace.out" */
	const char *user, *exe; /* NULL: not given */
	double max_cost;        /* --max-cost; 0: any */
	bool max_cost_off;      /* --max-cost=off */
	bool max_cost_traps;    /* neither is given, nor a way of probing that traps */
	uint64_t trial_ns;      /* --trial; 0: not given */
	uint64_t duration_ns, max_bytes, ring_bytes;
	enum attach_kind kind;
	uint64_t inline_ring_bytes; /* size of each P's ring; 0: default */
	unsigned n_rings;           /* 0: as many as Ps */
	bool drop;                  /* --overflow=drop */
	bool record_signals;        /* --record-signals */
	enum states_choice states;
	pid_t pid;      /* 0: run the command */
	char **command; /* NULL-terminated, in argv */
};

/* Returns the options for the parser of a verb that runs a command to its end, more than once. The
 * input is a struct record_options from record_options_default. The help omits options that do not
 * fit such a verb. The result is static. */
const struct argp *record_options_of_runs(void);
struct record_options record_options_default(void);

/* Exits with status 2 on a usage error, with 0 after --help. */
void record_options_parse(struct record_options *o, int argc, char **argv);

#endif
