/* SPDX-License-Identifier: BSD-2-Clause */
/* What `gotrace agent` was asked for: a file in JSON. */
#ifndef GOTRACE_AGENT_CONFIG_H
#define GOTRACE_AGENT_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/pairs.h"

/* A rule holds of a process that all of its globs match; NULL: it does not ask. */
struct rule {
	char *executable, *command, *cgroup, *container, *unit;
	struct pairs environment; /* value: a glob */
	/* what it says of such a process */
	bool drop;
	char *service; /* NULL: another rule, or the default */
	struct pairs labels;
	bool waiting; /* what it does besides executing is told of, too */
	char **slow;  /* "main.handle > 500ms": calls that are recorded when they take longer */
	size_t n_slow, cap_slow;
};

struct agent_config {
	uint64_t interval_ns;
	unsigned hz;
	unsigned waiting_hz; /* snapshots a second of processes with `waiting` */
	bool kernel, labels;
	uint64_t memory_bytes; /* that the agent may take: see bounds.h */
	char *cgroup;          /* NULL: all processes of the host */
	char **environment;    /* variables that may be read */
	size_t n_environment, cap_environment;
	struct rule *rules;
	size_t n_rules, cap_rules;
	char host[65];       /* the host's name, a label of all; "": not known */
	bool drop_others;    /* processes that no rule holds of */
	struct pairs common; /* labels of all */
	/* "store" */
	char *directory;
	uint64_t max_age_ns, max_bytes; /* 0: no limit */
	/* "push"; url NULL: nothing is pushed */
	char *url;
	bool otlp; /* to a Collector of OpenTelemetry, else to Pyroscope */
	struct pairs headers;
	uint64_t pending_bytes; /* of what is not pushed yet; the oldest give way */
	uint64_t timeout_ns;
	/* "listen"; NULL: nothing is served */
	char *address;
	uint16_t port;
	char *token_file; /* "listen_token_file"; NULL: no token is needed */
};

/* Defaults, then what the text of a file says, which messages call `path`. Keys that are not known
 * are errors. 0, or -errno after one line that says where and why: nothing of a wrong file counts.
 */
int config_parse(struct agent_config *c, const char *path, const char *text);
/* Whether a rule wants to know for what processes wait. */
bool config_waits(const struct agent_config *c);
void config_free(struct agent_config *c);

#endif
