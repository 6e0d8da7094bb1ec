/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads and CPUs of perf events, in the terms of perf_event_open(2). */
#ifndef GOTRACE_SAMPLE_SCOPE_H
#define GOTRACE_SAMPLE_SCOPE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <sys/types.h>

struct scope {
	pid_t pid; /* a thread, or an open directory of a cgroup; -1: all */
	int cpu;   /* -1: any CPU */
	unsigned long flags;
};

/* A thread, and the threads that it starts from now on. */
static inline struct scope scope_thread(pid_t tid)
{
	return (struct scope){ .pid = tid, .cpu = -1, .flags = PERF_FLAG_FD_CLOEXEC };
}

/* All threads, or those in the cgroup of cgroup_fd and below it if cgroup_fd is not -1. An event
 * has one CPU. */
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

/* Returns true if the events belong to a thread. Threads that it starts inherit them. */
static inline bool scope_is_thread(const struct scope *s)
{
	return s->pid >= 0 && !(s->flags & PERF_FLAG_PID_CGROUP);
}

#endif
