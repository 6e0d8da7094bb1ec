/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The agent's HTTP server, GET only:
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

/* The agent's functions for a request. Threads of the server call them. */
struct serve_agent {
	/* Ends the present stretch and waits until it is in the store. Returns the number of the
	 * store's next row, or 0 on failure. Steps of clocks do not matter. */
	int64_t (*cut)(void *ctx);
	/* Returns the text of /metrics. The caller frees it. NULL: no memory. */
	char *(*metrics)(void *ctx);
	void *ctx;
};

/* Returns NULL (logged) if it cannot listen there. */
struct server *server_start(const struct agent_config *c, const struct serve_agent *agent);
void server_stop(struct server *s);

#endif
