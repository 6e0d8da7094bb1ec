// SPDX-License-Identifier: BSD-2-Clause
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "attach/kernel/caps.h"
#include "attach/target/user.h"
#include "base/outfile.h"
#include "base/text_wrap.h"
#include "base/own_proc.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/pager.h"

#ifndef ENOTSUPP
#define ENOTSUPP 524 /* the kernel's own, include/linux/errno.h */
#endif

#define SAID_FROM 41 /* columns before what is said */

/* In lines that fit the terminal, below each other. */
static void print_line(const char *answer, const char *what, const char *said)
{
	char *text = NULL;

	if (asprintf(&text, "%-5s %-34s %s", answer, what, said) < 0)
		return;
	text_wrap(stdout, text, reading_width(), SAID_FROM);
	free(text);
}

static void line(bool ok, const char *what, const char *said)
{
	print_line(ok ? "yes" : "no", what, said);
}

static void show_file(const char *path, const char *what)
{
	char text[256] = "";
	FILE *f = fopen(path, "re");

	if (!f)
		return;
	if (fgets(text, sizeof(text), f)) {
		text[strcspn(text, "\n")] = '\0';
		print_line("", what, text);
	}
	fclose(f);
}

static void show_privileges(const struct caps *c)
{
	bool enough = c->bpf && c->perfmon;

	line(enough, "CAP_BPF and CAP_PERFMON",
	     enough ? "" : "run with sudo, or: sudo setcap cap_bpf,cap_perfmon+ep gotrace");
	line(c->sys_admin, "CAP_SYS_ADMIN",
	     c->sys_admin ? "" : "needed only where there is no uprobe_multi");
	line(!c->load_err, "loads BPF programs", c->load_err ? strerror(-c->load_err) : "");
}

static void show_kernel(const struct caps *c)
{
	char cost[128];

	line(!c->multi_err, "uprobe_multi links",
	     c->multi_err ? "Linux 6.6 has them; probes are attached one by "
			    "one instead, which is slow to take down"
			  : "thousands of probes at once");
	if (!c->multi_err)
		line(c->pid_filter_per_process, "their filter is per process",
		     c->pid_filter_per_process
			     ? ""
			     : "it is per thread on this kernel: events are filtered by the program instead");
	if (c->multi_err)
		line(!c->perf_err, "perf-event uprobes", c->perf_err ? strerror(-c->perf_err) : "");
	line(c->btf, "kernel type information (BTF)",
	     c->btf ? "gotrace sample works; record counts children and samples what probes take"
		    : "gotrace sample needs it; record counts no children and guesses what probes "
		      "take");
	if (c->emulated_ns) {
		snprintf(cost, sizeof(cost),
			 "%.2f us on an emulated instruction, %.2f us on a single-stepped one, "
			 "the event recorded",
			 c->emulated_ns / 1e3, c->step_ns / 1e3);
		line(true, "cost of a probe, measured", cost);
	}
}

static void show_nop(const char *what, bool call, uint64_t ns, int err)
{
	char said[128];

	if (err)
		snprintf(said, sizeof(said), "a probe on one is refused: %s",
			 err == -ENOTSUPP ? "its prefix is not supported" : strerror(-err));
	else if (!ns)
		snprintf(said, sizeof(said), "not every hit of one is seen: of no use");
	else
		snprintf(said, sizeof(said), "%.2f us%s", ns / 1e3,
			 call ? "" : ", one trap or more as with other instructions");
	line(call && ns, what, said);
}

/* What makes probes cheaper than one trap for an entry and two for a RET. */
static void show_cheaper(const struct caps *c)
{
	char said[128] =
		"the kernel lets no program write registers (upstream does from 6.18): each RET is single-stepped";

	if (c->ret_performed)
		snprintf(said, sizeof(said), "%.2f us, no single step", c->ret_ns / 1e3);
	else if (c->regs_write)
		snprintf(said, sizeof(said),
			 "programs may write registers, but a RET is stepped all the same");
	line(c->ret_performed, "programs perform RETs", said);
	if (c->multi_err)
		return;
	show_nop("5-byte nops become calls", c->nop5_call, c->nop5_ns, 0);
	show_nop("10-byte nops become calls", c->nop10_call, c->nop10_ns, c->nop10_err);
}

int cmd_doctor(int argc, char **argv)
{
	static const struct argp argp = {
		NULL,
		NULL,
		"",
		"Shows which features this kernel and your privileges allow, and how to get missing "
		"ones. The exit status is 0 if gotrace record works here, 1 if it does not.",
		NULL,
		NULL,
		NULL
	};
	struct utsname u;
	struct rlimit files;
	struct caps c;

	arg_parse(&argp, argc, argv, 0, NULL);
	caps_probe(&c);
	if (!uname(&u))
		printf("%-5s %-34s %s %s, %s\n", "", "kernel", u.sysname, u.release, u.machine);
	show_file("/sys/kernel/security/lockdown", "lockdown");
	if (!getrlimit(RLIMIT_NOFILE, &files))
		printf("%-5s %-34s %llu\n", "", "descriptors, hard limit",
		       (unsigned long long)files.rlim_max);
	show_privileges(&c);
	show_kernel(&c);
	if (!c.load_err && (!c.multi_err || !c.perf_err))
		show_cheaper(&c);

	const bool own = own_proc("/proc");
	const bool works = own && !c.load_err && (!c.multi_err || !c.perf_err);

	if (!own)
		line(false, "/proc of this PID namespace", "mount one");
	printf("\n%s\n", works ? "gotrace record works here."
			       : "gotrace record does not work here: see the lines that say no.");
	return works && !outfile_check(stdout) ? 0 : STATUS_BAD_INPUT;
}
