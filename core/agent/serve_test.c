// SPDX-License-Identifier: BSD-2-Clause
/* Who is answered, and that nobody keeps others from it. */

#include <stdio.h>
#include <sys/socket.h>
#include <time.h>

#include "base/test_fixture.h"
#include "agent/serve.c"
#include "trace/samples_fixture.h"

static char dir[64], token_path[80];
static struct server *server;
static uint16_t port;

static void quiet(void *ctx, enum log_level level, const char *line)
{
	(void)ctx, (void)level, (void)line;
}

/* A stretch of a clock that is set back by an hour each time. */
static void add_stretch(struct store *s)
{
	static const uint64_t hour_ns = 3600000000000ull;
	static unsigned n;
	char name[16], path[96];
	const uint64_t from_ns = (500000 - ++n) * hour_ns;
	const struct profile p = { .service = (char *)(uintptr_t) "a",
				   .labels = (char *)(uintptr_t) "{}",
				   .from_ns = from_ns,
				   .to_ns = from_ns + hour_ns / 3600,
				   .samples = FIXTURE_SAMPLES,
				   .event = "cpu-clock",
				   .build_ids = (char *)(uintptr_t) "[]",
				   .path = name };

	snprintf(name, sizeof(name), "stretch%u", n);
	snprintf(path, sizeof(path), "%s/%s.gotrace", dir, name);
	if (!samples_fixture_file(path, true))
		store_add(s, &p, 1, false);
}

static bool sampling;

static int64_t cut(void *ctx)
{
	struct store s;
	int64_t id = 0;

	(void)ctx;
	if (store_open(&s, dir))
		return 0;
	if (sampling)
		add_stretch(&s);
	id = store_next_id(&s);
	store_close(&s);
	return id;
}

static char *metrics(void *ctx)
{
	(void)ctx;
	return strdup("gotrace_x 1\n");
}

static void start(const char *address, char *token_file)
{
	const struct agent_config c = { .directory = dir,
					.address = (char *)(uintptr_t)address,
					.token_file = token_file };
	const struct serve_agent agent = { .cut = cut, .metrics = metrics };
	struct sockaddr_in at;
	socklen_t n = sizeof(at);

	server = server_start(&c, &agent);
	assert_non_null(server);
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(server->daemon,
							       MHD_DAEMON_INFO_LISTEN_FD);

	assert_int_equal(getsockname(info->listen_fd, (struct sockaddr *)&at, &n), 0);
	port = ntohs(at.sin_port);
}

static int connect_to(void)
{
	const struct sockaddr_in at = { .sin_family = AF_INET,
					.sin_port = htons(port),
					.sin_addr = { htonl(INADDR_LOOPBACK) } };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(connect(fd, (const struct sockaddr *)&at, sizeof(at)), 0);
	return fd;
}

/* The status of the answer; 0: the connection was closed without one. */
static int answer_of(int fd)
{
	char text[4096] = "";
	size_t n = 0;
	ssize_t got;
	int status = 0;

	while ((got = read(fd, text + n, sizeof(text) - 1 - n)) > 0)
		n += (size_t)got;
	text[n] = '\0';
	close(fd);
	return sscanf(text, "HTTP/1.1 %d ", &status) == 1 ? status : 0;
}

static int ask_with(const char *path, const char *headers)
{
	char text[1024];
	int fd = connect_to();
	int n = snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\n%s\r\n", path, headers);

	assert_int_equal(send(fd, text, (size_t)n, MSG_NOSIGNAL), n);
	return answer_of(fd);
}

#define HOST "Host: localhost\r\n"

/* ---- tests */

TEST(test_guard)
{
	static const struct {
		struct serve_asked asked;
		unsigned status; /* 0: it is answered */
	} cases[] = {
		{ { .host = "127.0.0.1:4041" }, 0 },
		{ { .host = "127.1.2.3" }, 0 },
		{ { .host = "localhost" }, 0 },
		{ { .host = "LocalHost:4041" }, 0 },
		{ { .host = "[::1]:4041" }, 0 },
		{ { .host = "[::1]" }, 0 },
		{ { 0 }, 400 },
		{ { .host = "" }, 421 },
		{ { .host = "evil.example" }, 421 },
		{ { .host = "evil.example:4041" }, 421 },
		{ { .host = "localhost.evil.example" }, 421 },
		{ { .host = "127.0.0.1.evil.example" }, 421 },
		{ { .host = "192.168.1.1" }, 421 },
		{ { .host = "0.0.0.0:4041" }, 421 },
		{ { .host = "[::1" }, 421 },
		{ { .host = "[" }, 421 },
		{ { .host = "[]" }, 421 },
		{ { .host = "[::1]x" }, 421 },
		{ { .host = "localhost:80@evil.example" }, 421 },
		{ { .host = "localhost", .fetch_site = "none" }, 0 },
		{ { .host = "localhost", .fetch_site = "same-origin" }, 0 },
		{ { .host = "localhost", .fetch_site = "same-site" }, 403 },
		{ { .host = "localhost", .fetch_site = "cross-site" }, 403 },
		{ { .host = "localhost:1", .origin = "http://localhost:1" }, 0 },
		{ { .host = "localhost:1", .origin = "http://localhost:2" }, 403 },
		{ { .host = "localhost", .origin = "null" }, 403 },
		{ { .host = "localhost", .origin = "http://evil.example" }, 403 },
	};
	struct serve_guard g = { .loopback = true };
	const char *host = "profiles.example:4041";
	unsigned status;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *why = serve_guard_refuses(&g, &cases[i].asked, &status);

		if (!why != !cases[i].status || (why && status != cases[i].status))
			fail_msg("host %s: %s", cases[i].asked.host ? cases[i].asked.host : "none",
				 why ? why : "answered");
	}
	g = (struct serve_guard){ .token = (char *)(uintptr_t) "secret" };
	assert_non_null(serve_guard_refuses(&g, &(struct serve_asked){ .host = host }, &status));
	assert_int_equal(status, 401);
	for (int i = 0; i < 6; i++) {
		static const char *const tokens[] = { "secret",  "Secret", "secre",
						      "secrets", "",       "xsecret" };
		char bearer[32];

		snprintf(bearer, sizeof(bearer), "bearer %s", tokens[i]);
		const struct serve_asked by_header = { .host = host, .authorization = bearer },
					 by_password = { .host = host, .password = tokens[i] };

		assert_int_equal(!serve_guard_refuses(&g, &by_header, &status), !i);
		assert_int_equal(!serve_guard_refuses(&g, &by_password, &status), !i);
	}
}

/* Each profile has the stretch that ends with it, whatever the clock says. */
TEST(test_clock_set_back)
{
	start("127.0.0.1", NULL);
	sampling = true;
	assert_int_equal(ask_with("/debug/pprof/profile?seconds=1", HOST), 200);
	assert_int_equal(ask_with("/debug/pprof/profile?seconds=1&service=a", HOST), 200);
	assert_int_equal(ask_with("/debug/pprof/profile?seconds=1&service=b", HOST), 404);
	sampling = false;
	assert_int_equal(ask_with("/debug/pprof/profile?seconds=1", HOST), 404);
	server_stop(server);
}

TEST(test_answers)
{
	start("127.0.0.1", NULL);
	assert_int_equal(ask_with("/metrics", HOST), 200);
	assert_int_equal(ask_with("/", HOST), 200);
	assert_int_equal(ask_with("/x", HOST), 404);
	assert_int_equal(ask_with("/debug/pprof/profile?seconds=0", HOST), 400);
	assert_int_equal(ask_with("/debug/pprof/profile?seconds=", HOST), 400);
	assert_int_equal(ask_with("/debug/pprof/profile?seconds=-18446744073709551615", HOST), 400);
	assert_int_equal(ask_with("/debug/pprof/profile?seconds=1", HOST), 404);
	assert_int_equal(ask_with("/metrics", "Host: evil.example\r\n"), 421);
	assert_int_equal(ask_with("/metrics", ""), 400);
	assert_int_equal(ask_with("/metrics", HOST "host: evil.example\r\n"), 400);
	assert_int_equal(ask_with("/metrics", HOST "Origin: http://localhost\r\n"
						   "Origin: http://evil.example\r\n"),
			 400);
	assert_int_equal(ask_with("/metrics", HOST "Sec-Fetch-Site: cross-site\r\n"), 403);
	server_stop(server);
}

TEST(test_token)
{
	FILE *f = fopen(token_path, "w");

	assert_true(f && fputs("secret\n", f) >= 0 && !fclose(f));
	start("0.0.0.0", token_path);
	assert_int_equal(ask_with("/metrics", "Host: here.example\r\n"), 401);
	assert_int_equal(ask_with("/metrics", "Host: here.example\r\nAuthorization: Bearer no\r\n"),
			 401);
	assert_int_equal(ask_with("/metrics",
				  "Host: here.example\r\nAuthorization: Bearer secret\r\n"),
			 200);
	/* me:secret */
	assert_int_equal(ask_with("/metrics",
				  "Host: here.example\r\nAuthorization: Basic bWU6c2VjcmV0\r\n"),
			 200);
	server_stop(server);
}

/* Connections that say nothing, or a letter now and then, keep nobody out; those that are answered
 * stay. */
TEST(test_silent)
{
	int silent[5 * CONNECTIONS];

	start("127.0.0.1", NULL);
	for (size_t i = 0; i < sizeof(silent) / sizeof(*silent); i++) {
		silent[i] = connect_to();
		assert_true(send(silent[i], "GET /", i % 6, MSG_NOSIGNAL) >= 0);
	}
	for (int i = 0; i < 3; i++)
		assert_int_equal(ask_with("/metrics", HOST), 200);
	/* the oldest are those that were closed */
	assert_int_equal(answer_of(silent[0]), 0);
	server_stop(server);
	for (size_t i = 1; i < sizeof(silent) / sizeof(*silent); i++)
		close(silent[i]);
}

/* Which connection has to go. */
TEST(test_pushed_out)
{
	struct connection *all[CONNECTIONS], *last;
	struct connections c;
	int ends[2 * CONNECTIONS + 2];
	char letter;

	connections_init(&c);
	for (size_t i = 0; i <= CONNECTIONS; i++)
		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends + 2 * i),
				 0);
	for (size_t i = 0; i < CONNECTIONS; i++)
		all[i] = connections_begin(&c, ends[2 * i], i);
	connections_answering(&c, all[0], true, 3);
	last = connections_begin(&c, ends[2 * CONNECTIONS], CONNECTIONS);
	assert_non_null(last);
	assert_true(all[1]->pushed_out); /* the oldest that is not answered */
	for (size_t i = 0; i < CONNECTIONS; i++) {
		assert_int_equal(all[i]->pushed_out, i == 1);
		assert_int_equal(recv(ends[2 * i + 1], &letter, 1, 0), i == 1 ? 0 : -1);
	}
	connections_end(&c, all[1]);
	/* those that have had their time, though there is room */
	connections_end(&c, last);
	last = connections_begin(&c, ends[2 * CONNECTIONS], REQUEST_NS + 5);
	for (size_t i = 2; i < CONNECTIONS; i++)
		assert_int_equal(all[i]->pushed_out, i < 5);
	assert_false(all[0]->pushed_out);
	connections_destroy(&c);
	for (size_t i = 0; i < 2 * CONNECTIONS + 2; i++)
		close(ends[i]);
}

/* Profiles that take ten minutes: there is an end to how many, others are answered meanwhile, and
 * the server ends without waiting for them. */
TEST(test_stop)
{
	static const char request[] =
		"GET /debug/pprof/profile?seconds=600 HTTP/1.1\r\nHost: localhost\r\n\r\n";
	int fds[PROFILES];
	unsigned n = 0;

	start("127.0.0.1", NULL);
	for (size_t i = 0; i < PROFILES; i++) {
		fds[i] = connect_to();
		assert_true(send(fds[i], request, strlen(request), MSG_NOSIGNAL) > 0);
	}
	while (n < PROFILES) {
		pthread_mutex_lock(&server->connections.lock);
		n = server->n_profiles;
		pthread_mutex_unlock(&server->connections.lock);
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
	assert_int_equal(ask_with("/debug/pprof/profile?seconds=600", HOST), 503);
	assert_int_equal(ask_with("/metrics", HOST), 200);
	/* who goes away is not waited for */
	close(fds[0]);
	while (n == PROFILES) {
		pthread_mutex_lock(&server->connections.lock);
		n = server->n_profiles;
		pthread_mutex_unlock(&server->connections.lock);
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
	server_stop(server);
	for (size_t i = 1; i < PROFILES; i++)
		close(fds[i]);
}

FIXTURE(set_up)
{
	struct store s;

	log_set_sink(quiet, NULL);
	snprintf(dir, sizeof(dir), "/tmp/serve_test.XXXXXX");
	if (!mkdtemp(dir) || store_open(&s, dir))
		return -1;
	store_close(&s);
	snprintf(token_path, sizeof(token_path), "%s/token", dir);
	return 0;
}
FIXTURE(tear_down)
{
	char command[128];

	log_set_sink(NULL, NULL);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

TESTS_BETWEEN(set_up, tear_down, test_guard, test_answers, test_clock_set_back, test_token,
	      test_silent, test_pushed_out, test_stop)
