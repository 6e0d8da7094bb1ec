// SPDX-License-Identifier: BSD-2-Clause
#include "cli/process_arg.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attach/target/process_names.h"
#include "base/log.h"
#include "base/text_format.h"
#include "base/units.h"
#include "cli/args.h"
#include "cli/cli.h"

#define CANDIDATES 32
#define LINE_BYTES 200 /* of a command line that is shown */

static void print_candidate(pid_t pid)
{
	char line[LINE_BYTES];
	size_t n = process_names_read(pid, "cmdline", line, sizeof(line));

	while (n && !line[n - 1])
		n--;
	for (size_t i = 0; i < n; i++)
		line[i] = line[i] ? line[i] : ' ';
	fprintf(stderr, "%9d  ", pid);
	text_safe(stderr, line);
	fputs(n + 1 == sizeof(line) ? "...\n" : "\n", stderr);
}

static void ask(const char *name, const pid_t *found, size_t n)
{
	log_error("%zu processes are called '%s'; choose one by its number, as in --pid %d", n,
		  name, *found);
	for (size_t i = 0; i < n && i < CANDIDATES; i++)
		print_candidate(found[i]);
	if (n > CANDIDATES)
		fprintf(stderr, "%9s  %zu more\n", "...", n - CANDIDATES);
	exit(STATUS_USAGE);
}

pid_t process_arg(struct argp_state *state, const char *arg)
{
	pid_t found[CANDIDATES];
	uint64_t pid = 0;

	if (strspn(arg, "0123456789") == strlen(arg) || *arg == '-') {
		if (parse_decimal(arg, INT_MAX, &pid) || !pid)
			arg_error(state, "--pid: '%s' is not a process id", arg);
		return (pid_t)pid;
	}
	size_t n = process_names_find(arg, found, CANDIDATES);

	if (!n)
		arg_error(state, "--pid: no running process is called '%s'", arg);
	if (n > 1)
		ask(arg, found, n);
	return *found;
}
