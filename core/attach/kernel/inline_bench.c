// SPDX-License-Identifier: BSD-2-Clause
#include "attach/kernel/inline_bench.h"

#include <string.h>
#include <sys/mman.h>

#include "attach/host/bench_code.h"
#include "attach/kernel/measurement_cache.h"
#include "base/clock.h"
#include "plan/inline_stub.h"
#include "plan/plan.h"
#include "plan/ring.h"

#define CALLS      20000
#define ROUNDS     5
#define RING_BYTES (1u << 20) /* room for the events of a round */
#define PAGE       4096

/* Offsets in the goroutine, thread and P of this program in miniature. */
enum { G_M = 48, G_STATUS = 144, G_GOID = 152, M_PROCID = 72, M_P = 208, RUNNING = 2 };

/* One mapping: all of it within reach of a jump. */
struct bench {
	uint8_t text[PAGE]; /* host_bench_function */
	uint8_t stub[PAGE];
	/* ---- from here on written while it runs */
	uint64_t table[PAGE / 8];
	uint8_t g[512], m[512], p[512], pad[PAGE - 3 * 512];
	struct ring_head head;
	uint8_t head_pad[RING_DATA - sizeof(struct ring_head)];
	uint8_t slots[RING_BYTES];
};

static void put64(uint8_t *at, uint64_t v)
{
	memcpy(at, &v, sizeof(v));
}

static int prepare(struct bench *b)
{
	const struct inline_program program = {
		.g_m = G_M,
		.g_goid = G_GOID,
		.g_atomicstatus = G_STATUS,
		.m_p = M_P,
		.m_procid = M_PROCID,
		.table = (uint64_t)b->table,
		.ring_size = RING_BYTES,
	};
	const struct inline_stub stub = {
		.keeps_rdx = true,
		.window = (uint64_t)b->text,
		.displaced = host_bench_function,
		.len = HOST_BENCH_DISPLACED,
		.back = (uint64_t)b->text + HOST_BENCH_DISPLACED,
	};

	memset(b->text, HOST_BREAKPOINT, sizeof(b->text));
	memcpy(b->text, host_bench_function, sizeof(host_bench_function));
	/* The same function once more, left as it is, to be subtracted. */
	memcpy(b->text + PAGE / 2, host_bench_function, sizeof(host_bench_function));
	put64(b->g + G_M, (uint64_t)b->m);
	put64(b->g + G_STATUS, RUNNING);
	put64(b->g + G_GOID, 1);
	put64(b->m + M_P, (uint64_t)b->p);
	put64(b->m + M_PROCID, 1);
	b->table[0] = (uint64_t)&b->head;
	int err = inline_stub_write(&program, &stub, (uint64_t)b->stub, b->stub);
	stubs_write_jump(b->text, (uint64_t)b->text, (uint64_t)b->stub);
	return err;
}

/* What CALLS calls of fn take, the least of some rounds, ns. */
static uint64_t measure(struct bench *b, const uint8_t *fn)
{
	uint64_t best = UINT64_MAX;

	for (int round = 0; round < ROUNDS; round++) {
		uint64_t start;

		__atomic_store_n(&b->head.tail, b->head.head, __ATOMIC_RELEASE);
		start = clock_monotonic_ns();
		host_bench_calls(fn, b->g, CALLS);
		uint64_t took = clock_monotonic_ns() - start;
		if (took < best)
			best = took;
	}
	return best;
}

static uint64_t measure_event_ns(void)
{
	struct bench *b = mmap(NULL, sizeof(*b), PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	uint64_t with, without, ns = 0;

	if (b == MAP_FAILED)
		return 0;
	if (!prepare(b) && !mprotect(b, 2 * PAGE, PROT_READ | PROT_EXEC)) {
		with = measure(b, b->text);
		without = measure(b, b->text + PAGE / 2);
		if (b->head.head >= (uint64_t)CALLS * ROUNDS * RING_SLOT && with > without)
			ns = (with - without + CALLS - 1) / CALLS;
	}
	munmap(b, sizeof(*b));
	return ns;
}

uint64_t inline_event_ns(void)
{
	uint64_t ns;

	if (measurement_cache_get(MEASUREMENT_CACHE_DIR, "inline", &ns, sizeof(ns)))
		return ns;
	ns = measure_event_ns();
	if (ns)
		measurement_cache_put(MEASUREMENT_CACHE_DIR, "inline", &ns, sizeof(ns));
	return ns;
}
