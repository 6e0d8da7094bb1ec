/* SPDX-License-Identifier: BSD-2-Clause */
/* The verbs of the command line. */
#ifndef GOTRACE_CLI_H
#define GOTRACE_CLI_H

/* The version of the sources by git; "unknown" if git cannot describe it. */
extern const char cli_version[];

/* argv[0] is "gotrace VERB". The result is the exit status. */
int cmd_record(int argc, char **argv);
int cmd_overhead(int argc, char **argv);
int cmd_agent(int argc, char **argv);
int cmd_sample(int argc, char **argv);
int cmd_goroutines(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_view(int argc, char **argv);
int cmd_plan(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_dump(int argc, char **argv);
int cmd_doctor(int argc, char **argv);

/* Exit statuses (man page, section EXIT STATUS). */
enum {
	STATUS_BAD_INPUT = 1,
	STATUS_USAGE = 2,
	STATUS_GREW = 3,     /* diff --fail-if */
	STATUS_FAILED = 125, /* gotrace failed before the command ran */
	STATUS_CANNOT_RUN = 126,
	STATUS_NOT_FOUND = 127,
};

#endif
