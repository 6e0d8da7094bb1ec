/* SPDX-License-Identifier: BSD-2-Clause */
/* Whose requests the agent answers. */
#ifndef GOTRACE_AGENT_SERVE_GUARD_H
#define GOTRACE_AGENT_SERVE_GUARD_H

#include <stdbool.h>

struct serve_guard {
	bool loopback; /* it listens on an address of this host alone */
	char *token;   /* NULL: none is needed */
};

/* What a request says of itself; NULL: nothing. */
struct serve_asked {
	const char *host, *origin, *fetch_site;
	const char *authorization; /* the whole header */
	const char *password;      /* of Basic authorization */
};

/* An IPv4 or IPv6 address: *loopback. False: it is none. */
bool address_parse(const char *address, bool *loopback);
/*
 * token_file: NULL, or a regular file whose first line is the token. 0 or -errno (logged);
 * serve_guard_free.
 */
int serve_guard_init(struct serve_guard *g, const char *address, const char *token_file);
void serve_guard_free(struct serve_guard *g);
/*
 * NULL: the request is answered. Else why not, and *status of HTTP. A browser's request for a page
 * of another site is not, nor one by a name that leads here (DNS rebinding), nor one without the
 * token where there is one.
 */
const char *serve_guard_refuses(const struct serve_guard *g, const struct serve_asked *a,
				unsigned *status);

#endif
