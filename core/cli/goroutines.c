// SPDX-License-Identifier: BSD-2-Clause
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/outfile.h"
#include "attach/process_memory.h"
#include "base/own_proc.h"
#include "cli/pager.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/goroutines.h"
#include "cli/output.h"
#include "cli/process_arg.h"

enum { OPT_PID = 0x100, OPT_AGAIN };

#define ROWS_DEFAULT 30

enum { TEXT, CSV, JSON };

struct goroutines_args {
	pid_t pid;
	uint64_t again_ns;
	int format;
	size_t limit;
	bool limit_given;
};

static const struct argp_option options[] = {
	{ "pid", OPT_PID, "PID|NAME", 0, "The running process", 1 },
	{ "again", OPT_AGAIN, "SECONDS", 0,
	  "Look again after this time, and show the growth of each group, the largest first", 1 },
	{ "format", 'F', "FORMAT", 0, "text (default), csv or json", 2 },
	{ "limit", 'n', "N", 0, "At most N groups, 0 for all (default 30 in text, all elsewhere)",
	  2 },
	{ 0 },
};

static const char doc[] =
	"Counts the present goroutines of a running Go process by stack, state and reason to "
	"wait. It reads them from the memory of the process and stops and changes nothing.\vThe "
	"exit status is 0, or 125 if the process cannot be read.\n"
	"\n"
	"EXAMPLES\n"
	"  gotrace goroutines --pid 1234\n"
	"  gotrace goroutines --pid 1234 --again 10\n";

static error_t parse(int key, char *arg, struct argp_state *state)
{
	static const char *const formats[] = { "text", "csv", "json", NULL };
	struct goroutines_args *a = state->input;

	switch (key) {
	case OPT_PID:
		a->pid = process_arg(state, arg);
		return 0;
	case OPT_AGAIN:
		a->again_ns = arg_duration(state, "--again", arg, 1000000000);
		if (!a->again_ns)
			arg_error(state, "--again takes a time above 0");
		return 0;
	case 'F':
		a->format = arg_choice(state, "format", arg, formats);
		return 0;
	case 'n':
		a->limit = arg_number(state, "-n", arg);
		a->limit_given = true;
		return 0;
	case ARGP_KEY_ARG:
		arg_error(state, "'%s' is not needed: the process is given by --pid", arg);
		return 0;
	case ARGP_KEY_END:
		if (!a->pid)
			arg_error(state, "--pid is needed");
		if (!a->limit_given && a->format == TEXT)
			a->limit = ROWS_DEFAULT;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- looking */

static int failed(pid_t pid, int err)
{
	if (err == -ENOTSUP)
		log_error("process %d: not a Go program whose runtime gotrace understands", pid);
	else if (err == -EPERM || err == -EACCES)
		log_error("process %d: its memory may not be read; run as its user, or with sudo",
			  pid);
	else if (err == -ETIMEDOUT)
		log_error(
			"process %d: its memory does not answer, because userfaultfd or FUSE does not fill it",
			pid);
	else if (err == -ESRCH || err == -ENOENT)
		log_error("there is no process %d, or it has ended", pid);
	else
		log_error("the goroutines of process %d cannot be read: %s", pid, strerror(-err));
	return err;
}

/* All that there are. 0 or -errno. */
static int look(struct snapshot *s, struct goroutine_groups *to)
{
	int err = snapshot_list(s);
	uint32_t *all = err ? NULL : calloc(s->n + 1, sizeof(*all));

	if (err)
		return err;
	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < s->n; i++)
		all[i] = (uint32_t)i;
	s->torn = 0;
	err = snapshot_take(s, all, s->n, goroutine_groups_add, to);
	free(all);
	return err ? err : to->err;
}

/* 0 or -errno (logged). */
static int look_twice(const struct goroutines_args *a, struct snapshot *s,
		      struct goroutine_groups *to, struct goroutines_shown *shown)
{
	uint64_t start_ns = clock_monotonic_ns();

	to->now_ns = start_ns;
	int err = look(s, to);

	if (!err && a->again_ns) {
		poll(NULL, 0, (int)((a->again_ns + 999999) / 1000000));
		shown->again_ns = clock_monotonic_ns() - start_ns;
		start_ns += shown->again_ns;
		goroutine_groups_again(to, start_ns);
		err = look(s, to);
	}
	shown->look_ns = clock_monotonic_ns() - start_ns;
	goroutine_groups_sort(to, a->again_ns);
	return err ? failed(a->pid, err) : 0;
}

static void read_comm(struct goroutines_shown *s)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/comm", s->pid);
	FILE *f = fopen(path, "re");

	if (!f || !fgets(s->comm, sizeof(s->comm), f))
		snprintf(s->comm, sizeof(s->comm), "?");
	s->comm[strcspn(s->comm, "\n")] = '\0';
	if (f)
		fclose(f);
}

static void show(const struct goroutines_args *a, const struct goroutines_shown *s)
{
	static void (*const formats[])(const struct goroutines_shown *s, FILE *out) = {
		[TEXT] = goroutines_text, [CSV] = goroutines_csv, [JSON] = goroutines_json
	};

	formats[a->format](s, stdout);
}

/* Names of what the user may not read are not for it to see. 0 or -errno (logged). */
static int check_rights(pid_t pid)
{
	struct user invoker;
	char path[32];
	int err = user_find(NULL, &invoker);

	if (err)
		return err;
	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return failed(pid, -errno);
	err = refuse_unreadable(&invoker, fd, pid);
	close(fd);
	return err;
}

static int run(const struct goroutines_args *a)
{
	struct goroutine_groups groups = { 0 };
	struct snapshot s;
	struct goroutines_shown shown = { .groups = &groups,
					  .reasons = &s.reasons,
					  .pid = a->pid,
					  .limit = a->limit,
					  .colour = reading_colour(),
					  .width = reading_width() };
	int err = check_rights(a->pid);

	if (err)
		return err;
	err = snapshot_open(&s, a->pid, 0);
	if (err)
		return failed(a->pid, err);
	read_comm(&shown);
	err = look_twice(a, &s, &groups, &shown);
	shown.listed = s.n;
	shown.claimed = s.claimed;
	if (!err)
		err = goroutines_name(&shown);
	if (!err)
		show(a, &shown);
	sample_tables_free(&shown.tables);
	goroutine_groups_free(&groups);
	snapshot_close(&s);
	process_memory_end();
	return err ? err : outfile_check(stdout);
}

int cmd_goroutines(int argc, char **argv)
{
	static const struct argp argp = { options, parse, "--pid PID|NAME", doc, NULL, NULL, NULL };
	struct goroutines_args a = { 0 };

	arg_parse(&argp, argc, argv, 0, &a);
	return !own_proc("/proc") || run(&a) ? STATUS_FAILED : 0;
}
