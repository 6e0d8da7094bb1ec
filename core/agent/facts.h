/* SPDX-License-Identifier: BSD-2-Clause */
/* What is known of a process besides its samples: what rules go by and labels are made of. */
#ifndef GOTRACE_AGENT_FACTS_H
#define GOTRACE_AGENT_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fact_env {
	char *name, *value;
};

/* NULL: not known, as of a process that has ended before it was asked for. */
struct facts {
	uint32_t pid;
	char *executable; /* path */
	char *program;    /* the name that it was started by, else the last part of that or the
			   * process's name */
	bool kernel;      /* a thread of the kernel */
	char *command;    /* arguments, joined by spaces */
	char *cgroup;     /* path below the hierarchy's root */
	char *container;  /* id of the container, 64 hexadecimal digits */
	char *pod;        /* the uid of a pod of Kubernetes */
	char *unit;       /* of systemd: "nginx.service" */
	struct fact_env *env;
	size_t n_env;
};

/* Reads them below `proc` ("/proc"; tests have another): of the environment the variables in
 * `allowed` alone. executable, NULL: not known, is what the samples say. 0 or -ENOMEM; facts_free
 * in either case. */
int facts_read(struct facts *f, const char *proc, uint32_t pid, const char *executable,
	       const char *comm, const char *const *allowed, size_t n_allowed);
/* NULL: it has none, or it was not allowed. */
const char *facts_env(const struct facts *f, const char *name);
void facts_free(struct facts *f);

#endif
