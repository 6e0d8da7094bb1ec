/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the agent answers by HTTP, GET only:
 *
 *	/                       services of the last hour, with links
 *	/debug/pprof/profile    ?seconds=N&service=S: samples of the next N seconds, as pprof
 *	/metrics                for Prometheus
 */
#ifndef GOTRACE_AGENT_SERVE_H
#define GOTRACE_AGENT_SERVE_H

#include <stdint.h>

#include "agent/config.h"

struct server;

/* What the agent does for a request; threads of the server call these. */
struct serve_agent {
	/* Ends the stretch that is being sampled and waits until it is in the store. The number
	 * that the store's next row will have; 0: it could not. Clocks that jump do not matter. */
	int64_t (*cut)(void *ctx);
	/* The text of /metrics, to be freed; NULL: no memory. */
	char *(*metrics)(void *ctx);
	void *ctx;
};

/* NULL (logged): it cannot listen there. */
struct server *server_start(const struct agent_config *c, const struct serve_agent *agent);
void server_stop(struct server *s);

#endif
