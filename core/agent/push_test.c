// SPDX-License-Identifier: BSD-2-Clause
/* Servers whose answers have no end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "agent/push.h"
#include "agent/store.h"
#include "base/log.h"

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

static void add_profile(void)
{
	struct profile p = { .service = (char *)(uintptr_t) "a",
			     .labels = (char *)(uintptr_t) "{}",
			     .from_ns = 1,
			     .to_ns = 2,
			     .samples = 1,
			     .event = "cpu-clock",
			     .build_ids = (char *)(uintptr_t) "[]",
			     .path = (char *)(uintptr_t) "x" };
	char file[128];
	struct store s;

	snprintf(file, sizeof(file), "%s/x.pb.gz", dir);
	FILE *f = fopen(file, "w");

	assert_true(f && fputs("profile", f) >= 0 && !fclose(f));
	assert_int_equal(store_open(&s, dir), 0);
	assert_int_equal(store_add(&s, &p, 1, true), 0);
	store_close(&s);
}

/* With an hour for each push, none of these would end in the time that a test has. */
static void test_endless(void **state)
{
	(void)state;
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

static int make_dir(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/push_test.XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}
static int remove_dir(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_endless) };

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
