// SPDX-License-Identifier: BSD-2-Clause
/*
 * What the collector takes for an event of inline stubs: threads write rings as stubs do, one
 * collector reads, merges and writes them.
 *
 *     collector STAGE RINGS WRITERS EVENTS FILE
 *
 * STAGE: read (events in time order, thrown away), encode (into blocks, thrown away), pack (packed,
 * written to /dev/null), write (the whole: into FILE), threads (the same as record does it:
 * packed and written by a second thread) or summary (record --summary: into a live model). Writers
 * run on the first CPU, the collector on the last, the second thread where it likes. A writer that
 * finds its ring full waits. One CSV row on stdout: see run.sh.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "attach/collect/ring_source.h"
#include "base/vec.h"
#include "keep/live_model.h"
#include "trace/block.h"
#include "trace/trace.h"

#define FUNCS        100
#define MAX_LEVEL    24
#define MAX_CHILDREN 4
#define GOROUTINES   4 /* that take turns on a ring */
#define SCRIPT       (1u << 20)
#define PAUSE_NS     (2 * 1000 * 1000)

/* What a goroutine's thread does, event by event. */
struct step {
	uint32_t site;
	uint16_t depth;
	uint8_t goroutine, work;
};

struct writer {
	pthread_t thread;
	struct ring_head *ring;
	const struct step *script;
	uint64_t size, events, done, waits, cpu_ns;
	unsigned number, n;
};

enum stage { READ, ENCODE, PACK, WRITE, THREADS, SUMMARY };

struct collection {
	enum stage stage;
	struct trace_writer *writer;
	struct block_encoder *encoder;
	struct trace_info info;
	struct live_model *live; /* of stage SUMMARY */
	struct trace_sink sink;
	uint64_t events, checksum, encoded_bytes;
};

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t random_next(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* ---- the made-up program: nested calls, each left out one time in eight */

struct goroutine {
	uint32_t level;
	struct {
		uint32_t func, next, depth;
	} frame[MAX_LEVEL];
};

struct program {
	struct {
		uint32_t callee[MAX_CHILDREN], n_callees, frame_bytes, work;
	} func[FUNCS];
};

static void make_program(struct program *p, uint64_t *seed)
{
	for (uint32_t i = 0; i < FUNCS; i++) {
		p->func[i].n_callees = i + 1 < FUNCS
					       ? (uint32_t)(random_next(seed) % (MAX_CHILDREN + 1))
					       : 0;
		p->func[i].frame_bytes = 32 + 8 * (uint32_t)(random_next(seed) % 30);
		p->func[i].work = (uint32_t)(1u << random_next(seed) % 7);
		for (uint32_t c = 0; c < p->func[i].n_callees; c++)
			p->func[i].callee[c] = i + 1 +
					       (uint32_t)(random_next(seed) % (FUNCS - i - 1));
	}
}

static void step(const struct program *p, struct goroutine *g, struct step *s, uint64_t *seed)
{
	uint32_t func = (uint32_t)(random_next(seed) % (FUNCS / 8)), depth = 64;

	if (g->level) {
		uint32_t top = g->level - 1, caller = g->frame[top].func;

		while (g->frame[top].next < p->func[caller].n_callees && random_next(seed) % 8 == 0)
			g->frame[top].next++;
		if (g->frame[top].next >= p->func[caller].n_callees || g->level == MAX_LEVEL) {
			s->site = 2 * caller + 1;
			s->depth = (uint16_t)g->frame[top].depth;
			s->work = (uint8_t)p->func[caller].work;
			g->level--;
			return;
		}
		func = p->func[caller].callee[g->frame[top].next++];
		depth = g->frame[top].depth + p->func[caller].frame_bytes;
	}
	g->frame[g->level].func = func;
	g->frame[g->level].next = 0;
	g->frame[g->level++].depth = depth;
	s->site = 2 * func;
	s->depth = (uint16_t)depth;
	s->work = (uint8_t)p->func[func].work;
}

static void make_script(struct step *script)
{
	uint64_t seed = 88172645463325252u;
	struct goroutine g[GOROUTINES] = { 0 };
	struct program p;
	uint32_t running = 0;

	make_program(&p, &seed);
	for (uint32_t i = 0; i < SCRIPT; i++) {
		if (random_next(&seed) % 256 == 0)
			running = (uint32_t)(random_next(&seed) % GOROUTINES);
		step(&p, &g[running], &script[i], &seed);
		script[i].goroutine = (uint8_t)running;
		script[i].work = (uint8_t)(script[i].work + random_next(&seed) % 64);
	}
}

/* ---- writing as a stub does */

static inline void put(struct writer *w, uint64_t position, uint64_t clock, uint32_t depth,
		       uint32_t site)
{
	struct ring_slot *slot = (struct ring_slot *)((char *)w->ring + RING_DATA +
						      (position & (w->size - 1)));

	__atomic_store_n(&slot->clock, clock, __ATOMIC_RELAXED);
	__atomic_store_n(&slot->depth, depth, __ATOMIC_RELAXED);
	__atomic_store_n(&slot->site, site, __ATOMIC_RELAXED);
}

static inline void stub(struct writer *w, const struct step *s)
{
	struct ring_head *r = w->ring;
	uint64_t head = r->head, goid = 1 + w->number * GOROUTINES + s->goroutine;

	while (head - __atomic_load_n(&r->tail, __ATOMIC_RELAXED) > w->size - RING_ROOM) {
		w->waits++;
		sched_yield();
	}
	__atomic_store_n(&r->reserved, head + RING_ROOM, __ATOMIC_RELEASE);
	if (r->last_goid != goid) {
		put(w, head, goid, 1000 + w->number, RING_CONTEXT);
		r->last_goid = goid;
		head += RING_SLOT;
	}
	put(w, head, __builtin_ia32_rdtsc(), s->depth, s->site);
	__atomic_store_n(&r->reserved, head + RING_SLOT, __ATOMIC_RELEASE);
	__atomic_store_n(&r->head, head + RING_SLOT, __ATOMIC_RELEASE);
}

static inline void one(struct writer *w)
{
	const struct step *s = &w->script[(w->done++ + w->number * 7919u) % SCRIPT];

	stub(w, s);
	for (unsigned k = s->work; k; k--) /* what the function does */
		__asm__ volatile("");
}

static void *write_ring(void *arg)
{
	struct writer *w = arg;

	pin(0);
	while (w->done < w->events)
		one(w);
	w->cpu_ns = now_ns(CLOCK_THREAD_CPUTIME_ID);
	return NULL;
}

/* All rings; `arg` is the first of w->n writers. */
static void *write_mixed(void *arg)
{
	struct writer *w = arg;
	uint64_t seed = 88172645463325252u, left = 0;

	pin(0);
	for (unsigned i = 0; i < w->n; i++)
		left += w[i].events;
	while (left) {
		struct writer *next = &w[random_next(&seed) % w->n];

		if (next->done < next->events) {
			one(next);
			left--;
		}
	}
	w->cpu_ns = now_ns(CLOCK_THREAD_CPUTIME_ID);
	return NULL;
}

/* ---- collecting */

static int take_events(void *ctx, const struct event *ev, size_t n)
{
	struct collection *c = ctx;

	c->events += n;
	switch (c->stage) {
	case READ:
		c->checksum += ev[n - 1].ts_ns;
		return 0;
	case ENCODE:
		for (size_t done = 0; done < n;) {
			size_t added = block_add(c->encoder, ev + done, n - done, NULL);

			done += added;
			if (block_events(c->encoder) < BLOCK_EVENTS)
				continue;
			const struct block_piece *pieces = block_end(c->encoder);

			for (int i = 0; i <= N_COLS; i++)
				c->encoded_bytes += pieces[i].n;
		}
		return 0;
	default:
		return c->sink.many(c->sink.ctx, ev, n);
	}
}

static int take_loss(void *ctx, const struct event_ext *loss)
{
	struct collection *c = ctx;

	return c->writer ? trace_writer_event(c->writer, loss) : 0;
}

static int collect(struct ring_source *source, struct collection *c, uint64_t events)
{
	struct rings *rings = ring_source_rings(source);
	uint64_t complete_ns;
	int err = 0;

	while (!err && c->events < events) {
		uint64_t before = c->events;

		err = ring_source_poll(source, &complete_ns, take_loss, c);
		if (!err)
			err = rings_until(rings, complete_ns);
		rings_release(rings);
		if (!err && c->sink.round)
			err = c->sink.round(c->sink.ctx, complete_ns);
		if (c->writer)
			trace_writer_hurry(c->writer, rings_filling(rings));
		if (!rings_filling(rings) || c->events == before)
			nanosleep(&(struct timespec){ .tv_nsec = PAUSE_NS }, NULL);
	}
	return err;
}

static int open_writer(struct collection *c, const char *path)
{
	char name[64];
	int err = 0, fd;

	for (uint32_t i = 0; i < FUNCS && !err; i++) {
		struct trace_func f = { .name = name, .vaddr = 0x400000 + i * 64ull, .size = 64 };

		snprintf(name, sizeof(name), "example.com/made/up.Function%u", i);
		err = trace_info_add_func(&c->info, &f);
		for (uint16_t kind = EV_ENTRY; kind <= EV_EXIT && !err; kind++)
			err = trace_info_add_site(
				&c->info, &(struct trace_site){
						  .func = i, .target = TRACE_NONE, .kind = kind });
	}
	fd = err ? -1
		 : open(c->stage == PACK ? "/dev/null" : path,
			O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd >= 0)
		c->writer = trace_writer_new(fd, &c->info);
	if (!c->writer)
		return -1;
	c->sink = trace_writer_sink(c->writer);
	if (c->stage == SUMMARY) {
		c->live = live_model_new(
			&(struct live_model_options){ .info = &c->info, .writer = c->writer });
		c->sink = c->live ? live_model_sink(c->live) : c->sink;
	}
	return c->stage == THREADS ? trace_writer_start_thread(c->writer) : 0;
}

static struct ring_head *map_ring(uint64_t size)
{
	void *at = mmap(NULL, RING_DATA + size, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

struct bench {
	struct writer writers[RING_MAX];
	struct ring_memory memory[RING_MAX];
	struct ring_site sites[2 * FUNCS];
	struct step script[SCRIPT];
	struct ring_source *source;
};

static int make_rings(struct bench *b, struct collection *c, unsigned n, uint64_t events)
{
	uint64_t size = n <= 16 ? 32u << 20 : 8u << 20; /* 512 MiB, as record allows at the most */

	make_script(b->script);
	for (uint32_t i = 0; i < 2 * FUNCS; i++)
		b->sites[i] = (struct ring_site){ .kind = i % 2 ? EV_EXIT : EV_ENTRY };
	for (unsigned i = 0; i < n; i++) {
		b->memory[i] = (struct ring_memory){ map_ring(size), size };
		if (!b->memory[i].at)
			return -ENOMEM;
		b->writers[i] = (struct writer){ .ring = b->memory[i].at,
						 .script = b->script,
						 .size = size,
						 .events = events / n,
						 .number = i,
						 .n = n };
	}
	b->source = ring_source_new(&(struct rings_options){
		.memory = b->memory,
		.n_rings = n,
		.sites = b->sites,
		.n_sites = 2 * FUNCS,
		.sink = { .events = take_events, .late = take_loss, .ctx = c },
	});
	return b->source ? 0 : -errno;
}

static void print_row(const struct bench *b, const struct collection *c, unsigned n,
		      uint64_t cpu_ns, uint64_t pack_ns, uint64_t wall_ns)
{
	struct rings_stats st = rings_stats(ring_source_rings(b->source));
	const struct tsc_clock *clock = ring_source_clock(b->source);
	unsigned full = 0;

	for (unsigned i = 0; i < n; i++)
		full += b->writers[i].waits > 0;
	/* columns: see run.sh */
	printf("%" PRIu64 ",%" PRIu64 ",%.2f,%.2f,%" PRIu64 ",%" PRIu64 ",%u,", c->events, cpu_ns,
	       (double)cpu_ns / (double)c->events, (double)pack_ns / (double)c->events, wall_ns,
	       c->writer ? trace_writer_bytes(c->writer) : c->encoded_bytes, full);
	printf("%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.1f\n", st.most_bytes,
	       st.passed_by, st.late, st.backwards, clock->jumps, tsc_clock_residual_ns(clock));
}

static int run(struct bench *b, struct collection *c, unsigned n, bool mixed, uint64_t events)
{
	unsigned threads = mixed ? 1 : n;
	int err = make_rings(b, c, n, events);

	if (err)
		return err;
	pin((int)sysconf(_SC_NPROCESSORS_ONLN) - 1);
	uint64_t wall = now_ns(CLOCK_MONOTONIC), cpu = now_ns(CLOCK_THREAD_CPUTIME_ID),
		 all = now_ns(CLOCK_PROCESS_CPUTIME_ID);

	for (unsigned i = 0; i < threads; i++)
		if (pthread_create(&b->writers[i].thread, NULL, mixed ? write_mixed : write_ring,
				   &b->writers[i]))
			return -EAGAIN;
	err = collect(b->source, c, events / n * n);
	if (!err && c->writer)
		err = trace_writer_flush(c->writer);
	cpu = now_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
	wall = now_ns(CLOCK_MONOTONIC) - wall;
	all = now_ns(CLOCK_PROCESS_CPUTIME_ID) - all - cpu; /* others' */
	for (unsigned i = 0; i < threads; i++) {
		pthread_join(b->writers[i].thread, NULL);
		all -= b->writers[i].cpu_ns;
	}
	print_row(b, c, n, cpu, c->stage >= THREADS ? all : 0, wall);
	if (rings_stats(ring_source_rings(b->source)).disabled)
		err = -EBADMSG;
	ring_source_free(b->source);
	return err;
}

int main(int argc, char **argv)
{
	static const char *const stages[] = { "read",  "encode",  "pack",
					      "write", "threads", "summary" };
	static struct bench bench;
	struct collection c = { .stage = READ };
	bool given = argc == 6 && (!strcmp(argv[3], "mixed") || !strcmp(argv[3], "threads"));
	unsigned n = given ? (unsigned)atoi(argv[2]) : 0;
	uint64_t events = given ? strtoull(argv[4], NULL, 10) : 0;

	while (given && c.stage <= SUMMARY && strcmp(argv[1], stages[c.stage]))
		c.stage++;
	if (!given || c.stage > SUMMARY || !n || n > RING_MAX || events < n) {
		fputs("usage: collector STAGE RINGS threads|mixed EVENTS FILE\n", stderr);
		return 2;
	}
	c.encoder = block_encoder_new();
	int err = c.encoder ? 0 : -ENOMEM;
	if (!err && c.stage >= PACK)
		err = open_writer(&c, argv[5]);
	if (!err)
		err = run(&bench, &c, n, !strcmp(argv[3], "mixed"), events);
	live_model_free(c.live);
	if (c.writer && trace_writer_finish(c.writer, NULL, 0))
		err = -EIO;
	block_encoder_free(c.encoder);
	if (err)
		fprintf(stderr, "collector: %s\n", strerror(-err));
	return err ? 1 : 0;
}
