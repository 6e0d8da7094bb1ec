// SPDX-License-Identifier: BSD-2-Clause
#include "agent/serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <microhttpd.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "agent/profile_merge.h"
#include "agent/serve_connections.h"
#include "agent/serve_guard.h"
#include "agent/store.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/units.h"

#define PROFILES 8 /* taken at a time */
#define CUTTING_SECONDS                                                                          \
	60                 /* for a stretch to get into the store of a busy host, and the answer \
			    */
#define SECONDS_DEFAULT 15 /* as net/http/pprof has 30, less what scrapers wait for */
#define SECONDS_MAX     600
#define HOUR_NS         3600000000000ull

struct server {
	struct MHD_Daemon *daemon;
	struct serve_agent agent;
	char *directory;
	struct serve_guard guard;
	struct connections connections;
	int stop_fd; /* readable: it is to end */
	/* under the connections' lock */
	unsigned n_profiles;
};

/* ---- answers */

static enum MHD_Result send_bytes(struct MHD_Connection *c, unsigned status, const char *type,
				  char *bytes, size_t n)
{
	struct MHD_Response *r = MHD_create_response_from_buffer(n, bytes, MHD_RESPMEM_MUST_FREE);
	enum MHD_Result ok;

	if (!r) {
		free(bytes);
		return MHD_NO;
	}
	MHD_add_response_header(r, "Content-Type", type);
	MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
	MHD_add_response_header(r, "Connection", "close");
	if (status == MHD_HTTP_UNAUTHORIZED)
		MHD_add_response_header(r, "WWW-Authenticate", "Basic realm=\"gotrace agent\"");
	ok = MHD_queue_response(c, status, r);
	MHD_destroy_response(r);
	return ok;
}

static enum MHD_Result send_error(struct MHD_Connection *c, unsigned status, const char *why)
{
	char *text = NULL;
	int n = asprintf(&text, "%s\n", why);

	return n < 0 ? MHD_NO : send_bytes(c, status, "text/plain; charset=utf-8", text, (size_t)n);
}

/* ---- /debug/pprof/profile */

/* False: the agent is to end, or the client has gone. */
static bool wait_until(const struct server *s, struct MHD_Connection *c, uint64_t ns)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		c, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct pollfd fds[] = { { .fd = s->stop_fd, .events = POLLIN },
				{ .fd = info ? info->connect_fd : -1, .events = POLLRDHUP } };
	uint64_t now;

	while ((now = clock_monotonic_ns()) < ns)
		if (poll(fds, 2, (int)((ns - now) / 1000000 + 1)) > 0)
			return false;
	return true;
}

static bool is_stopping(const struct server *s)
{
	struct pollfd stop = { .fd = s->stop_fd, .events = POLLIN };

	return poll(&stop, 1, 0) > 0;
}

/* What the store has of a stretch of time that begins and ends with the request: no sample of
 * before or after is in it. */
static enum MHD_Result take(struct server *s, struct MHD_Connection *c, struct store_query *q,
			    unsigned long seconds)
{
	struct store store;
	char *bytes;
	size_t n;

	q->first_id = is_stopping(s) ? 0 : s->agent.cut(s->agent.ctx);
	/* Only now they begin. */
	const uint64_t until = clock_monotonic_ns() + seconds * 1000000000ull;
	q->end_id = q->first_id && wait_until(s, c, until) ? s->agent.cut(s->agent.ctx) : 0;
	if (!q->end_id)
		return send_error(c, MHD_HTTP_SERVICE_UNAVAILABLE,
				  "the agent is ending, or its disk is full");
	int err = store_open_to_read(&store, s->directory);

	if (!err)
		err = merge_pprof(&store, q, &bytes, &n);
	store_close(&store);
	if (err == -ENOENT)
		return send_error(c, MHD_HTTP_NOT_FOUND,
				  "there was no sample of that service in this time");
	if (err)
		return send_error(c, MHD_HTTP_INTERNAL_SERVER_ERROR, strerror(-err));
	return send_bytes(c, MHD_HTTP_OK, "application/octet-stream", bytes, n);
}

/* One more, unless there are so many. */
static bool count_profile(struct server *s, bool begins)
{
	pthread_mutex_lock(&s->connections.lock);
	const bool may = !begins || s->n_profiles < PROFILES;

	s->n_profiles += may ? (begins ? 1u : -1u) : 0;
	pthread_mutex_unlock(&s->connections.lock);
	return may;
}

static enum MHD_Result profile(struct server *s, struct MHD_Connection *c)
{
	const char *text = MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, "seconds");
	struct store_query q = { .service = MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND,
									"service") };
	uint64_t seconds = SECONDS_DEFAULT;

	if ((text && parse_decimal(text, SECONDS_MAX, &seconds)) || !seconds)
		return send_error(c, MHD_HTTP_BAD_REQUEST, "seconds is a number from 1 to 600");
	if (!count_profile(s, true))
		return send_error(c, MHD_HTTP_SERVICE_UNAVAILABLE,
				  "8 profiles are being taken; try again later");
	/* The time that this takes is none of the client's silence. */
	MHD_set_connection_option(c, MHD_CONNECTION_OPTION_TIMEOUT,
				  (unsigned)seconds + CUTTING_SECONDS);
	enum MHD_Result ok = take(s, c, &q, seconds);

	count_profile(s, false);
	return ok;
}

/* ---- the index */

static void put_escaped(FILE *out, const char *s)
{
	for (; *s; s++)
		switch (*s) {
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '&':
			fputs("&amp;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		default:
			fputc(*s, out);
		}
}

static void put_url(FILE *out, const char *s)
{
	for (; *s; s++)
		if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~",
			   *s))
			fputc(*s, out);
		else
			fprintf(out, "%%%02X", (unsigned char)*s);
}

static enum MHD_Result list(struct server *s, struct MHD_Connection *c)
{
	static const char sql[] =
		"SELECT service, sum(samples), sum(weight_ns) FROM profiles WHERE from_ns > ?"
		" GROUP BY service ORDER BY 3 DESC, 1";
	const uint64_t now = clock_realtime_ns();
	struct store store;
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	if (!out || store_open_to_read(&store, s->directory)) {
		if (out)
			fclose(out);
		free(text);
		return send_error(c, MHD_HTTP_INTERNAL_SERVER_ERROR, "the store cannot be opened");
	}
	sqlite3_stmt *q = NULL;

	fputs("<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>gotrace agent</title>\n"
	      "<h1>Services of the last hour</h1>\n<table>\n<tr><th>service<th>samples<th>processor seconds\n",
	      out);
	if (!sqlite3_prepare_v2(store.db, sql, -1, &q, NULL))
		sqlite3_bind_int64(q, 1, (int64_t)(now - HOUR_NS));
	while (q && sqlite3_step(q) == SQLITE_ROW) {
		const char *service = (const char *)sqlite3_column_text(q, 0);

		fputs("<tr><td><a href=\"debug/pprof/profile?seconds=15&amp;service=", out);
		put_url(out, service);
		fputs("\">", out);
		put_escaped(out, service);
		fprintf(out, "</a><td>%" PRIu64 "<td>%.3f\n", (uint64_t)sqlite3_column_int64(q, 1),
			(double)sqlite3_column_int64(q, 2) / 1e9);
	}
	fputs("</table>\n<p><a href=\"metrics\">metrics</a>\n</html>\n", out);
	sqlite3_finalize(q);
	store_close(&store);
	fclose(out);
	return text ? send_bytes(c, MHD_HTTP_OK, "text/html; charset=utf-8", text, n) : MHD_NO;
}

static enum MHD_Result send_what(struct server *s, struct MHD_Connection *c, const char *url)
{
	if (!strcmp(url, "/debug/pprof/profile"))
		return profile(s, c);
	if (!strcmp(url, "/metrics")) {
		char *text = s->agent.metrics(s->agent.ctx);

		return text ? send_bytes(c, MHD_HTTP_OK, "text/plain; version=0.0.4; charset=utf-8",
					 text, strlen(text))
			    : MHD_NO;
	}
	if (!strcmp(url, "/") || !strcmp(url, "/debug/pprof/"))
		return list(s, c);
	return send_error(c, MHD_HTTP_NOT_FOUND, "there are /, /debug/pprof/profile and /metrics");
}

static const char *header(struct MHD_Connection *c, const char *name)
{
	return MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

static enum MHD_Result count_guarded(void *ctx, enum MHD_ValueKind kind, const char *name,
				     const char *value)
{
	static const char *const guarded[] = { "Host", "Origin", "Sec-Fetch-Site",
					       "Authorization" };
	unsigned *most = ctx; /* how often each was seen, then the most of them */

	(void)kind, (void)value;
	for (size_t i = 0; i < 4; i++)
		if (!strcasecmp(name, guarded[i]) && ++most[i] > most[4])
			most[4] = most[i];
	return MHD_YES;
}

static const char *refuses(const struct server *s, struct MHD_Connection *c, unsigned *status)
{
	unsigned seen[5] = { 0 };

	MHD_get_connection_values(c, MHD_HEADER_KIND, count_guarded, seen);
	if (seen[4] > 1) {
		/* Only the first of two would be looked at. */
		*status = MHD_HTTP_BAD_REQUEST;
		return "a request has one Host, and at most one Origin and Authorization";
	}
	char *password = NULL, *user = MHD_basic_auth_get_username_password(c, &password);
	const struct serve_asked asked = { .host = header(c, "Host"),
					   .origin = header(c, "Origin"),
					   .fetch_site = header(c, "Sec-Fetch-Site"),
					   .authorization = header(c, "Authorization"),
					   .password = password };
	const char *why = serve_guard_refuses(&s->guard, &asked, status);

	if (user)
		MHD_free(user);
	if (password)
		MHD_free(password);
	return why;
}

static struct connection *connection_of(struct MHD_Connection *c)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

static enum MHD_Result answer(void *ctx, struct MHD_Connection *c, const char *url,
			      const char *method, const char *version, const char *data, size_t *n,
			      void **state)
{
	struct server *s = ctx;
	struct connection *x = connection_of(c);
	unsigned status;

	(void)version, (void)data, (void)n, (void)state;
	if (!x)
		return MHD_NO; /* there was no room */
	const char *why = refuses(s, c, &status);

	if (why)
		return send_error(c, status, why);
	if (strcmp(method, "GET") != 0)
		return send_error(c, MHD_HTTP_METHOD_NOT_ALLOWED, "GET only");
	connections_answering(&s->connections, x, true, clock_monotonic_ns());
	enum MHD_Result ok = send_what(s, c, url);

	connections_answering(&s->connections, x, false, clock_monotonic_ns());
	return ok;
}

static void notify(void *ctx, struct MHD_Connection *c, void **socket_ctx,
		   enum MHD_ConnectionNotificationCode what)
{
	struct server *s = ctx;
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		c, MHD_CONNECTION_INFO_CONNECTION_FD);

	if (what == MHD_CONNECTION_NOTIFY_STARTED)
		*socket_ctx = info ? connections_begin(&s->connections, info->connect_fd,
						       clock_monotonic_ns())
				   : NULL;
	else if (*socket_ctx)
		connections_end(&s->connections, *socket_ctx);
}

/* ---- starting */

static struct MHD_Daemon *listen_at(struct server *s, const char *address, uint16_t port)
{
	const unsigned flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION |
			       MHD_USE_POLL;
	struct sockaddr_in four = { .sin_family = AF_INET, .sin_port = htons(port) };
	struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_port = htons(port) };

	const struct sockaddr *at = NULL;

	if (inet_pton(AF_INET, address, &four.sin_addr) == 1)
		at = (const struct sockaddr *)&four;
	else if (inet_pton(AF_INET6, address, &six.sin6_addr) == 1)
		at = (const struct sockaddr *)&six;
	errno = EINVAL;
	return at ? MHD_start_daemon(flags | (at->sa_family == AF_INET6 ? MHD_USE_IPv6 : 0), port,
				     NULL, NULL, answer, s, MHD_OPTION_SOCK_ADDR, at,
				     MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX,
				     MHD_OPTION_CONNECTION_TIMEOUT,
				     (unsigned)(REQUEST_NS / 1000000000),
				     MHD_OPTION_NOTIFY_CONNECTION, notify, s, MHD_OPTION_END)
		  : NULL;
}

static void free_server(struct server *s)
{
	connections_destroy(&s->connections);
	serve_guard_free(&s->guard);
	if (s->stop_fd >= 0)
		close(s->stop_fd);
	free(s->directory);
	free(s);
}

struct server *server_start(const struct agent_config *c, const struct serve_agent *agent)
{
	struct server *s = calloc(1, sizeof(*s));

	if (!s) {
		log_no_memory("no memory to serve profiles");
		return NULL;
	}
	*s = (struct server){ .agent = *agent,
			      .directory = strdup(c->directory),
			      .stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) };
	connections_init(&s->connections);
	int err = serve_guard_init(&s->guard, c->address, c->token_file);

	if (!err && (!s->directory || s->stop_fd < 0)) {
		log_no_memory("no memory to serve profiles");
		err = -ENOMEM;
	}
	if (!err) {
		s->daemon = listen_at(s, c->address, c->port);
		if (s->daemon)
			return s;
		log_error("cannot listen at %s:%u: %s", c->address, c->port, strerror(errno));
	}
	free_server(s);
	return NULL;
}

void server_stop(struct server *s)
{
	const uint64_t one = 1;

	if (!s)
		return;
	/* who waits for a profile does so no longer */
	if (write(s->stop_fd, &one, sizeof(one)) < 0)
		log_debug("eventfd: %s", strerror(errno));
	MHD_stop_daemon(s->daemon);
	free_server(s);
}
