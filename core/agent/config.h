/* SPDX-License-Identifier: BSD-2-Clause */
/* The agent's file, in JSON. */
#ifndef GOTRACE_AGENT_CONFIG_H
#define GOTRACE_AGENT_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/pairs.h"

/* A rule holds for a process that matches all of its globs. NULL: any process matches. */
struct rule {
	char *executable, *command, *cgroup, *container, *unit;
	struct pairs environment; /* value: a glob */
	/* results for such a process */
	bool drop;
	char *service; /* NULL: another rule or the default decides */
	struct pairs labels;
	bool waiting; /* samples also show its waits */
	char **slow;  /* "main.handle > 500ms": longer calls are recorded */
	size_t n_slow, cap_slow;
};

struct agent_config {
	uint64_t interval_ns;
	unsigned hz;
	unsigned waiting_hz; /* snapshots of processes with `waiting` in a second */
	bool kernel, labels;
	uint64_t memory_bytes; /* memory that the agent may take, see bounds.h */
	char *cgroup;          /* NULL: all processes of the host */
	char *kubernetes_logs; /* folder of the kubelet's links to logs, see pods.h; NULL: none */
	char **environment;    /* variables that the agent may read */
	size_t n_environment, cap_environment;
	struct rule *rules;
	size_t n_rules, cap_rules;
	char host[65];       /* the host's name, a label of all; "" if not known */
	bool drop_others;    /* leave out processes without a rule that holds */
	struct pairs common; /* labels of all */
	/* "store" */
	char *directory;
	uint64_t max_age_ns, max_bytes; /* 0: no limit */
	/* "push"; url is NULL without it */
	char *url;
	bool otlp; /* true: to a Collector of OpenTelemetry; false: to Pyroscope */
	struct pairs headers;
	/* The most bytes of profiles that are not pushed yet. The oldest are dropped first. */
	uint64_t pending_bytes;
	uint64_t timeout_ns;
	/* "listen"; NULL without it */
	char *address;
	uint16_t port;
	char *token_file; /* "listen_token_file"; NULL: no token is required */
};

/* Sets defaults, then reads the text of a file. Messages call the file `path`. Unknown keys are
 * errors. Returns 0, or -errno after one line with the place and the reason. Then no value of the
 * file counts. */
int config_parse(struct agent_config *c, const char *path, const char *text);
/* Returns true if a rule has `waiting`. */
bool config_waits(const struct agent_config *c);
void config_free(struct agent_config *c);

#endif
