/* SPDX-License-Identifier: BSD-2-Clause */
/* Traces made up by the tests of this folder. Only tests include this. */
#ifndef GOTRACE_SAMPLE_TRACE_FIXTURE_H
#define GOTRACE_SAMPLE_TRACE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "trace/trace.h"

#define SAMPLE_UNUSED __attribute__((unused))

/* Counts the lines logged, keeps the last. */
struct sample_log {
	int lines;
	char last[1024];
};

static SAMPLE_UNUSED void sample_sink(void *ctx, enum log_level level, const char *line)
{
	struct sample_log *l = ctx;

	if (level == LOG_LEVEL_DEBUG)
		return;
	l->lines++;
	snprintf(l->last, sizeof(l->last), "%s", line);
}

/* splitmix64, which is small and equal everywhere. */
static SAMPLE_UNUSED uint64_t sample_random(uint64_t *seed)
{
	uint64_t z = *seed += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* The seed of this run: GOTRACE_SEED, else the time; printed so that a failure can be run again. */
static SAMPLE_UNUSED uint64_t sample_seed(const char *test)
{
	const char *given = getenv("GOTRACE_SEED");
	struct timespec now = { 0 };
	uint64_t seed;

	clock_gettime(CLOCK_REALTIME, &now);
	seed = given ? strtoull(given, NULL, 0)
		     : (uint64_t)now.tv_sec * 1000000007u + (uint64_t)now.tv_nsec;
	print_message("%s: GOTRACE_SEED=0x%llx\n", test, (unsigned long long)seed);
	return seed;
}

/* Any number, small and extreme ones often. */
static SAMPLE_UNUSED uint64_t sample_extreme(uint64_t *seed)
{
	static const uint64_t edges[] = { 0,          1,         127,        128,        0xfffe,
					  0xffff,     0x10000,   INT32_MAX,  1ull << 31, UINT32_MAX,
					  1ull << 32, INT64_MAX, 1ull << 63, UINT64_MAX };
	uint64_t r = sample_random(seed);

	if (r % 3 == 0)
		return edges[(r >> 8) % (sizeof(edges) / sizeof(edges[0]))];
	return sample_random(seed) >> (r >> 8) % 64;
}

static SAMPLE_UNUSED void sample_args(struct event_ext *ev, uint64_t *seed)
{
	for (int a = 0; a < 4; a++)
		ev->arg[a] = event_kind_has_args(ev->h.kind) ? sample_extreme(seed) : 0;
}

/* An event that need not make sense. */
static SAMPLE_UNUSED void sample_wild(struct event_ext *ev, uint64_t *seed)
{
	ev->h.ts_ns = sample_extreme(seed);
	ev->h.goid = sample_extreme(seed);
	ev->h.site = (uint32_t)sample_extreme(seed);
	ev->h.depth = (uint32_t)sample_extreme(seed);
	ev->h.tid = (uint32_t)sample_extreme(seed);
	ev->h.kind = (uint16_t)(1 + sample_random(seed) % EV_KIND_MAX);
	ev->h.flags = (uint16_t)sample_extreme(seed);
	sample_args(ev, seed);
}

/* The event after *ev in a program that calls and returns on two threads. */
static SAMPLE_UNUSED void sample_tame(struct event_ext *ev, uint64_t *seed)
{
	uint64_t r = sample_random(seed);

	ev->h.ts_ns += 50 + r % 20000;
	ev->h.tid = 1000 + (r >> 20 & 1);
	if ((r >> 24) % 16 == 0)
		ev->h.goid = 1 + (r >> 32) % 40;
	ev->h.kind = r >> 40 & 1 ? EV_ENTRY : EV_EXIT;
	if ((r >> 48) % 64 == 0)
		ev->h.kind = (uint16_t)(1 + (r >> 56) % EV_KIND_MAX);
	ev->h.site = (uint32_t)(r >> 44) % 6;
	ev->h.depth = 64 + (uint32_t)(ev->h.site * 48);
	ev->h.flags = 0;
	sample_args(ev, seed);
}

/* n events, about `wild` of 100 of them wild. To be freed. */
static SAMPLE_UNUSED struct event_ext *sample_events(size_t n, unsigned wild, uint64_t *seed)
{
	struct event_ext *ev = calloc(n + 1, sizeof(*ev)),
			 tame = { .h = { .ts_ns = 1000000, .goid = 1 } };

	assert_non_null(ev);
	for (size_t i = 0; i < n; i++) {
		if (sample_random(seed) % 100 < wild) {
			sample_wild(&ev[i], seed);
		} else {
			sample_tame(&tame, seed);
			ev[i] = tame;
		}
	}
	return ev;
}

static SAMPLE_UNUSED void sample_info(struct trace_info *t)
{
	static const char *const names[] = { "main.main", "main.F[...]", "", "a.\xc3\xa4" };

	memset(t, 0, sizeof(*t));
	for (uint32_t i = 0; i < 4; i++) {
		struct trace_func f = { .name = (char *)(uintptr_t)names[i],
					.line = i ? UINT32_MAX : 0,
					.file = (char *)(uintptr_t)(i & 1 ? "/src/x.go" : NULL),
					.vaddr = i ? UINT64_MAX - i : 0,
					.size = i * 100 };
		assert_int_equal(trace_info_add_func(t, &f), 0);
	}
	for (uint32_t i = 0; i < 6; i++) {
		struct trace_site s = { .func = i < 4 ? i : TRACE_NONE,
					.target = i == 2 ? 0 : TRACE_NONE,
					.file_off = i == 3 ? UINT64_MAX : i * 7,
					.kind = i == 5 ? EV_MORESTACK : (uint16_t)(1 + i) };
		assert_int_equal(trace_info_add_site(t, &s), 0);
	}
	struct trace_pc pc = { .pc = 0x401000,
			       .func = (char *)(uintptr_t) "main.main.func1",
			       .line = 9 };
	assert_int_equal(trace_info_add_pc(t, &pc), 0);
	assert_int_equal(trace_info_set(t, "go.version", "go1.26.0"), 0);
	assert_int_equal(trace_info_set(t, "empty", ""), 0);
}

static SAMPLE_UNUSED void assert_same_str(const char *a, const char *b)
{
	assert_int_equal(!a, !b);
	if (a)
		assert_string_equal(a, b);
}

/* b has all that a has; kvs and pcs may have grown. */
static SAMPLE_UNUSED void assert_same_info(const struct trace_info *a, const struct trace_info *b)
{
	assert_int_equal(a->n_funcs, b->n_funcs);
	assert_int_equal(a->n_sites, b->n_sites);
	for (size_t i = 0; i < a->n_funcs; i++) {
		assert_string_equal(a->funcs[i].name, b->funcs[i].name);
		assert_same_str(a->funcs[i].file, b->funcs[i].file);
		assert_int_equal(a->funcs[i].line, b->funcs[i].line);
		assert_int_equal(a->funcs[i].vaddr, b->funcs[i].vaddr);
		assert_int_equal(a->funcs[i].size, b->funcs[i].size);
	}
	for (size_t i = 0; i < a->n_sites; i++) {
		assert_int_equal(a->sites[i].func, b->sites[i].func);
		assert_int_equal(a->sites[i].target, b->sites[i].target);
		assert_int_equal(a->sites[i].file_off, b->sites[i].file_off);
		assert_int_equal(a->sites[i].kind, b->sites[i].kind);
	}
	for (size_t i = 0; i < a->n_kvs; i++)
		assert_same_str(a->kvs[i].value, trace_info_get(b, a->kvs[i].key));
	for (size_t i = 0; i < a->n_pcs; i++) {
		const struct trace_pc *p = trace_info_pc(b, a->pcs[i].pc);
		assert_non_null(p);
		assert_string_equal(a->pcs[i].func, p->func);
		assert_same_str(a->pcs[i].file, p->file);
		assert_int_equal(a->pcs[i].line, p->line);
	}
}

/* A file in memory. */
static SAMPLE_UNUSED int sample_file(void)
{
	int fd = memfd_create("sample.gotrace", MFD_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

/* A name under which fd can be opened again. */
static SAMPLE_UNUSED const char *sample_path(int fd)
{
	static char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return path;
}

/* A second descriptor of the same file, for a writer that takes it over. */
static SAMPLE_UNUSED int sample_dup(int fd)
{
	int copy = dup(fd);

	assert_true(copy >= 0);
	return copy;
}

/* Makes fd hold exactly these bytes. */
static SAMPLE_UNUSED void sample_fill(int fd, const void *data, size_t n)
{
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(pwrite(fd, data, n, 0), n);
}

/* Returns the contents of fd, to be freed. */
static SAMPLE_UNUSED uint8_t *sample_bytes(int fd, size_t *n)
{
	off_t end = lseek(fd, 0, SEEK_END);
	uint8_t *data = malloc((size_t)end + 1);

	assert_non_null(data);
	assert_int_equal(pread(fd, data, (size_t)end, 0), end);
	*n = (size_t)end;
	return data;
}

#endif
