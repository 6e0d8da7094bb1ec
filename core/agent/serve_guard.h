/* SPDX-License-Identifier: BSD-2-Clause */
/* Decides which requests the agent answers. */
#ifndef GOTRACE_AGENT_SERVE_GUARD_H
#define GOTRACE_AGENT_SERVE_GUARD_H

#include <stdbool.h>

struct serve_guard {
	bool loopback; /* it listens only on an address of this host */
	char *token;   /* NULL: no token is required */
};

/* Headers of a request; NULL: missing. */
struct serve_asked {
	const char *host, *origin, *fetch_site;
	const char *authorization; /* the whole header */
	const char *password;      /* password of Basic authorization */
};

/* Parses an IPv4 or IPv6 address and sets *loopback. Returns false if it is no address. */
bool address_parse(const char *address, bool *loopback);
/*
 * token_file: NULL, or a regular file whose first line is the token. Returns 0 or -errno (logged).
 * The caller calls serve_guard_free.
 */
int serve_guard_init(struct serve_guard *g, const char *address, const char *token_file);
void serve_guard_free(struct serve_guard *g);
/*
 * Returns NULL if the agent answers the request. Otherwise returns the reason, and sets *status of
 * HTTP. It refuses a browser's request for a page of another site, and a request by a name that
 * leads here (DNS rebinding). If there is a token, it refuses a request without it.
 */
const char *serve_guard_refuses(const struct serve_guard *g, const struct serve_asked *a,
				unsigned *status);

#endif
