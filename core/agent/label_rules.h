/* SPDX-License-Identifier: BSD-2-Clause */
/* The service and the labels of a process, by rules. */
#ifndef GOTRACE_LABEL_RULES_H
#define GOTRACE_LABEL_RULES_H

#include "agent/config.h"
#include "agent/facts.h"
#include "agent/pairs.h"

/*
 * Tries the rules in their order. If a rule holds and drops, returns false: the process is not
 * wanted. The first rule that holds and names a service decides the service. Labels of all rules
 * that hold are taken; the first one of a name counts. Then come the labels of all processes, then
 * those that are known of the process: host, executable, container_id, pod_uid, namespace, pod,
 * container. The caller frees *service and the pairs. *err is -ENOMEM without memory.
 *
 * Without a rule the service is the first known of four. The first is the variable
 * OTEL_SERVICE_NAME, if the agent may read it. The second is the systemd unit without ".service".
 * The third is NAMESPACE/CONTAINER of Kubernetes. The last is the program, with the container's
 * first 12 digits before it if there is a container.
 */
bool rules_apply(const struct agent_config *c, const struct facts *f, char **service,
		 struct pairs *labels, int *err);
/* Returns true if a rule that holds has `waiting`. */
bool rules_waiting(const struct agent_config *c, const struct facts *f);
/* Returns true if the rule holds. */
bool rule_holds(const struct rule *r, const struct facts *f);

#endif
