/* SPDX-License-Identifier: BSD-2-Clause */
/* The connections of the agent's server. Their number is limited, and none stays long without a
 * request. */
#ifndef GOTRACE_AGENT_SERVE_CONNECTIONS_H
#define GOTRACE_AGENT_SERVE_CONNECTIONS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define CONNECTIONS     16 /* at a time; another one closes the oldest unanswered one */
#define CONNECTIONS_MAX (8 * CONNECTIONS) /* including those in closing */
#define REQUEST_NS      10000000000ull    /* most for a request, and for sending its answer */

struct connection {
	int fd;            /* -1: free */
	uint64_t since_ns; /* since then it waits for its client */
	bool answering, pushed_out;
};

struct connections {
	pthread_mutex_t lock;
	struct connection all[CONNECTIONS_MAX];
};

void connections_init(struct connections *c);
void connections_destroy(struct connections *c);
/*
 * Adds a connection. The caller keeps its descriptor. Shuts down connections that have waited too
 * long. If there are still too many, shuts down the one that has waited longest. Returns NULL if
 * there is no room.
 */
struct connection *connections_begin(struct connections *c, int fd, uint64_t now_ns);
/* Removes a connection. The caller calls it before it closes the descriptor. */
void connections_end(struct connections *c, struct connection *x);
/* Sets whether the connection is answered at present. Such a connection is not shut down. */
void connections_answering(struct connections *c, struct connection *x, bool answering,
			   uint64_t now_ns);

#endif
