/* SPDX-License-Identifier: BSD-2-Clause */
/* Which service a process belongs to, and which labels it has. */
#ifndef GOTRACE_LABEL_RULES_H
#define GOTRACE_LABEL_RULES_H

#include "agent/config.h"
#include "agent/facts.h"
#include "agent/pairs.h"

/*
 * Rules are tried in their order. One that holds and drops ends it: false, the process is not
 * wanted. The first that holds and names a service decides which; labels of all that hold are
 * taken, of one name the first. Then come the labels of all processes, then those that are always
 * there: executable, container_id. *service and the pairs are to be freed . -ENOMEM in *err.
 *
 * Without a rule the service is, as far as it is known: the variable OTEL_SERVICE_NAME, if it may
 * be read; the systemd unit without ".service"; the program, with the container's first 12 digits
 * before it where there is a container.
 */
bool rules_apply(const struct agent_config *c, const struct facts *f, char **service,
		 struct pairs *labels, int *err);
/* Whether a rule that holds has `waiting`. */
bool rules_waiting(const struct agent_config *c, const struct facts *f);
/* Whether the rule holds. */
bool rule_holds(const struct rule *r, const struct facts *f);

#endif
