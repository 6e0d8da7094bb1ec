// SPDX-License-Identifier: BSD-2-Clause
#include "agent/serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent/merge.h"
#include "agent/store.h"
#include "base/clock.h"
#include "base/log.h"

#define CONNECTIONS     16
#define SECONDS_DEFAULT 15 /* as net/http/pprof has 30, less what scrapers wait for */
#define SECONDS_MAX     600
#define HOUR_NS         3600000000000ull

struct server {
	struct MHD_Daemon *daemon;
	struct serve_agent agent;
	char *directory;
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

static void sleep_until(uint64_t ns)
{
	const struct timespec until = { .tv_sec = (time_t)(ns / 1000000000),
					.tv_nsec = (long)(ns % 1000000000) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
		;
}

static enum MHD_Result profile(struct server *s, struct MHD_Connection *c)
{
	const char *text = MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, "seconds");
	struct store_query q = { .service = MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND,
									"service") };
	char *end = NULL, *bytes;
	unsigned long seconds = text ? strtoul(text, &end, 10) : SECONDS_DEFAULT;
	struct store store;
	size_t n;

	if ((end && *end) || !seconds || seconds > SECONDS_MAX)
		return send_error(c, MHD_HTTP_BAD_REQUEST, "seconds is a number from 1 to 600");
	/* The stretch begins and ends with the request: no sample of before or after is in it. */
	const uint64_t until = clock_monotonic_ns() + seconds * 1000000000ull;

	q.from_ns = s->agent.cut(s->agent.ctx);
	sleep_until(until);
	q.to_ns = q.from_ns ? s->agent.cut(s->agent.ctx) : 0;
	if (!q.to_ns)
		return send_error(c, MHD_HTTP_SERVICE_UNAVAILABLE,
				  "the agent is ending, or its disk is full");
	int err = store_open_to_read(&store, s->directory);

	if (!err)
		err = merge_pprof(&store, &q, &bytes, &n);
	store_close(&store);
	if (err == -ENOENT)
		return send_error(c, MHD_HTTP_NOT_FOUND,
				  "there was no sample of that service in this time");
	if (err)
		return send_error(c, MHD_HTTP_INTERNAL_SERVER_ERROR, strerror(-err));
	return send_bytes(c, MHD_HTTP_OK, "application/octet-stream", bytes, n);
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

static enum MHD_Result answer(void *ctx, struct MHD_Connection *c, const char *url,
			      const char *method, const char *version, const char *data, size_t *n,
			      void **state)
{
	struct server *s = ctx;

	(void)version, (void)data, (void)n, (void)state;
	if (strcmp(method, "GET") != 0)
		return send_error(c, MHD_HTTP_METHOD_NOT_ALLOWED, "GET only");
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

/* ---- starting */

static struct MHD_Daemon *listen_at(struct server *s, const char *address, uint16_t port)
{
	const unsigned flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION |
			       MHD_USE_POLL;
	struct sockaddr_in four = { .sin_family = AF_INET, .sin_port = htons(port) };
	struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_port = htons(port) };

	if (inet_pton(AF_INET, address, &four.sin_addr) == 1)
		return MHD_start_daemon(flags, port, NULL, NULL, answer, s, MHD_OPTION_SOCK_ADDR,
					&four, MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS,
					MHD_OPTION_END);
	if (inet_pton(AF_INET6, address, &six.sin6_addr) == 1)
		return MHD_start_daemon(flags | MHD_USE_IPv6, port, NULL, NULL, answer, s,
					MHD_OPTION_SOCK_ADDR, &six, MHD_OPTION_CONNECTION_LIMIT,
					CONNECTIONS, MHD_OPTION_END);
	errno = EINVAL;
	return NULL;
}

struct server *server_start(const struct agent_config *c, const struct serve_agent *agent)
{
	struct server *s = calloc(1, sizeof(*s));

	if (s)
		*s = (struct server){ .agent = *agent, .directory = strdup(c->directory) };
	if (!s || !s->directory) {
		log_no_memory("no memory to serve profiles");
		free(s);
		return NULL;
	}
	s->daemon = listen_at(s, c->address, c->port);
	if (s->daemon)
		return s;
	log_error("%s:%u: cannot be listened at: %s", c->address, c->port, strerror(errno));
	free(s->directory);
	free(s);
	return NULL;
}

void server_stop(struct server *s)
{
	if (!s)
		return;
	MHD_stop_daemon(s->daemon);
	free(s->directory);
	free(s);
}
