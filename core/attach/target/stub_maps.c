// SPDX-License-Identifier: BSD-2-Clause
#include "attach/target/stub_maps.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/log.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* 4ca9b3859dac, Linux 5.14 */
#endif

static int64_t call(const struct process_calls *c, const uint64_t args[7])
{
	int64_t result = -EIO;
	int err = c->call(c->ctx, args, &result);

	return err ? err : result;
}

static int64_t map(const struct process_calls *c, uint64_t at, size_t bytes, int prot, int flags,
		   int fd, uint64_t off)
{
	return call(c, (const uint64_t[7]){ SYS_mmap, at, bytes, (uint64_t)prot, (uint64_t)flags,
					    (uint64_t)fd, off });
}

static int64_t unmap(const struct process_calls *c, uint64_t at, uint64_t bytes)
{
	return call(c, (const uint64_t[7]){ SYS_munmap, at, bytes });
}

static int64_t advise(const struct process_calls *c, uint64_t at, size_t bytes, int advice)
{
	return call(c, (const uint64_t[7]){ SYS_madvise, at, bytes, (uint64_t)advice });
}

struct part {
	uint64_t at;
	size_t bytes;
	int prot, flags, fd;
	uint64_t off;
};

/* `at` and nowhere else. 0 or -errno. */
static int64_t map_at(const struct process_calls *c, uint64_t at, size_t bytes, int prot, int flags,
		      int fd, uint64_t off)
{
	int64_t got = map(c, at, bytes, prot, flags | MAP_FIXED_NOREPLACE, fd, off);

	if (got == (int64_t)at)
		return 0;
	if (got > 0) { /* before Linux 4.17 the flag was only a wish */
		unmap(c, (uint64_t)got, bytes);
		got = -EEXIST;
	}
	return got;
}

/* Maps it there and notes that in *at and *bytes. False: m->err says why not. */
static bool map_part(struct stub_maps *m, const struct process_calls *c, uint64_t *at,
		     uint64_t *bytes, const struct part *p)
{
	m->err = (int)map_at(c, p->at, p->bytes, p->prot, p->flags, p->fd, p->off);
	if (m->err) {
		log_debug("mapping %zu bytes at %" PRIx64 ": %s", p->bytes, p->at,
			  strerror(-m->err));
		return false;
	}
	*at = p->at;
	*bytes = p->bytes;
	return true;
}

/* Why nothing could be mapped where it has to be. */
static const char *why_not(struct stub_maps *m, const char *taken, const char *other)
{
	if (m->err != -EEXIST)
		return other;
	m->err = 0; /* the clause says it */
	return taken;
}

static const char *map_stubs(struct stub_maps *m, const struct process_calls *c,
			     const struct text_patch *text, int fd)
{
	const struct plan_stubs *t = &text->plan->stubs;
	const struct part stubs = { t->vaddr + text->bias, t->bytes, PROT_READ | PROT_EXEC,
				    MAP_PRIVATE,           fd,       t->file_off };

	return map_part(m, c, &m->stubs.at, &m->stubs.bytes, &stubs)
		       ? NULL
		       : why_not(m, "something else lies where the stubs belong",
				 "it may not map the stubs");
}

static const char *map_table(struct stub_maps *m, const struct process_calls *c,
			     const struct text_patch *text, int fd)
{
	const uint64_t at = text->plan->stubs.inl.table_vaddr + text->bias;
	const int prot = PROT_READ | PROT_WRITE;
	const struct part table = { at,   PLAN_INLINE_TABLE_BYTES,
				    prot, MAP_PRIVATE | MAP_ANONYMOUS,
				    -1,   0 },
			  signals = { at + PLAN_INLINE_TABLE_BYTES,
				      PLAN_INLINE_SIGNALS_BYTES,
				      prot,
				      MAP_SHARED,
				      fd,
				      0 };

	if (!map_part(m, c, &m->table.at, &m->table.bytes, &table) ||
	    !map_part(m, c, &m->signals.at, &m->signals.bytes, &signals))
		return why_not(m, "something else lies where the table of rings belongs",
			       "it may not map the table of rings");
	/* A child that goes on without an exec must not write into its parent's rings. */
	m->err = (int)advise(c, at, PLAN_INLINE_TABLE_BYTES, MADV_WIPEONFORK);
	return m->err ? "its table of rings would be a forked child's too" : NULL;
}

/* Maps the rings anywhere, and writes their addresses where the stubs look for them. */
static const char *map_rings(struct stub_maps *m, const struct process_calls *c,
			     const struct text_patch *text, const struct ring_area *a, int fd)
{
	uint64_t addresses[RING_MAX] = { 0 };
	int64_t at = map(c, 0, a->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (at <= 0) {
		m->err = (int)at;
		return "it may not map the rings";
	}
	m->rings.at = (uint64_t)at;
	m->rings.bytes = a->bytes;
	advise(c, m->rings.at, a->bytes, MADV_DONTDUMP);
	for (unsigned i = 0; i < a->n; i++)
		addresses[i] = m->rings.at + ring_area_offset(a, i);
	return pwrite(text->mem_fd, addresses, sizeof(addresses), (off_t)m->table.at) ==
			       sizeof(addresses)
		       ? NULL
		       : "its table of rings cannot be filled";
}

const char *stub_maps_make(struct stub_maps *maps, const struct process_calls *calls,
			   const struct text_patch *text, int stub_fd,
			   const struct ring_area *rings, int rings_fd)
{
	*maps = (struct stub_maps){ 0 };
	const char *why = map_stubs(maps, calls, text, stub_fd);

	if (!why && rings)
		why = map_table(maps, calls, text, rings_fd);
	if (!why && rings)
		why = map_rings(maps, calls, text, rings, rings_fd);
	return why;
}

void stub_maps_populate(const struct stub_maps *maps, const struct process_calls *calls,
			const struct ring_area *rings, unsigned i)
{
	advise(calls, maps->rings.at + ring_area_offset(rings, i), ring_area_there(rings, i),
	       MADV_POPULATE_WRITE);
}

int stub_maps_remove(struct stub_maps *maps, const struct process_calls *calls)
{
	const struct {
		uint64_t *at, *bytes;
	} all[] = {
		{ &maps->rings.at, &maps->rings.bytes },
		{ &maps->signals.at, &maps->signals.bytes },
		{ &maps->table.at, &maps->table.bytes },
		{ &maps->stubs.at, &maps->stubs.bytes },
	};
	int64_t err = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all) && !err; i++) {
		if (*all[i].bytes)
			err = unmap(calls, *all[i].at, *all[i].bytes);
		if (!err)
			*all[i].bytes = 0;
	}
	return (int)err;
}
