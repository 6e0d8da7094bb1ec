/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of Kubernetes' containers. The kubelet keeps a link to the log of each container in one
 * folder, POD_NAMESPACE_CONTAINER-ID.log (kubernetes, pkg/kubelet/kuberuntime/legacy.go). So the
 * names need no socket of a container runtime.
 */
#ifndef GOTRACE_AGENT_PODS_H
#define GOTRACE_AGENT_PODS_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash_index.h"

#define POD_ID_DIGITS 64

struct pod_names {
	char id[POD_ID_DIGITS + 1]; /* id of the container */
	char *pod, *namespace, *container;
};

/* Zeroed but for `directory`. */
struct pods {
	const char *directory; /* borrowed; NULL: no names are known */
	struct pod_names *all;
	size_t n, cap;
	struct hash_index by_id;
	int64_t changed_s, changed_ns; /* time of the folder that was read, 0 if it may be stale */
};

/* Returns the names of a container, valid until the next call. NULL: there are none. It reads the
 * folder again when it does not know the container and the folder has changed. */
const struct pod_names *pods_find(struct pods *p, const char *id);
void pods_free(struct pods *p);

#endif
