// SPDX-License-Identifier: BSD-2-Clause
/*
 * How fast a trace is written and read, and how large it is: a made-up program
 * of nested calls is written through the library and read back.
 *
 *     trace_io FILE EVENTS GOROUTINES FUNCTIONS THREADS
 *     trace_io FILE            reads an existing trace
 *
 * One CSV row on stdout: see run.sh.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/vec.h"
#include "trace/trace.h"

#define MAX_LEVEL    24
#define MAX_CHILDREN 4

/* A function of the made-up program: calls up to MAX_CHILDREN others in order. */
struct function {
	uint32_t callee[MAX_CHILDREN];
	uint32_t n_callees;
	uint32_t frame_bytes;
	uint32_t self_ns;
};

struct goroutine {
	uint64_t goid;
	uint32_t level;
	struct {
		uint32_t func, next, depth;
	} frame[MAX_LEVEL];
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t random_next(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

static void make_program(struct function *f, uint32_t n, uint64_t *seed)
{
	for (uint32_t i = 0; i < n; i++) {
		f[i].n_callees = i + 1 < n ? (uint32_t)(random_next(seed) % (MAX_CHILDREN + 1)) : 0;
		f[i].frame_bytes = 32 + 8 * (uint32_t)(random_next(seed) % 30);
		f[i].self_ns = 100u << random_next(seed) % 8;
		for (uint32_t c = 0; c < f[i].n_callees; c++)
			f[i].callee[c] = i + 1 + (uint32_t)(random_next(seed) % (n - i - 1));
	}
}

static void enter(struct goroutine *g, const struct function *f, uint32_t func)
{
	uint32_t depth = g->level ? g->frame[g->level - 1].depth +
					    f[g->frame[g->level - 1].func].frame_bytes
				  : 64;

	g->frame[g->level].func = func;
	g->frame[g->level].next = 0;
	g->frame[g->level++].depth = depth;
}

/* The goroutine's next event: a call, or the return of what is on top. A call
 * is left out one time in eight, so that paths are not all alike. */
static void step(struct goroutine *g, const struct function *f, uint32_t n, struct event *ev,
		 uint64_t *seed)
{
	ev->goid = g->goid;
	if (g->level) {
		uint32_t top = g->level - 1, func = g->frame[top].func;
		while (g->frame[top].next < f[func].n_callees && random_next(seed) % 8 == 0)
			g->frame[top].next++;
		if (g->frame[top].next >= f[func].n_callees || g->level == MAX_LEVEL) {
			ev->kind = EV_EXIT;
			ev->site = 2 * func + 1;
			ev->depth = g->frame[top].depth;
			g->level--;
			return;
		}
		enter(g, f, f[func].callee[g->frame[top].next++]);
	} else {
		enter(g, f, (uint32_t)(random_next(seed) % (n / 8 + 1)));
	}
	ev->kind = EV_ENTRY;
	ev->site = 2 * g->frame[g->level - 1].func;
	ev->depth = g->frame[g->level - 1].depth;
}

/* Events of all threads in time order. */
static void make_events(struct event *ev, size_t n, uint32_t n_goroutines, uint32_t n_funcs,
			uint32_t n_threads, struct function *f, struct goroutine *g)
{
	uint64_t seed = 88172645463325252u, ts[64];
	uint32_t running[64];

	make_program(f, n_funcs, &seed);
	for (uint32_t i = 0; i < n_goroutines; i++)
		g[i] = (struct goroutine){ .goid = 1 + i * 3 };
	for (uint32_t t = 0; t < n_threads; t++) {
		ts[t] = 1000000000000u + t;
		running[t] = t % n_goroutines;
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t t = 0;
		for (uint32_t k = 1; k < n_threads; k++)
			t = ts[k] < ts[t] ? k : t;
		if (random_next(&seed) % 32 == 0)
			running[t] = (uint32_t)(random_next(&seed) % n_goroutines);
		step(&g[running[t]], f, n_funcs, &ev[i], &seed);
		ev[i].ts_ns = ts[t];
		ev[i].tid = 4000 + t;
		/* the tracer's own cost, the function's, and a spread as caches and traps have it
		 */
		ts[t] += 300 + f[ev[i].site / 2].self_ns + random_next(&seed) % 512;
	}
}

static int describe(struct trace_info *info, uint32_t n_funcs)
{
	char name[64];
	int err = trace_info_set(info, "command", "trace_io");

	for (uint32_t i = 0; i < n_funcs && !err; i++) {
		struct trace_func f = { .name = name, .vaddr = 0x400000 + i * 64ull, .size = 64 };
		struct trace_site s = { .func = i, .target = TRACE_NONE };
		snprintf(name, sizeof(name), "example.com/made/up.Function%u", i);
		err = trace_info_add_func(info, &f);
		for (uint16_t kind = EV_ENTRY; kind <= EV_EXIT && !err; kind++) {
			s.kind = kind;
			err = trace_info_add_site(info, &s);
		}
	}
	return err;
}

static int write_trace(const char *path, const struct event *ev, size_t n, uint32_t n_funcs,
		       uint64_t *ns)
{
	struct trace_info info = { 0 };
	int err = describe(&info, n_funcs),
	    fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (err || fd < 0) {
		perror(path);
		return -1;
	}
	struct event_ext e = { 0 };
	struct trace_writer *w = trace_writer_new(fd, &info);
	uint64_t start = now_ns();
	for (size_t i = 0; i < n && w && !err; i++) {
		e.h = ev[i];
		err = trace_writer_event(w, &e);
	}
	if (w)
		err = trace_writer_flush(w);
	*ns = now_ns() - start; /* without the sync at the end */
	if (w && trace_writer_finish(w, NULL, 0))
		err = -EIO;
	trace_info_free(&info);
	return w ? err : -1;
}

/* Reads all; the sum keeps the compiler from leaving anything out. */
static int read_trace(const char *path, uint64_t *n, uint64_t *ns, uint64_t *sum)
{
	uint64_t start = now_ns();
	struct trace_reader *r = trace_reader_open(path);
	struct event_ext ev;
	int got;

	if (!r)
		return -1;
	for (*n = *sum = 0; (got = trace_reader_next(r, &ev)) > 0; ++*n)
		*sum += ev.h.ts_ns ^ ev.h.depth ^ ev.h.goid ^ ev.h.site ^ ev.h.kind;
	trace_reader_close(r);
	*ns = now_ns() - start;
	return got;
}

static int made_up(char **argv, uint64_t *write_ns)
{
	size_t n = strtoull(argv[2], NULL, 10);
	uint32_t n_goroutines = (uint32_t)atoi(argv[3]), n_funcs = (uint32_t)atoi(argv[4]);
	uint32_t n_threads = (uint32_t)atoi(argv[5]);
	struct event *ev = NULL;
	struct function *f = NULL;
	struct goroutine *g = NULL;
	size_t cap = 0, cap_f = 0, cap_g = 0;
	int err = -1;

	if (!n || !n_goroutines || !n_funcs || !n_threads || n_threads > 64)
		fprintf(stderr, "trace_io: counts above 0, at most 64 threads\n");
	else if (!vec_reserve(&ev, &cap, n) && !vec_reserve(&f, &cap_f, n_funcs) &&
		 !vec_reserve(&g, &cap_g, n_goroutines)) {
		make_events(ev, n, n_goroutines, n_funcs, n_threads, f, g);
		err = write_trace(argv[1], ev, n, n_funcs, write_ns);
	}
	free(ev);
	free(f);
	free(g);
	return err;
}

int main(int argc, char **argv)
{
	uint64_t write_ns = 0, read_ns, n, sum;

	if (argc != 2 && argc != 6) {
		fprintf(stderr, "usage: trace_io FILE [EVENTS GOROUTINES FUNCTIONS THREADS]\n");
		return 2;
	}
	if ((argc == 6 && made_up(argv, &write_ns)) || read_trace(argv[1], &n, &read_ns, &sum))
		return 1;
	FILE *in = fopen(argv[1], "rb");
	if (!in || fseek(in, 0, SEEK_END) || !n) {
		perror(argv[1]);
		return 1;
	}
	/* events,bytes,bytes_per_event,write_ns_per_event,read_ns_per_event,checksum */
	printf("%" PRIu64 ",%ld,%.3f,%.2f,%.2f,%016" PRIx64 "\n", n, ftell(in),
	       (double)ftell(in) / (double)n, (double)write_ns / (double)n,
	       (double)read_ns / (double)n, sum);
	fclose(in);
	return 0;
}
