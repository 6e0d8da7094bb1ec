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
	const char *cgroup; /* the user's name of it; NULL: all */
	/* found out on the way */
	int cgroup_fd;         /* descriptor of its directory; -1: all */
	uint64_t began_cpu_ns; /* processor time used before the start */
};

/* Finds the cgroup. The name is a folder, or a path below the mount point of cgroups. Returns 0 or
 * -errno (logged). */
int host_open(struct host *h);
/* Opens the events of each CPU. Then it adds the processes that exist. Returns 0 or -errno
 * (logged). */
int host_attach(struct sampling *s);
/* Opens the events of CPUs that came online later. */
void host_attach_again(struct sampling *s);
/* host_cpu_ns counts from now on. */
void host_cpu_begins(struct host *h);
/* Returns the processor time of the processes since host_cpu_begins. 0: not known. */
uint64_t host_cpu_ns(const struct host *h);
void host_close(struct host *h);

#endif
