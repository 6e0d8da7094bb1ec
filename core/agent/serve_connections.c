// SPDX-License-Identifier: BSD-2-Clause
#include "agent/serve_connections.h"

#include <stddef.h>
#include <sys/socket.h>

void connections_init(struct connections *c)
{
	pthread_mutex_init(&c->lock, NULL);
	for (size_t i = 0; i < CONNECTIONS_MAX; i++)
		c->all[i] = (struct connection){ .fd = -1 };
}

void connections_destroy(struct connections *c)
{
	pthread_mutex_destroy(&c->lock);
}

/* Its thread wakes up, and closes it. */
static void push_out(struct connection *x)
{
	x->pushed_out = true;
	shutdown(x->fd, SHUT_RDWR);
}

static void make_room(struct connections *c, uint64_t now_ns)
{
	struct connection *oldest = NULL;
	unsigned n = 0;

	for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
		struct connection *x = &c->all[i];

		if (x->fd < 0 || x->pushed_out)
			continue;
		n++;
		if (x->answering)
			continue;
		if (x->since_ns + REQUEST_NS < now_ns) { /* it may have begun after now_ns */
			push_out(x);
			n--;
		} else if (!oldest || x->since_ns < oldest->since_ns) {
			oldest = x;
		}
	}
	if (n >= CONNECTIONS && oldest)
		push_out(oldest);
}

struct connection *connections_begin(struct connections *c, int fd, uint64_t now_ns)
{
	struct connection *new = NULL;

	pthread_mutex_lock(&c->lock);
	make_room(c, now_ns);
	for (size_t i = 0; i < CONNECTIONS_MAX && !new; i++)
		if (c->all[i].fd < 0)
			new = &c->all[i];
	if (new)
		*new = (struct connection){ .fd = fd, .since_ns = now_ns };
	pthread_mutex_unlock(&c->lock);
	return new;
}

void connections_end(struct connections *c, struct connection *x)
{
	pthread_mutex_lock(&c->lock);
	x->fd = -1;
	pthread_mutex_unlock(&c->lock);
}

void connections_answering(struct connections *c, struct connection *x, bool answering,
			   uint64_t now_ns)
{
	pthread_mutex_lock(&c->lock);
	x->answering = answering;
	x->since_ns = now_ns;
	pthread_mutex_unlock(&c->lock);
}
