/* SPDX-License-Identifier: BSD-2-Clause */
/* Whose perf events: as perf_event_open(2) is told. */
#ifndef GOTRACE_SAMPLE_SCOPE_H
#define GOTRACE_SAMPLE_SCOPE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <sys/types.h>

struct scope {
	pid_t pid; /* a thread; -1: all; or a cgroup's directory, open */
	int cpu;   /* -1: whichever the thread is on */
	unsigned long flags;
};

/* A thread, and what it starts from now on. */
static inline struct scope scope_thread(pid_t tid)
{
	return (struct scope){ .pid = tid, .cpu = -1, .flags = PERF_FLAG_FD_CLOEXEC };
}

/* Everything, or with cgroup_fd not -1 what is in that cgroup or below it; on a CPU at a time. */
static inline struct scope scope_host(int cgroup_fd)
{
	return (struct scope){ .pid = cgroup_fd,
			       .cpu = -1,
			       .flags = PERF_FLAG_FD_CLOEXEC |
					(cgroup_fd < 0 ? 0 : PERF_FLAG_PID_CGROUP) };
}

static inline struct scope scope_on(struct scope s, int cpu)
{
	s.cpu = cpu;
	return s;
}

/* Whether events are of a thread: inherited by what it starts. */
static inline bool scope_is_thread(const struct scope *s)
{
	return s->pid >= 0 && !(s->flags & PERF_FLAG_PID_CGROUP);
}

#endif
