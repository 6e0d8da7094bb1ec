/* SPDX-License-Identifier: BSD-2-Clause */
/* gotrace sample -a, --cgroup: all processes of the host or of a cgroup, those that begin later
 * included. */
#ifndef GOTRACE_SAMPLE_HOST_H
#define GOTRACE_SAMPLE_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sampling;

struct host {
	/* given */
	bool on;
	const char *cgroup; /* as the user names it; NULL: all */
	/* found out on the way */
	int cgroup_fd; /* its directory; -1: all */
	bool *open;    /* by CPU: its events are */
	size_t n_cpus, n_open;
	uint64_t late;         /* CPUs that came online since */
	uint64_t began_cpu_ns; /* processor time that was used by then */
};

/* Finds the cgroup: a folder, or a name below where cgroups are mounted. 0 or -errno (logged). */
int host_open(struct host *h);
/* Opens the events of each CPU, then tells of the processes that there are. 0 or -errno (logged).
 */
int host_attach(struct sampling *s);
/* CPUs that are online since. */
void host_attach_again(struct sampling *s);
/* From now on host_cpu_ns counts. */
void host_cpu_begins(struct host *h);
/* Processor time that its processes have used since; 0: not known. */
uint64_t host_cpu_ns(const struct host *h);
void host_close(struct host *h);

#endif
