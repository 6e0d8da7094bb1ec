// SPDX-License-Identifier: BSD-2-Clause
/* What is to be known of a process's binary before its goroutines can be read. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/target/process_stat.h"
#include "sample/snapshot_walk.h"
#include "base/foreign_file.h"
#include "base/vec.h"

/* runtime/asm_amd64.s, preempt_amd64.s, signal_unix.go */
static const struct {
	const char *name;
	uint32_t what;
} specials[] = {
	{ "runtime.goexit", SNAPSHOT_ROOT },
	{ "runtime.asyncPreempt", SNAPSHOT_INTERRUPT },
	{ "runtime.sigpanic", SNAPSHOT_INTERRUPT },
	{ "runtime.sigpanic0", SNAPSHOT_INTERRUPT },
};
_Static_assert(sizeof(specials) / sizeof(*specials) <= SNAPSHOT_SPECIALS, "room for them");

static struct snapshot_range range_of(const struct gobin *g, const char *name, uint32_t what)
{
	const struct gofunc *f = gobin_func_named(g, name);

	return f ? (struct snapshot_range){ f->vaddr, f->vaddr + f->size, what }
		 : (struct snapshot_range){ 0 };
}

static void find_specials(struct snapshot *s, const struct gobin *g)
{
	for (size_t i = 0; i < sizeof(specials) / sizeof(*specials); i++) {
		s->special[s->n_special] = range_of(g, specials[i].name, specials[i].what);
		s->n_special += !!s->special[s->n_special].to;
	}
	s->signals = range_of(g, "os/signal.loop", 0);
}

/* Goroutines that start in package runtime work for it (isSystemGoroutine, runtime/traceback.go),
 * but for the one that runs main. */
static int find_runtime(struct snapshot *s, const struct gobin *g)
{
	static const char package[] = "runtime.", main[] = "runtime.main";
	const struct gofunc *funcs;
	size_t n = gobin_funcs(g, &funcs);

	for (size_t i = 0; i < n; i++) {
		if (strncmp(funcs[i].name, package, sizeof(package) - 1) ||
		    !strcmp(funcs[i].name, main))
			continue;
		if (vec_reserve(&s->runtime, &s->cap_runtime, s->n_runtime + 1))
			return -ENOMEM;
		s->runtime[s->n_runtime++] = (struct snapshot_range){
			funcs[i].vaddr, funcs[i].vaddr + funcs[i].size, 0
		};
	}
	return 0;
}

/* mm->start_code: the 26th field of /proc/PID/stat. 0: it is not to be had. */
static uint64_t start_code(pid_t pid)
{
	char line[PROCESS_STAT_BYTES];
	uint64_t at = 0;
	const char *p = process_stat(pid, line); /* at the blank before the third field */

	for (int field = 3; p && field < 26; field++)
		p = strchr(p + 1, ' ');
	return p && sscanf(p, "%" SCNu64, &at) == 1 ? at : 0;
}

static int32_t larger(int32_t a, int32_t b)
{
	return a > b ? a : b;
}

/* Where in a g is what tells that it ran. */
static void find_marks(struct snapshot *s)
{
	const struct golayout *l = &s->layout;
	const int32_t of[] = { l->g_sched_sp, l->g_sched_pc, l->g_atomicstatus, l->g_goid,
			       l->g_tracking_seq };
	int32_t from = of[0], to = of[0];

	for (size_t i = 1; i < sizeof(of) / sizeof(*of); i++) {
		if (of[i] < 0)
			continue;
		from = of[i] < from ? of[i] : from;
		to = larger(to, of[i]);
	}
	s->mark_from = (size_t)from;
	s->mark_bytes = (size_t)(to - from) + 8;
}

static int understand(struct snapshot *s, const struct gobin *g)
{
	const struct golayout *l = &s->layout;
	int err = gobin_runs_here(g) ? 0 : -ENOTSUP;

	if (!err)
		err = gobin_layout(g, &s->layout);
	if (!err)
		err = gostack_read(g, &s->rows);
	if (!err)
		err = gobin_allgs(g, &s->allgs);
	if (err)
		return err == -ENOMEM ? err : -ENOTSUP;
	if (l->g_atomicstatus < 0 || l->g_goid < 0 || l->g_sched_sp < 0 || l->g_sched_pc < 0 ||
	    l->g_stack_hi < 0 || l->g_waitreason < 0 || l->g_startpc < 0)
		return -ENOTSUP;
	wait_reasons_of(g, &s->reasons); /* else numbers */
	find_specials(s, g);
	/* waitsince lies before waitreason */
	s->g_bytes = (size_t)larger(larger(larger(l->g_atomicstatus, l->g_goid),
					   larger(l->g_sched_sp, l->g_sched_pc)),
				    larger(larger(l->g_stack_hi, l->g_waitreason),
					   larger(l->g_startpc, l->g_m))) +
		     8;
	find_marks(s);
	return find_runtime(s, g);
}

int snapshot_open(struct snapshot *s, pid_t pid, uint64_t most_bytes)
{
	char path[32];
	int err;

	*s = (struct snapshot){ .pid = pid };
	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	int fd = foreign_file_open(path,
				   &(struct foreign_rule){ .most_bytes = FOREIGN_BINARY_BYTES });

	if (fd < 0)
		return fd;
	if (!gostack_is_go(fd, path, most_bytes)) {
		close(fd);
		return -ENOTSUP;
	}
	struct gobin *g = gobin_open_bounded(fd, path, most_bytes);
	err = g ? understand(s, g) : errno == EFBIG ? -EFBIG : -ENOTSUP;
	uint64_t start = start_code(pid);
	if (!err && !start)
		err = -ESRCH;
	s->bias = start - s->rows.start_code;
	s->allgs += s->bias;
	gobin_close(g);
	close(fd);
	if (err)
		snapshot_close(s);
	return err;
}
