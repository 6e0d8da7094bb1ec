// SPDX-License-Identifier: BSD-2-Clause
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/target/libc_signals.h"
#include "base/file_limit.h"
#include "base/log.h"
#include "base/outfile.h"
#include "base/text_format.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/fault.h"
#include "cli/option_files.h"

static const struct verb {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *what;
	int failed; /* exit status when something fails that is nobody's input; 0: STATUS_BAD_INPUT
		     */
} verbs[] = {
	{ "record", cmd_record, "run a Go program, or attach to one, and record its calls",
	  STATUS_FAILED },
	{ "sample", cmd_sample, "run programs, or attach to some, and sample their stacks",
	  STATUS_FAILED },
	{ "agent", cmd_agent,
	  "sample all processes of a host all the time, into a folder and to a server",
	  STATUS_FAILED },
	{ "top", cmd_top, "show the present work of a recording that goes on, or of a process",
	  STATUS_FAILED },
	{ "goroutines", cmd_goroutines,
	  "count the goroutines of a running Go process by stack, state and reason",
	  STATUS_FAILED },
	{ "report", cmd_report, "show where the time of a recorded program went",
	  STATUS_BAD_INPUT },
	{ "export", cmd_export, "write a trace for flamegraph.pl and other programs",
	  STATUS_BAD_INPUT },
	{ "diff", cmd_diff, "show the changes from one trace to another", STATUS_BAD_INPUT },
	{ "view", cmd_view, "open a trace, or the changes between two, in a browser",
	  STATUS_BAD_INPUT },
	{ "plan", cmd_plan,
	  "show which functions of a binary would be probed, where, and why others not",
	  STATUS_BAD_INPUT },
	{ "info", cmd_info,
	  "show options, host, losses and probe costs that a trace records about itself",
	  STATUS_BAD_INPUT },
	{ "dump", cmd_dump, "print the events of a trace as text, for bug reports",
	  STATUS_BAD_INPUT },
	{ "overhead", cmd_overhead, "show how much slower recording makes a Go program",
	  STATUS_FAILED },
	{ "doctor", cmd_doctor, "show the features that this kernel and your privileges allow",
	  STATUS_BAD_INPUT },
};
#define N_VERBS (sizeof(verbs) / sizeof(*verbs))

static void usage(FILE *out)
{
	fputs("Usage: gotrace VERB [OPTION...]\n"
	      "Shows where the wall-clock time of each function of an unmodified Go program goes.\n\n",
	      out);
	for (size_t i = 0; i < N_VERBS; i++)
		fprintf(out, "  %-11s %s\n", verbs[i].name, verbs[i].what);
	fputs("\n  gotrace record -- ./prog      then      gotrace report\n\n"
	      "'gotrace VERB --help' lists a verb's options; gotrace(1) is the manual.\n",
	      out);
}

/* getopt prints an option that it does not know as it is. None of ours has a control character in
 * its name; a file whose name begins with - may. */
static bool has_strange_option(char *const *argv)
{
	bool unsafe = false;

	for (; *argv && strcmp(*argv, "--"); argv++)
		for (const char *s = *argv; **argv == '-' && *s && *s != '=';) {
			s += text_char(s, &unsafe);
			if (unsafe) {
				log_error(
					"an option holds a control character, or a byte that is not UTF-8; a file name that begins with - is given as ./-NAME");
				return true;
			}
		}
	return false;
}

/* The command line with the words of files. */
static struct option_words given;

/* The first word from `from` on that an option of a file begins with; n: there is none. */
static int next_of_file(int from)
{
	while (from < given.n && (!given.places[from] || given.words[from][0] != '-'))
		from++;
	return from;
}

/* getopt does not say where an option comes from that it does not know. Words of the files are not
 * repeated: who may see this need not be who may read them. */
static void say_places(int status, void *ctx)
{
	(void)ctx;
	for (int i = next_of_file(1); arg_place && status == STATUS_USAGE && i < given.n;) {
		const char *first = given.places[i], *last = first, *line = strrchr(first, ':') + 1;
		const size_t file = (size_t)(line - first);

		while ((i = next_of_file(i + 1)) < given.n &&
		       !strncmp(given.places[i], first, file) &&
		       !strchr(given.places[i] + file, ':'))
			last = given.places[i];
		log_info("options come from %.*s, line%s %s%s%s", (int)file - 1, first,
			 strcmp(first, last) ? "s" : "", line, strcmp(first, last) ? " to " : "",
			 strcmp(first, last) ? last + file : "");
	}
}

static const char *place(int index)
{
	return index < given.n ? given.places[index] : NULL;
}

/* argv from the verb on, which is called `name` in messages, with the words of files and, for
 * record, of GOTRACE_OPTIONS. 0 or -errno (logged) */
static int expand(int *argc, char ***argv, char *name)
{
	const char *env = strcmp((*argv)[1], "record") ? NULL : getenv("GOTRACE_OPTIONS");

	(*argv)[1] = name;
	int err = option_words_expand(&given, *argc - 1, *argv + 1, "GOTRACE_OPTIONS", env);

	for (int i = 0; i < given.n; i++)
		if (given.places[i]) {
			arg_place = place;
			on_exit(say_places, NULL);
			break;
		}
	*argc = given.n;
	*argv = given.words;
	return err;
}

/* A file that is opened would get the number of a standard descriptor that is closed, and then what
 * is printed there. What stands for it here can be used as little as a closed one, and is closed
 * for commands that are executed. */
static void fill_standard(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)!open("/dev/null",
				    (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

int main(int argc, char **argv)
{
	char name[64];

	fill_standard();
	libc_signals_note();
	file_limit_block();
	argp_err_exit_status = STATUS_USAGE;
	if (argc < 2) {
		usage(stderr);
		return STATUS_USAGE;
	}
	if (has_strange_option(argv))
		return STATUS_USAGE;
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		usage(stdout);
		return outfile_check(stdout) ? STATUS_BAD_INPUT : 0;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("gotrace %s\n", cli_version);
		return outfile_check(stdout) ? STATUS_BAD_INPUT : 0;
	}
	for (size_t i = 0; i < N_VERBS; i++) {
		if (strcmp(argv[1], verbs[i].name))
			continue;
		snprintf(name, sizeof(name), "gotrace %s", verbs[i].name);
		fault_tells(verbs[i].failed);
		int err = expand(&argc, &argv, name);

		if (err == -ENOMEM)
			return verbs[i].failed;
		if (err || has_strange_option(argv))
			return STATUS_USAGE;
		return verbs[i].run(argc, argv);
	}
	log_error("there is no verb '%s'; 'gotrace --help' lists them", argv[1]);
	return STATUS_USAGE;
}
