/* SPDX-License-Identifier: BSD-2-Clause */
/* Facts on a process besides its samples. Rules test them, and labels are made of them. */
#ifndef GOTRACE_AGENT_FACTS_H
#define GOTRACE_AGENT_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pod_names;

struct fact_env {
	char *name, *value;
};

/* A field is NULL if it is not known, such as those of a process that ended before it was read. */
struct facts {
	uint32_t pid;
	char *executable; /* path */
	char *program;    /* the name that started it, else the last part of `executable` or the
			     process's name */
	bool kernel;      /* a thread of the kernel */
	char *command;    /* arguments, joined by spaces */
	char *cgroup;     /* path below the hierarchy's root */
	char *container;  /* id of the container, 64 hexadecimal digits */
	char *pod;        /* the uid of a pod of Kubernetes */
	const struct pod_names *names; /* names in Kubernetes; borrowed */
	char *unit;                    /* unit of systemd: "nginx.service" */
	struct fact_env *env;
	size_t n_env;
};

/* Reads the facts below `proc` ("/proc", but another folder in tests). It reads only the
 * environment variables in `allowed`. executable is the path in the samples, or NULL. Returns 0 or
 * -ENOMEM. The caller calls facts_free in either case. */
int facts_read(struct facts *f, const char *proc, uint32_t pid, const char *executable,
	       const char *comm, const char *const *allowed, size_t n_allowed);
/* Returns the value of an environment variable. NULL: it is not set, or was not allowed. */
const char *facts_env(const struct facts *f, const char *name);
void facts_free(struct facts *f);

#endif
