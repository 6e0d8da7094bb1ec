// SPDX-License-Identifier: BSD-2-Clause
/* Servers whose answers have no end. */

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "agent/push.h"
#include "agent/store.h"
#include "base/log.h"
#include "push.pb-c.h"

static char dir[64];

static void quiet(void *ctx, enum log_level level, const char *line)
{
	(void)ctx, (void)level, (void)line;
}

struct endless {
	int listen_fd;
	const char *begin, *more; /* sent once; again and again */
};

/* To each who comes, until nobody does. */
static void *answer(void *ctx)
{
	const struct endless *e = ctx;
	char some[512];
	int fd;

	while ((fd = accept(e->listen_fd, NULL, NULL)) >= 0) {
		bool goes_on = recv(fd, some, sizeof(some), 0) > 0 &&
			       send(fd, e->begin, strlen(e->begin), MSG_NOSIGNAL) > 0;

		while (goes_on)
			goes_on = send(fd, e->more, strlen(e->more), MSG_NOSIGNAL) > 0;
		close(fd);
	}
	return NULL;
}

/* What is counted first: pushed, refused or a failure. */
static struct push_counts push_to(const char *begin, const char *more)
{
	struct endless e = { socket(AF_INET, SOCK_STREAM, 0), begin, more };
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	struct push_counts n = { 0 };
	socklen_t size = sizeof(at);
	char url[64];
	pthread_t thread;

	assert_int_equal(bind(e.listen_fd, (struct sockaddr *)&at, size), 0);
	assert_int_equal(listen(e.listen_fd, 5), 0);
	assert_int_equal(getsockname(e.listen_fd, (struct sockaddr *)&at, &size), 0);
	assert_int_equal(pthread_create(&thread, NULL, answer, &e), 0);
	snprintf(url, sizeof(url), "http://127.0.0.1:%u", ntohs(at.sin_port));
	struct pusher *p = pusher_start(&(struct agent_config){
		.directory = dir, .url = url, .timeout_ns = 3600000000000ull });

	assert_non_null(p);
	while (!n.pushed && !n.refused && !n.failures) {
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
		n = pusher_counts(p);
	}
	pusher_stop(p, 0);
	shutdown(e.listen_fd, SHUT_RDWR);
	pthread_join(thread, NULL);
	close(e.listen_fd);
	return n;
}

static void add_row(struct store *s, char *path)
{
	const struct profile p = { .service = (char *)(uintptr_t) "a",
				   .labels = (char *)(uintptr_t) "{\"host\":\"h\"}",
				   .from_ns = 1,
				   .to_ns = 2,
				   .samples = 1,
				   .event = "cpu-clock",
				   .build_ids = (char *)(uintptr_t) "[]",
				   .path = path };

	assert_int_equal(store_add(s, &p, 1, true), 0);
}

/* `bytes` stand for a profile that nobody reads. */
static void add_profiles(unsigned n, size_t bytes)
{
	char *some = malloc(bytes);
	struct store s;

	assert_non_null(some);
	memset(some, 'p', bytes);
	assert_int_equal(store_open(&s, dir), 0);
	for (unsigned i = 0; i < n; i++) {
		char file[128], name[16];

		snprintf(name, sizeof(name), "x%u", i);
		snprintf(file, sizeof(file), "%s/%s.pb.gz", dir, name);
		FILE *f = fopen(file, "w");

		assert_true(f && fwrite(some, 1, bytes, f) == bytes && !fclose(f));
		add_row(&s, name);
	}
	store_close(&s);
	free(some);
}
static void add_profile(void)
{
	add_profiles(1, 7);
}

/* ---- several profiles in one request */

#define MOST 256

/* A server of Pyroscope's; refuses what has more than `most` profiles, and the profile `never`. */
struct taking {
	int listen_fd;
	size_t most, never;       /* 0: none */
	size_t requests[MOST], n; /* profiles of each that was taken */
	size_t largest;           /* bytes */
	unsigned refused;
	char ids[MOST][64];
	size_t n_ids;
};

/* A request with its body; NULL: the connection ended. */
static uint8_t *read_request(int fd, size_t *size)
{
	size_t n = 0, cap = 1 << 16;
	char *all = malloc(cap), *body, *length;
	ssize_t got;

	assert_non_null(all);
	while ((got = recv(fd, all + n, cap - 1 - n, 0)) > 0) {
		n += (size_t)got;
		all[n] = '\0';
		if (cap - n < 1 << 15) {
			all = realloc(all, cap *= 2);
			assert_non_null(all);
		}
		body = memmem(all, n, "\r\n\r\n", 4);
		length = strcasestr(all, "content-length: ");
		if (!body || !length)
			continue;
		body += 4;
		*size = strtoull(length + 16, NULL, 10);
		if (n - (size_t)(body - all) < *size)
			continue;
		uint8_t *copy = malloc(*size + 1);

		assert_non_null(copy);
		memcpy(copy, body, *size);
		free(all);
		return copy;
	}
	free(all);
	return NULL;
}

static bool takes(struct taking *t, const Gotrace__Push__PushRequest *r)
{
	bool takes = !t->most || r->n_series <= t->most;

	for (size_t i = 0; i < r->n_series; i++) {
		const Gotrace__Push__RawProfileSeries *s = r->series[i];

		assert_int_equal(s->n_samples, 1);
		takes &= !t->never ||
			 strtoull(strchr(s->samples[0]->id, '-') + 1, NULL, 16) != t->never;
	}
	for (size_t i = 0; takes && i < r->n_series; i++) {
		assert_true(t->n_ids < MOST);
		snprintf(t->ids[t->n_ids++], sizeof(t->ids[0]), "%s", r->series[i]->samples[0]->id);
	}
	return takes;
}

static void *take(void *ctx)
{
	static const char yes[] = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
			  no[] = "HTTP/1.1 400 No\r\nContent-Length: 0\r\n\r\n";
	struct taking *t = ctx;
	uint8_t *body;
	size_t size;
	int fd;

	while ((fd = accept(t->listen_fd, NULL, NULL)) >= 0) {
		while ((body = read_request(fd, &size))) {
			Gotrace__Push__PushRequest *r = gotrace__push__push_request__unpack(
				NULL, size, body);

			assert_true(r && t->n < MOST);
			const bool taken = takes(t, r);

			if (taken)
				t->requests[t->n++] = r->n_series;
			t->refused += !taken;
			t->largest = size > t->largest ? size : t->largest;
			gotrace__push__push_request__free_unpacked(r, NULL);
			free(body);
			assert_true(send(fd, taken ? yes : no, strlen(taken ? yes : no),
					 MSG_NOSIGNAL) > 0);
		}
		close(fd);
	}
	return NULL;
}

/* Pushes all that is in the outbox, `n` profiles. With grace_ns, the pusher is to stop as it
 * starts. */
static struct push_counts push_within(struct taking *t, unsigned n, uint64_t grace_ns)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t size = sizeof(at);
	struct push_counts c = { 0 };
	char url[64];
	pthread_t thread;

	t->listen_fd = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(bind(t->listen_fd, (struct sockaddr *)&at, size), 0);
	assert_int_equal(listen(t->listen_fd, 5), 0);
	assert_int_equal(getsockname(t->listen_fd, (struct sockaddr *)&at, &size), 0);
	assert_int_equal(pthread_create(&thread, NULL, take, t), 0);
	snprintf(url, sizeof(url), "http://127.0.0.1:%u", ntohs(at.sin_port));
	struct pusher *p = pusher_start(&(struct agent_config){
		.directory = dir, .url = url, .timeout_ns = 3600000000000ull });

	assert_non_null(p);
	while (!grace_ns && c.pushed + c.refused < n) {
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
		c = pusher_counts(p);
	}
	pusher_stop(p, grace_ns);
	shutdown(t->listen_fd, SHUT_RDWR);
	pthread_join(thread, NULL);
	close(t->listen_fd);
	for (size_t i = 0; i < t->n_ids; i++)
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(t->ids[i], t->ids[k]);
	return c;
}

static struct push_counts push_all_to(struct taking *t, unsigned n)
{
	return push_within(t, n, 0);
}

/* The last stretch is stored just before the pusher stops. */
TEST(test_last)
{
	struct taking t = { 0 };

	add_profiles(100, 1000);
	push_within(&t, 100, UINT64_MAX / 4);
	assert_int_equal(t.n_ids, 100);
}

/* What 40 services have is in one request. */
TEST(test_together)
{
	struct taking t = { 0 };

	add_profiles(40, 1000);
	const struct push_counts c = push_all_to(&t, 40);

	assert_int_equal(c.pushed, 40);
	assert_int_equal(c.refused + c.failures, 0);
	assert_int_equal(t.n, 1);
	assert_int_equal(t.n_ids, 40);
}

/* However many there are, a request has so many bytes and no more, or one profile. */
TEST(test_bounds)
{
	struct taking t = { 0 }, large = { 0 };

	add_profiles(150, 30000);
	assert_int_equal(push_all_to(&t, 150).pushed, 150);
	assert_int_equal(t.n_ids, 150);
	assert_true(t.n >= 3 && t.n < 20);
	assert_true(t.largest < PUSH_BYTES + 40000);
	add_profiles(3, 3 << 20);
	assert_int_equal(push_all_to(&large, 3).pushed, 3);
	assert_int_equal(large.n, 3);
}

/* A request that is refused says nothing of each profile in it: they are pushed one by one. */
TEST(test_one_by_one)
{
	struct taking t = { 0 }, one = { .most = 1 };
	struct store s;

	assert_int_equal(store_open(&s, dir), 0);
	t.never = (size_t)store_next_id(&s) + 2;
	store_close(&s);
	add_profiles(10, 100);
	struct push_counts c = push_all_to(&t, 10);

	assert_int_equal(c.pushed, 9);
	assert_int_equal(c.refused, 1);
	assert_int_equal(t.n_ids, 9);
	add_profiles(5, 100);
	c = push_all_to(&one, 5);
	assert_int_equal(c.pushed, 5);
	assert_int_equal(c.refused, 0);
}

/* A profile that cannot be opened keeps nobody waiting, whatever the error. */
TEST(test_unreadable)
{
	static const char *const paths[] = { "folder/x", "none", "x0.pb.gz/x" };
	struct taking t = { 0 };
	struct store s;
	char path[300];

	log_set_sink(quiet, NULL);
	assert_int_equal(store_open(&s, dir), 0);
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		add_row(&s, strcpy(path, paths[i]));
	memset(path, 'n', 280); /* a longer name than file systems take */
	path[280] = '\0';
	add_row(&s, path);
	store_close(&s);
	add_profiles(2, 100);
	const struct push_counts c = push_all_to(&t, 6);

	assert_int_equal(c.pushed, 2);
	assert_int_equal(c.refused, 4);
	assert_int_equal(c.failures, 0);
	log_set_sink(NULL, NULL);
}

/* With an hour for each push, none of these would end in the time that a test has. */
TEST(test_endless)
{
	log_set_sink(quiet, NULL);
	add_profile();
	assert_int_equal(push_to("HTTP/1.1 200 OK\r\n", "X: yyyyyyyyyyyyyyyyyyyyyyyy\r\n").failures,
			 1);
	assert_int_equal(
		push_to("HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\n").failures,
		1);
	assert_int_equal(push_to("HTTP/1.1 500 No\r\n\r\n", "and so on ").failures, 1);
	assert_int_equal(push_to("HTTP/1.1 200 OK\r\n\r\n", "and so on ").pushed, 1);
	add_profile();
	assert_int_equal(push_to("HTTP/1.1 400 No\r\n\r\n", "and so on ").refused, 1);
	log_set_sink(NULL, NULL);
}

/* libcurl would append its keys to the file that a variable names, and OpenSSL loads what its
 * configuration names: sudo may keep both. The first test: later the libraries have begun. */
TEST(test_variables)
{
	char keys[128], conf[128];
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	struct pollfd seen = { .fd = watch, .events = POLLIN };

	snprintf(keys, sizeof(keys), "%s/keys", dir);
	snprintf(conf, sizeof(conf), "%s/openssl.cnf", dir);
	FILE *f = fopen(conf, "w");

	assert_true(f && !fclose(f) && inotify_add_watch(watch, conf, IN_OPEN) >= 0);
	assert_int_equal(setenv("SSLKEYLOGFILE", keys, 1), 0);
	assert_int_equal(setenv("OPENSSL_CONF", conf, 1), 0);
	assert_int_equal(setenv("SUDO_UID", "4242", 1), 0);
	struct pusher *p = pusher_start(&(struct agent_config){
		.directory = dir, .url = "http://127.0.0.1:1", .timeout_ns = 1000000000 });

	assert_non_null(p);
	pusher_stop(p, 0);
	assert_int_equal(access(keys, F_OK), -1);
	assert_int_equal(poll(&seen, 1, 0), 0);
	close(watch);
	unsetenv("SUDO_UID");
}

FIXTURE(make_dir)
{
	snprintf(dir, sizeof(dir), "/tmp/push_test.XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}
FIXTURE(remove_dir)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

TESTS_BETWEEN(make_dir, remove_dir, test_variables, test_endless, test_together, test_last,
	      test_bounds, test_one_by_one, test_unreadable)
