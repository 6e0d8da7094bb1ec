/* SPDX-License-Identifier: BSD-2-Clause */
/* The connections of the agent's server: so many at a time, and none for long without a request. */
#ifndef GOTRACE_AGENT_SERVE_CONNECTIONS_H
#define GOTRACE_AGENT_SERVE_CONNECTIONS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define CONNECTIONS     16 /* at a time; a further one pushes out the oldest that is not answered */
#define CONNECTIONS_MAX (8 * CONNECTIONS) /* with those that are being closed */
#define REQUEST_NS      10000000000ull    /* for a request to come, and for its answer to go */

struct connection {
	int fd;            /* -1: free */
	uint64_t since_ns; /* that it has waited for its client */
	bool answering, pushed_out;
};

struct connections {
	pthread_mutex_t lock;
	struct connection all[CONNECTIONS_MAX];
};

void connections_init(struct connections *c);
void connections_destroy(struct connections *c);
/*
 * A new one, whose descriptor stays the caller's. Shuts down those that have waited for too long,
 * and if there are still too many the one that has waited longest. NULL: there is no room at all.
 */
struct connection *connections_begin(struct connections *c, int fd, uint64_t now_ns);
/* Before its descriptor is closed. */
void connections_end(struct connections *c, struct connection *x);
/* While it is answered it is not pushed out. */
void connections_answering(struct connections *c, struct connection *x, bool answering,
			   uint64_t now_ns);

#endif
