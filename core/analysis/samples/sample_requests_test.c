// SPDX-License-Identifier: BSD-2-Clause
/* Which waits are a server's for its next request (sample --wall). */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "analysis/samples/sample_answer.h"
#include "analysis/samples/sample_requests.h"
#include "analysis/samples/wall_fixture.h"
#include "trace/samples.h"

#define MS    1000000ull
#define LOOKS 20 /* of 100 ms */
#define DEEP  12

static const char *const names[] = {
	"runtime.goexit",
	"runtime.main",
	"main.main",
	"net/http.(*conn).serve",
	"net/http.serverHandler.ServeHTTP",
	"bufio.(*Reader).Peek",
	"net.(*netFD).Read",
	"internal/poll.(*pollDesc).waitRead",
	"internal/poll.(*FD).Accept",
	"main.handle",
	"sync.(*Mutex).Lock",
	"example.com/sql/driver.(*conn).read",
	"example.com/kv/store/server.(*session).run",
	"example.com/kv/store/protocol.ReadCommand[...]",
	"example.com/kv/other.Fetch",
	"internal/poll.(*pollDesc).waitWrite",
	"net/http.(*Server).Serve.gowrap3",
	"host.example.com/rpc.(*Server).handle",
	"host.example.com/rpc/transport.read",
	"host.example.com/rpc/transport.newServer.func3",
	"host.example.com/rpc/transport.(*writer).run",
	"main.(*client).read",
	"main.(*client).write",
	"main.(*job).run",
	"example.com/kv/cli.(*pool).get",
	"net/http.(*connReader).backgroundRead",
	"example.com/chat/socket.(*session).read",
	"example.com/chat/socket.(*session).write",
	"encoding/binary.Read",
};
#define NAMES (sizeof(names) / sizeof(names[0]))

enum {
	GOEXIT = 1,
	RUNTIME_MAIN,
	MAIN,
	SERVE,
	SERVE_HTTP,
	PEEK,
	NET_READ,
	WAIT_READ,
	ACCEPT,
	HANDLE,
	LOCK,
	DRIVER,
	SESSION,
	COMMAND,
	OTHER,
	WAIT_WRITE,
	WRAP,
	RPC_SERVER,
	RPC_READ,
	RPC_START,
	RPC_WRITER,
	CLIENT_READ,
	CLIENT_WRITE,
	JOB,
	POOL,
	BACKGROUND,
	SOCKET_READ,
	SOCKET_WRITE,
	BINARY,
};

/* A goroutine that begins with the first of these functions, and waits in the last one. */
struct goroutine {
	unsigned stack[DEEP]; /* 0: the end */
	uint8_t reason;       /* 1: a lock, 2: the network, 3: select; and one of below */
	bool out;
};
#define PARKED 0x80 /* waits once, for all the time */
#define SELDOM 0x40 /* waits for half a second each time */
#define AGAIN  0x20 /* the goroutine before does that, too */

/* In each look it is another wait, unless the reason says otherwise. */
static void put(struct trace_writer *w, uint64_t goid, const struct goroutine *g)
{
	const bool parked = g->reason & PARKED;
	const unsigned looks = g->reason & SELDOM ? 5 : 1;
	uint64_t pcs[DEEP];
	size_t n = 0;

	while (n < DEEP && g->stack[n])
		n++;
	for (size_t i = 0; i < n; i++)
		pcs[i] = 0x1000 * g->stack[n - 1 - i];
	const struct sample_stack stack = { .n = (uint32_t)n, .pcs = pcs };

	for (unsigned i = 1; i <= LOOKS; i += parked ? LOOKS - 1 : looks) {
		const bool goes_on = parked && i > 1;
		struct sample s = { .ts_ns = 100 * i * MS,
				    .goid = goid,
				    .weight_ns = (goes_on ? LOOKS - 1 : looks) * 100 * MS,
				    .error_ns = goes_on ? 0 : 100 * MS,
				    .state = STATE_WAITING,
				    .reason = g->reason & (AGAIN - 1) };

		assert_int_equal(trace_writer_stack(w, &stack, &s.stack), 0);
		assert_int_equal(trace_writer_sample(w, &s), 0);
	}
}

static void put_symbols(struct trace_writer *w)
{
	struct sample_symbol symbols[NAMES];
	struct sample_frame frames[NAMES];
	struct sample_location locations[NAMES];

	for (uint32_t i = 0; i < NAMES; i++) {
		symbols[i] = (struct sample_symbol){ .name = names[i],
						     .kind = i + 1 == WRAP ? SYMBOL_GO_WRAPPER
									   : SYMBOL_GO };
		frames[i] = (struct sample_frame){ .symbol = i };
		locations[i] = (struct sample_location){ 0x1000 * (i + 1ull), 0, 1, &frames[i] };
	}
	assert_int_equal(trace_writer_symbols(w, &(struct sample_tables){ .symbols = symbols,
									  .n_symbols = NAMES,
									  .locations = locations,
									  .n_locations = NAMES }),
			 0);
}

static void record(char *path, const struct goroutine *g, size_t n)
{
	struct trace_writer *w = wall_trace_begin(path, "IO wait");

	for (size_t i = 0; i < n; i++)
		put(w, g[i].reason & AGAIN ? i : i + 1, &g[i]);
	put_symbols(w);
	assert_int_equal(trace_writer_finish(w, NULL, 0), 0);
}

/* Requires that the goroutines with `out` are left out, that the answer contains `answer`, and that
 * the line contains `line`. NULL: there is no line. */
static void check(const struct goroutine *g, size_t n, const char *answer, const char *line)
{
	static const struct trace_view view = { .leave_out_parked = true, .said = true };
	char path[] = "/tmp/requests-XXXXXX";
	struct loaded_trace t;
	uint64_t left_ms = 0;

	record(path, g, n);
	for (size_t i = 0; i < n; i++)
		left_ms += g[i].out ? 0 : LOOKS * 100;
	struct trace_reader *r = trace_reader_open(path);

	assert_non_null(r);
	assert_int_equal(trace_load(&t, r, &view, NULL), 0);
	assert_int_equal(t.totals->root_ns / MS, left_ms);
	char *said = sample_answer_say(&t), *out = sample_requests_say(&t);

	assert_non_null(said);
	if (!strstr(said, answer))
		fail_msg("%s", said);
	if (line && (!out || !strstr(out, line)))
		fail_msg("%s", out ? out : "no line");
	if (!line && out)
		fail_msg("%s", out);
	free(said);
	free(out);
	trace_unload(&t);
	trace_reader_close(r);
	unlink(path);
}
#define CHECK(g, answer, line) check((g), sizeof(g) / sizeof((g)[0]), (answer), (line))

#define ACCEPTS                                                                      \
	{                                                                            \
		{ GOEXIT, RUNTIME_MAIN, MAIN, NET_READ, ACCEPT, WAIT_READ }, 2, true \
	}
#define IDLE                                                                \
	{                                                                   \
		{ GOEXIT, WRAP, SERVE, PEEK, NET_READ, WAIT_READ }, 2, true \
	}

TEST(test_connections)
{
	const struct goroutine server[] = {
		ACCEPTS, IDLE, IDLE, { { GOEXIT, WRAP, SERVE, SERVE_HTTP, HANDLE, LOCK }, 1, false }
	};

	CHECK(server,
	      "wait 100% of their time for a lock (together 2.00s in 1.90s)\n  where     main.handle",
	      "left out: 6.00s of waiting for the next request (--parked shows it): 67% in "
	      "net/http.(*conn).serve, 33% in main.main");
}

/* A server without a connection: all of its goroutines are parked, and so all are shown. */
TEST(test_idle)
{
	const struct goroutine server[] = {
		{ { GOEXIT, RUNTIME_MAIN, MAIN, NET_READ, ACCEPT, WAIT_READ }, 2 | PARKED, false },
		{ { GOEXIT, JOB }, 3 | PARKED, false },
	};

	CHECK(server,
	      "wait 50% of their time for other goroutines (channels), wait 50% of their time for the network",
	      NULL);
}

/* A handler that reads, and what reads for it, wait for something that is part of the request. */
TEST(test_handlers)
{
	const struct goroutine server[] = {
		ACCEPTS,
		{ { GOEXIT, SERVE, SERVE_HTTP, HANDLE, DRIVER, NET_READ, WAIT_READ }, 2, false },
		{ { GOEXIT, SERVE, SERVE_HTTP, HANDLE, NET_READ, WAIT_READ }, 2, false },
		{ { GOEXIT, SERVE, SERVE_HTTP, PEEK, NET_READ, WAIT_WRITE }, 2, false },
	};

	CHECK(server, "for the network (together 6.00s", "100% in main.main");
}

/* Functions of one repository read for each other, those of another do not. */
TEST(test_repositories)
{
	const struct goroutine server[] = {
		ACCEPTS,
		{ { GOEXIT, SESSION, COMMAND, PEEK, NET_READ, WAIT_READ }, 2, true },
		{ { GOEXIT, SESSION, BINARY, PEEK, NET_READ, WAIT_READ }, 2, true },
		{ { GOEXIT, SESSION, OTHER, NET_READ, WAIT_READ }, 2, false },
	};

	CHECK(server, "  where     example.com/kv/other.Fetch, IO wait",
	      "67% in example.com/kv/store");
}

/* Who accepts no connection waits for an answer. */
TEST(test_client)
{
	const struct goroutine client[] = {
		{ { GOEXIT, SERVE, PEEK, NET_READ, WAIT_READ }, 2, false },
		{ { GOEXIT, HANDLE, LOCK }, 1, false },
	};

	CHECK(client, "for a lock", NULL);
}

#define SERVED                                                        \
	{                                                             \
		{ GOEXIT, SERVE, SERVE_HTTP, HANDLE, LOCK }, 1, false \
	}
#define RPC_READER                                                             \
	{                                                                      \
		{ GOEXIT, RPC_SERVER, RPC_READ, NET_READ, WAIT_READ }, 2, true \
	}
#define CLIENT(...)                              \
	{                                        \
		{ GOEXIT, __VA_ARGS__ }, 3, true \
	}

/* Who writes what a connection is to send waits as its reader does. */
TEST(test_writers)
{
	const struct goroutine rpc[] = { ACCEPTS,
					 SERVED,
					 RPC_READER,
					 RPC_READER,
					 CLIENT(RPC_START, RPC_WRITER),
					 CLIENT(RPC_START, RPC_WRITER) };
	/* the reader has functions of another repository on its stack */
	const struct goroutine chat[] = {
		ACCEPTS,
		SERVED,
		{ { GOEXIT, CLIENT_READ, DRIVER, NET_READ, WAIT_READ }, 2, true },
		{ { GOEXIT, CLIENT_READ, DRIVER, NET_READ, WAIT_READ }, 2, true },
		CLIENT(CLIENT_WRITE),
		CLIENT(CLIENT_WRITE),
	};

	/* what they receive takes long: the reader is the one who waits for a lock */
	const struct goroutine busy[] = {
		ACCEPTS,
		RPC_READER,
		{ { GOEXIT, RPC_SERVER, HANDLE, LOCK }, 1 | AGAIN, false },
		CLIENT(RPC_START, RPC_WRITER)
	};

	CHECK(busy, "for a lock (together 2.00s", "33% in host.example.com/rpc.(*Server).handle");
	CHECK(rpc, "for a lock (together 2.00s", "40% in host.example.com/rpc.(*Server).handle");
	CHECK(chat, "for a lock (together 2.00s", "40% in main.(*client).read");
}

/* Others wait for a result: they are more or fewer, of another type, in another repository or at a
 * lock, or nobody reads. */
TEST(test_no_writers)
{
#define WAITS(why, ...)                               \
	{                                             \
		{ GOEXIT, __VA_ARGS__ }, (why), false \
	}
	const struct goroutine more[] = { ACCEPTS, RPC_READER, WAITS(3, RPC_START, RPC_WRITER),
					  WAITS(3, RPC_START, RPC_WRITER) };
	const struct goroutine other[] = { ACCEPTS,
					   WAITS(2, CLIENT_READ, DRIVER, NET_READ, WAIT_READ),
					   WAITS(3, JOB) };
	const struct goroutine pool[] = { ACCEPTS, RPC_READER, WAITS(3, RPC_START, POOL) };
	const struct goroutine locks[] = { ACCEPTS, RPC_READER, WAITS(1, RPC_START, RPC_WRITER) };
	const struct goroutine alone[] = { ACCEPTS, WAITS(3, RPC_START, RPC_WRITER) };

	CHECK(more, "(channels) (together 4.00s", "50% in main.main");
	CHECK(other, "(together 4.00s", "100% in main.main");
	CHECK(pool, "(channels) (together 2.00s", "50% in main.main");
	CHECK(locks, "for a lock (together 2.00s", "50% in main.main");
	CHECK(alone, "(channels) (together 2.00s", "100% in main.main");
}

#define SOCKET_READER \
	GOEXIT, WRAP, SERVE, SERVE_HTTP, HANDLE, SOCKET_READ, DRIVER, PEEK, NET_READ, WAIT_READ

/* A handler that took its connection over reads the next message, and another goroutine writes. */
TEST(test_sockets)
{
	const struct goroutine chat[] = { ACCEPTS,
					  SERVED,
					  { { SOCKET_READER }, 2, true },
					  { { SOCKET_READER }, 2, true },
					  CLIENT(SOCKET_WRITE),
					  CLIENT(SOCKET_WRITE) };
	/* the writers have not been woken */
	const struct goroutine silent[] = { ACCEPTS,
					    SERVED,
					    { { SOCKET_READER }, 2, true },
					    { { GOEXIT, SOCKET_WRITE }, 3 | PARKED, true } };

	CHECK(chat, "for a lock (together 2.00s", "40% in net/http.(*conn).serve");
	CHECK(silent, "for a lock (together 2.00s", "50% in net/http.(*conn).serve");
}

/* Such a read is part of the request where net/http waits for the end of the connection, and where
 * who waits for a channel belongs to others. */
TEST(test_no_sockets)
{
#define IN_REQUEST                                                   \
	{                                                            \
		{ GOEXIT, BACKGROUND, NET_READ, WAIT_READ }, 2, true \
	}
	const struct goroutine database[] = {
		ACCEPTS, { { SOCKET_READER }, 2, false }, IN_REQUEST, WAITS(3, SOCKET_WRITE)
	};
	const struct goroutine other[] = { ACCEPTS,
					   { { SOCKET_READER }, 2, false },
					   WAITS(3, POOL) };

	CHECK(database, "(together 4.00s", "50% in main.main");
	CHECK(other, "(together 4.00s", "100% in main.main");
}

/* Who waits for work in a loop of its own, and gets some now and then, is parked. Who waits for a
 * result, or for a lock, is not. */
TEST(test_seldom)
{
	const struct goroutine loops[] = { SERVED,
					   { { GOEXIT, JOB }, 3 | SELDOM, true },
					   { { GOEXIT, WRAP, JOB }, 3 | SELDOM, true } };
	const struct goroutine results[] = { SERVED, WAITS(3 | SELDOM, SERVE, SERVE_HTTP, HANDLE),
					     WAITS(3 | SELDOM, RUNTIME_MAIN, MAIN),
					     WAITS(1 | SELDOM, JOB) };

	CHECK(loops, "for a lock (together 2.00s", NULL);
	CHECK(results,
	      "for a lock, wait 50% of their time for other goroutines (channels) (together 8.00s",
	      NULL);
}

TEST(test_nothing_else)
{
	const struct goroutine server[] = {
		{ { GOEXIT, RUNTIME_MAIN, MAIN, NET_READ, ACCEPT, WAIT_READ }, 2, false },
		{ { GOEXIT, SERVE, PEEK, NET_READ, WAIT_READ }, 2, false },
	};

	CHECK(server, "wait 100% of their time for the network", NULL);
}

TESTS(test_idle, test_connections, test_handlers, test_repositories, test_client, test_nothing_else,
      test_writers, test_no_writers, test_seldom, test_sockets, test_no_sockets)
