// SPDX-License-Identifier: BSD-2-Clause
/* gotrace overhead: a command untraced and traced in turn, and how much slower it was. */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/target/end_as.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/text_format.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/overhead.h"
#include "stats/random.h"

#define ROUNDS     5
#define ROUNDS_MAX 10000
#define SEED       1 /* of the orders */

struct overhead_args {
	struct record_options record;
	uint64_t rounds;
};

static const struct argp_option options[] = {
	{ "runs", 'r', "RUNS", 0,
	  "Number of rounds (default 5, the fewest that give an interval). In each, COMMAND runs "
	  "twice untraced and once traced",
	  0 },
	{ "output", 'o', "FILE", OPTION_HIDDEN, NULL, 0 },
	{ 0 },
};

static const char doc[] =
	"Runs COMMAND, a Go program, untraced and traced in turn. Prints how many times as long "
	"it takes when it is traced, with an interval. Takes the options of record. Keeps no "
	"trace.\vCOMMAND runs three times for each round, and for one round before that does not "
	"count. Its output is seen each time.\n"
	"\n"
	"The exit status is COMMAND's, as with record. The measurement ends when COMMAND ends "
	"otherwise than in its first run.\n"
	"\n"
	"EXAMPLES\n"
	"  gotrace overhead -- ./prog\n"
	"  gotrace overhead -r 20 -p main --no-states -- ./prog >/dev/null\n";

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct overhead_args *a = state->input;
	const struct record_options *o = &a->record;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->record;
		return 0;
	case 'r':
		a->rounds = arg_number(state, "-r", arg);
		if (!a->rounds || a->rounds > ROUNDS_MAX)
			arg_error(state, "-r: '%s' is not a number from 1 to %d", arg, ROUNDS_MAX);
		return 0;
	case 'o':
		arg_error(state, "no trace is kept: -o does not go with overhead");
		return 0;
	case ARGP_KEY_ARGS:
		a->record.command = state->argv + state->next;
		return 0;
	case ARGP_KEY_NO_ARGS:
		arg_error(state, "a command is needed");
		return 0;
	case ARGP_KEY_END:
		if (o->pid || o->duration_ns || o->max_bytes || o->trial_ns || o->flight.last)
			arg_error(
				state,
				"a command is recorded to its end, more than once: --pid, -d, --max-size, --trial and "
				"--keep-last do not go with overhead");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- a run */

/* What recording changes in this process, and what a command gets from it. */
struct surroundings {
	sigset_t mask;
	struct sigaction pipe, child;
	struct rlimit files;
	int stdin_fd;
	off_t stdin_at; /* where standard input is a file: its position; -1 */
};

static void surroundings_take(struct surroundings *s)
{
	struct stat st;

	sigprocmask(SIG_SETMASK, NULL, &s->mask);
	sigaction(SIGPIPE, NULL, &s->pipe);
	sigaction(SIGCHLD, NULL, &s->child);
	getrlimit(RLIMIT_NOFILE, &s->files);
	s->stdin_at = -1;
	if (fstat(STDIN_FILENO, &st))
		return;
	if (S_ISREG(st.st_mode))
		s->stdin_at = lseek(STDIN_FILENO, 0, SEEK_CUR);
	if (!S_ISFIFO(st.st_mode) && !S_ISSOCK(st.st_mode))
		return;
	/* The first run would take all of it. */
	int none = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (none >= 0) {
		dup2(none, STDIN_FILENO);
		close(none);
	}
	log_warn(
		"standard input can be read only once, so the command reads nothing from it; give it a "
		"file");
}

static void surroundings_put_back(const struct surroundings *s)
{
	sigaction(SIGPIPE, &s->pipe, NULL);
	sigaction(SIGCHLD, &s->child, NULL);
	setrlimit(RLIMIT_NOFILE, &s->files);
	if (s->stdin_at >= 0)
		lseek(STDIN_FILENO, s->stdin_at, SEEK_SET);
	sigprocmask(SIG_SETMASK, &s->mask, NULL); /* what has come since may end gotrace here */
}

/* A file that has no name any more. */
static int open_trace(void)
{
	const char *const folders[] = { getenv("TMPDIR"), "/var/tmp", "/tmp" };
	char path[PATH_MAX];
	int fd = -1;

	for (size_t i = 0; i < 3 && fd < 0; i++) {
		if (!folders[i] || snprintf(path, sizeof(path), "%s/gotrace-overhead.XXXXXX",
					    folders[i]) >= (int)sizeof(path))
			continue;
		fd = mkostemp(path, O_CLOEXEC);
		if (fd >= 0)
			unlink(path);
	}
	if (fd < 0)
		log_error(
			"no file for a trace can be made in /var/tmp: %s; set TMPDIR to a folder with room",
			strerror(errno));
	return fd;
}

static int run(const struct overhead_args *a, int variant, const struct surroundings *s,
	       struct record_measured *m, uint64_t *whole_ns)
{
	struct record_host host = { .fd = -1,
				    .measured = m,
				    .untraced = variant != OVERHEAD_TRACED };

	*m = (struct record_measured){ 0 };
	if (!host.untraced) {
		host.fd = open_trace();
		if (host.fd < 0)
			return STATUS_FAILED;
	}
	uint64_t start_ns = clock_monotonic_ns();
	int status = record_with(&a->record, &host);

	*whole_ns = clock_monotonic_ns() - start_ns;
	if (host.fd >= 0)
		close(host.fd);
	surroundings_put_back(s);
	return status;
}

/* ---- all of them */

static const char *how(int wait_status, char buf[48])
{
	if (WIFSIGNALED(wait_status))
		snprintf(buf, 48, "died of signal %d", WTERMSIG(wait_status));
	else
		snprintf(buf, 48, "ended with status %d", WEXITSTATUS(wait_status));
	return buf;
}

/* Whether the command ended as in its first run, and was measured to its end. */
static bool goes_on(const struct record_measured *m, const struct record_measured *first,
		    int variant)
{
	char now[48], then[48];

	if (m->stopped || WIFSIGNALED(m->wait_status)) {
		log_warn("measuring ended: %s",
			 m->stopped ? "a signal came" : how(m->wait_status, now));
		return false;
	}
	if (m->wait_status != first->wait_status) {
		log_warn("measuring ended: the command %s, %s; in its first run it %s",
			 how(m->wait_status, now),
			 variant == OVERHEAD_TRACED ? "traced" : "untraced",
			 how(first->wait_status, then));
		return false;
	}
	if (!m->complete)
		log_error("measuring ended: a run was not recorded to its end");
	return m->complete;
}

/* *last: of the run that was last. An exit status where that could not be run; else -1. */
static int run_rounds(const struct overhead_args *a, struct overhead *o,
		      struct record_measured *last)
{
	struct random_stream draw = random_from(SEED, "overhead");
	struct record_measured first = { 0 }, m[OVERHEAD_VARIANTS];
	uint64_t whole_ns[OVERHEAD_VARIANTS];
	struct surroundings s;

	surroundings_take(&s);
	for (uint64_t round = 0; round <= a->rounds; round++) {
		size_t order[OVERHEAD_VARIANTS] = { 0 };

		if (round)
			random_order(&draw, order, OVERHEAD_VARIANTS);
		for (int i = 0; i < OVERHEAD_VARIANTS; i++) {
			/* The very first one is traced: what gotrace cannot do it says before
			 * the command has run. */
			int v = round ? (int)order[i] : OVERHEAD_TRACED - i;
			int status = run(a, v, &s, &m[v], &whole_ns[v]);

			*last = m[v];
			if (status || !m[v].ended)
				return status ? status : STATUS_FAILED;
			if (!round && !i)
				first = m[v];
			if (!goes_on(&m[v], &first, v))
				return -1;
		}
		for (int v = 0; v < OVERHEAD_VARIANTS && round; v++)
			if (overhead_add(o, round, v, &m[v], whole_ns[v])) {
				log_no_memory("no memory for the results");
				return STATUS_FAILED;
			}
		o->n = round;
	}
	return -1;
}

static int overhead(const struct overhead_args *a)
{
	struct overhead o = { .command = a->record.command[0], .rounds = rounds_new() };
	struct record_measured last = { 0 };

	if (!o.rounds) {
		log_no_memory("no memory for the measurement");
		return STATUS_FAILED;
	}
	int status = run_rounds(a, &o, &last);

	if (status < 0 && o.n && overhead_print(&o, stderr))
		log_no_memory("no memory to print the results");
	rounds_free(o.rounds);
	return status < 0 ? end_as(last.wait_status) : status;
}

int cmd_overhead(int argc, char **argv)
{
	const struct argp_child children[] = {
		{ record_options_of_runs(), 0, "Options of record:", 1 }, { 0 }
	};
	const struct argp argp = {
		options, parse, "-- COMMAND [ARG...]", doc, children, NULL, NULL
	};
	struct overhead_args *a = calloc(1, sizeof(*a));
	int status = STATUS_FAILED;

	if (a) {
		*a = (struct overhead_args){ .record = record_options_default(), .rounds = ROUNDS };
		arg_parse(&argp, argc, argv, ARGP_IN_ORDER, a);
		status = overhead(a);
		selection_free(&a->record.selection);
		gate_args_free(&a->record.gate);
		flight_args_free(&a->record.flight);
	}
	free(a);
	return status;
}
