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

static const char *map_stubs(struct stub_maps *m, const struct process_calls *c,
			     const struct text_patch *text, int fd)
{
	const struct plan_stubs *t = &text->plan->stubs;
	const uint64_t at = t->vaddr + text->bias;
	int64_t err = map_at(c, at, t->bytes, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, t->file_off);

	if (!err) {
		m->stubs.at = at;
		m->stubs.bytes = t->bytes;
		return NULL;
	}
	log_debug("mapping %zu bytes of stubs at %" PRIx64 ": %s", t->bytes, at,
		  strerror((int)-err));
	return err == -EEXIST ? "something else lies where the stubs belong"
	       : err == -ESRCH || err == -ECHILD || err == -EIO
		       ? "it could not be made to map the stubs"
		       : "it may not map the stubs";
}

static const char *map_table(struct stub_maps *m, const struct process_calls *c,
			     const struct text_patch *text, int fd)
{
	const uint64_t table = text->plan->stubs.inl.table_vaddr + text->bias,
		       signals = table + PLAN_INLINE_TABLE_BYTES;
	const int prot = PROT_READ | PROT_WRITE;

	if (map_at(c, table, PLAN_INLINE_TABLE_BYTES, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
		return "something else lies where the table of rings belongs";
	m->table.at = table;
	m->table.bytes = PLAN_INLINE_TABLE_BYTES;
	if (map_at(c, signals, PLAN_INLINE_SIGNALS_BYTES, prot, MAP_SHARED, fd, 0))
		return "something else lies where the table of rings belongs";
	m->signals.at = signals;
	m->signals.bytes = PLAN_INLINE_SIGNALS_BYTES;
	/* A child that goes on without an exec must not write into its parent's rings. */
	return advise(c, table, PLAN_INLINE_TABLE_BYTES, MADV_WIPEONFORK)
		       ? "its table of rings would be a forked child's too"
		       : NULL;
}

/* Maps the rings anywhere, and writes their addresses where the stubs look for them. */
static const char *map_rings(struct stub_maps *m, const struct process_calls *c,
			     const struct text_patch *text, const struct ring_area *a, int fd)
{
	uint64_t addresses[RING_MAX] = { 0 };
	int64_t at = map(c, 0, a->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (at <= 0)
		return "it may not map the rings";
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
