// SPDX-License-Identifier: BSD-2-Clause
/*
 * Writes a trace of a made-up program whose call tree has exactly as many paths
 * as wanted.
 *
 *     generate FILE EVENTS FUNCTIONS GOROUTINES PATHS
 *
 * Every goroutine walks the whole tree over and over, calls left out at random
 * one time in eight, so no path is rarer than another by much: hard on caches.
 * Goroutines take turns on four threads, some 32 events at a time.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "trace/trace.h"

#define MAX_LEVEL    24
#define MAX_CHILDREN 6
#define THREADS      4

/* A call path of the made-up program: a function called where its parent runs. */
struct path {
	uint32_t func, level, depth; /* depth of its frame, bytes */
	uint32_t child[MAX_CHILDREN], n_children;
};

struct goroutine {
	uint32_t level;
	struct {
		uint32_t path, next;
	} frame[MAX_LEVEL + 1];
};

struct program {
	struct path *paths;
	uint32_t n_paths, n_funcs;
	struct goroutine *goroutines;
	uint32_t n_goroutines;
	uint64_t seed;
};

static uint64_t random_next(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

static uint32_t below(struct program *p, uint32_t n)
{
	return (uint32_t)(random_next(&p->seed) >> 20) % n;
}

/* Can a child of `parent` run func? Siblings are different functions, and direct recursion
 * would be no path of its own. */
static bool free_there(const struct program *p, const struct path *parent, uint32_t func)
{
	for (uint32_t c = 0; c < parent->n_children; c++)
		if (p->paths[parent->child[c]].func == func)
			return false;
	return parent->func != func;
}

/* Path 0 is the root, which is no function. */
static void make_tree(struct program *p)
{
	p->paths[0].func = UINT32_MAX;
	for (uint32_t i = 1; i <= p->n_paths;) {
		uint32_t parent = below(p, i), func = below(p, p->n_funcs);
		struct path *up = &p->paths[parent];

		if (up->level == MAX_LEVEL || up->n_children == MAX_CHILDREN ||
		    !free_there(p, up, func))
			continue;
		p->paths[i] = (struct path){ .func = func,
					     .level = up->level + 1,
					     .depth = up->depth + 32 + 8 * (func % 30) };
		up->child[up->n_children++] = i++;
	}
}

/* The goroutine's next event. */
static void step(struct program *p, struct goroutine *g, struct event *ev)
{
	const struct path *top = &p->paths[g->frame[g->level].path];
	uint32_t *next = &g->frame[g->level].next;

	if (!g->level && *next >= top->n_children)
		*next = 0; /* round again */
	while (g->level && *next < top->n_children && random_next(&p->seed) % 8 == 0)
		++*next;
	if (*next >= top->n_children) {
		ev->kind = EV_EXIT;
		ev->site = 2 * top->func + 1;
		ev->depth = top->depth;
		g->level--;
		return;
	}
	uint32_t child = top->child[(*next)++];

	g->level++;
	g->frame[g->level].path = child;
	g->frame[g->level].next = 0;
	ev->kind = EV_ENTRY;
	ev->site = 2 * p->paths[child].func;
	ev->depth = p->paths[child].depth;
}

static int write_events(struct program *p, struct trace_writer *w, uint64_t n)
{
	uint64_t ts[THREADS];
	uint32_t running[THREADS];
	int err = 0;

	for (uint32_t t = 0; t < THREADS; t++) {
		ts[t] = 1000000000000u + t;
		running[t] = t % p->n_goroutines;
	}
	for (uint64_t i = 0; i < n && !err; i++) {
		struct event_ext e = { .h = { .ts_ns = 0 } };
		uint32_t t = 0;

		for (uint32_t k = 1; k < THREADS; k++)
			t = ts[k] < ts[t] ? k : t;
		if (random_next(&p->seed) % 32 == 0)
			running[t] = below(p, p->n_goroutines);
		step(p, &p->goroutines[running[t]], &e.h);
		e.h.ts_ns = ts[t];
		e.h.goid = 1 + 3ull * running[t];
		e.h.tid = 4000 + t;
		/* the tracer's own cost, the function's, and a spread as caches and traps have it
		 */
		ts[t] += 300 + (100u << e.h.site / 2 % 8) + random_next(&p->seed) % 512;
		err = trace_writer_event(w, &e);
	}
	return err;
}

static int describe(struct trace_info *info, uint32_t n_funcs)
{
	char name[64];
	int err = trace_info_set(info, "command", "throughput");

	for (uint32_t i = 0; i < n_funcs && !err; i++) {
		struct trace_func f = { .name = name, .vaddr = 0x400000 + i * 64ull, .size = 64 };

		snprintf(name, sizeof(name), "example.com/made/up.Function%u", i);
		err = trace_info_add_func(info, &f);
		for (uint16_t kind = EV_ENTRY; kind <= EV_EXIT && !err; kind++)
			err = trace_info_add_site(info, &(struct trace_site){ .func = i,
									      .target = TRACE_NONE,
									      .kind = kind });
	}
	return err;
}

static int write_trace(struct program *p, const char *path, uint64_t n)
{
	struct trace_info info = { 0 };
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int err = fd < 0 ? -errno : describe(&info, p->n_funcs);
	struct trace_writer *w = err ? NULL : trace_writer_new(fd, &info);

	if (w) {
		err = write_events(p, w, n);
		int end = trace_writer_finish(w, NULL, 0);

		err = err ? err : end;
	}
	trace_info_free(&info);
	return w ? err : -1;
}

int main(int argc, char **argv)
{
	struct program p = { .seed = 88172645463325252u };
	size_t cap_paths = 0, cap_goroutines = 0;
	int err = -ENOMEM;

	if (argc == 6) {
		p.n_funcs = (uint32_t)atoi(argv[3]);
		p.n_goroutines = (uint32_t)atoi(argv[4]);
		p.n_paths = (uint32_t)atoi(argv[5]);
	}
	if (p.n_funcs <= MAX_CHILDREN || !p.n_goroutines || !p.n_paths) {
		fprintf(stderr, "usage: generate FILE EVENTS FUNCTIONS GOROUTINES PATHS\n");
		return 2;
	}
	if (!vec_reserve(&p.paths, &cap_paths, p.n_paths + 1u) &&
	    !vec_reserve(&p.goroutines, &cap_goroutines, p.n_goroutines)) {
		make_tree(&p);
		err = write_trace(&p, argv[1], strtoull(argv[2], NULL, 10));
	}
	if (err)
		fprintf(stderr, "generate: %s: %s\n", argv[1], strerror(-err));
	free(p.paths);
	free(p.goroutines);
	return err ? 1 : 0;
}
