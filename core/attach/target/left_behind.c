// SPDX-License-Identifier: BSD-2-Clause
#include "attach/target/left_behind.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "attach/target/mappings.h"
#include "attach/target/running_map.h"
#include "attach/target/running_why.h"
#include "attach/target/springboard.h"
#include "attach/target/threads.h"
#include "base/log.h"
#include "plan/inline_hook.h"

#define MAPS_MAX 16
#define TRIES    100
#define AGAIN_NS (2 * 1000 * 1000)

#define LOCK_TRIES    40
#define LOCK_AGAIN_NS (50 * 1000 * 1000)

#define SOMEBODY_INSIDE "a thread does not leave the stubs of a gotrace that was killed"

struct behind {
	struct running *r;
	struct code_range stubs, maps[MAPS_MAX];
	size_t n_maps;
	int lock_fd;
	struct left_text text;
	uint8_t *is, *pages; /* pages: a bit for each LEFT_* that is in it */
};

int left_behind_claim(int stub_fd)
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", stub_fd);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || !flock(fd, LOCK_EX | LOCK_NB))
		return fd < 0 ? -errno : fd;
	int err = -errno;

	close(fd);
	return err;
}

/* ---- what is there */

/* Takes the lock on the file that is mapped at m. NULL, or a clause, static. */
static const char *lock_of_dead(struct behind *b, const struct mapping *m)
{
	char path[80];

	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, b->r->opt.pid,
		 m->start, m->end);
	if (b->lock_fd < 0)
		b->lock_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (b->lock_fd < 0)
		return "another gotrace's stubs are in the process, and whether that gotrace lives cannot be found out";
	/* The kernel closes the files of one that was killed, its probes among them, one by one. */
	for (unsigned try = 0; flock(b->lock_fd, LOCK_EX | LOCK_NB); try++) {
		if (try == LOCK_TRIES)
			return "another gotrace's stubs are in the process, and it has not ended";
		nanosleep(&(struct timespec){ .tv_nsec = LOCK_AGAIN_NS }, NULL);
	}
	return NULL;
}

static void add_map(struct behind *b, uint64_t start, uint64_t bytes)
{
	if (b->n_maps < MAPS_MAX)
		b->maps[b->n_maps] = (struct code_range){ start, bytes };
	b->n_maps++;
}

/* Stubs, rings, and the table of rings, which lies before what counts signals (stub_maps.c). */
static const char *find_maps(struct behind *b)
{
	struct mappings maps;
	struct mapping m;
	uint64_t before = 0; /* where an anonymous mapping ended */
	const char *why = NULL;
	int err = mappings_open(&maps, b->r->opt.pid);

	while (!err && !why && mappings_next(&maps, &m)) {
		if (strstr(m.path, "/memfd:" SPRINGBOARD_FILE)) {
			if (!strstr(m.path, "/memfd:" SPRINGBOARD_LOCKED " "))
				why = "the stubs of an older gotrace are in the process";
			else if (!b->stubs.bytes)
				why = lock_of_dead(b, &m);
			else
				why = "stubs of several gotraces are in the process";
			b->stubs = (struct code_range){ m.start, m.end - m.start };
			add_map(b, m.start, m.end - m.start);
		} else if (strstr(m.path, "/memfd:" RING_AREA_FILE " ")) {
			add_map(b, m.start, m.end - m.start);
			if (before == m.start && m.end - m.start == PLAN_INLINE_SIGNALS_BYTES)
				add_map(b, m.start - PLAN_INLINE_TABLE_BYTES,
					PLAN_INLINE_TABLE_BYTES);
		}
		before = *m.path ? 0 : m.end;
	}
	if (!err) {
		err = mappings_error(&maps);
		mappings_close(&maps);
	}
	return err                    ? "its memory map cannot be read"
	       : b->n_maps > MAPS_MAX ? "stubs of several gotraces are in the process"
				      : why;
}

/* The text as it is and as the file has it, of the same size: padding after the last function may
 * be no part of it. */
static bool read_text(struct behind *b, uint64_t vaddr)
{
	const struct running *r = b->r;

	for (size_t less = 0; less <= INLINE_ALIGN; less += INLINE_ALIGN) {
		b->text.n = r->look.text_bytes - less;
		b->text.file = gobin_bytes(r->opt.plan->binary, vaddr, b->text.n);
		if (b->text.file && text_patch_read(&r->text, vaddr, b->is, b->text.n))
			return true;
	}
	return false;
}

static const char *find_text(struct behind *b)
{
	const struct running *r = b->r;
	const uint64_t vaddr = r->look.text - r->text.bias;
	const size_t n = r->look.text_bytes;
	const char *why;

	b->is = malloc(n);
	b->text = (struct left_text){ .is = b->is,
				      .at = r->look.text,
				      .stubs = b->stubs.start,
				      .stubs_bytes = b->stubs.bytes,
				      .code = r->code_at,
				      .code_bytes = REMOTE_CODE_BYTES,
				      .back = malloc(n) };
	if (!b->is || !b->text.back)
		return "there is no memory for its text";
	if (!read_text(b, vaddr))
		return "its text cannot be read";
	why = left_behind_find(&b->text);
	/* While a thread is in a stub, the hook has to be there. */
	const uint64_t hook = r->opt.plan->stubs.inl.sigtramp_vaddr + INLINE_SIGTRAMP_JUMP - vaddr;

	for (uint64_t i = hook; i < hook + 5 && i < b->text.n; i++)
		b->text.back[i] = b->text.back[i] ? LEFT_CODE : LEFT_ALONE;
	return why;
}

static size_t page_of(const struct behind *b, size_t i)
{
	return (b->text.at % TEXT_PAGE + i) / TEXT_PAGE;
}

/* Before threads wait: which pages are to be written, and where nobody may be. */
static bool mark(struct behind *b)
{
	struct running *r = b->r;

	b->pages = calloc(page_of(b, b->text.n) + 1, 1);
	if (!b->pages)
		return false;
	memset(r->inside, 0, r->look.text_bytes / 8 + 1);
	for (size_t i = 0; i < b->text.n; i++)
		if (b->text.back[i]) {
			r->inside[i / 8] |= (uint8_t)(1 << i % 8);
			b->pages[page_of(b, i)] |= (uint8_t)(1 << b->text.back[i]);
		}
	return true;
}

/* ---- with all threads stopped */

/*
 * Each window in one write: if this process is killed meanwhile, it is there whole or not at all.
 * Bytes between windows are not written: the kernel may still be taking away breakpoints there, of
 * the gotrace that was killed.
 */
static bool write_page(const struct behind *b, size_t from, size_t end, uint8_t as)
{
	for (size_t i = from, n; i < end; i += n) {
		const bool wanted = b->text.back[i] == as;

		for (n = 1; i + n < end && (b->text.back[i + n] == as) == wanted;)
			n++;
		if (wanted && pwrite(b->r->text.mem_fd, b->text.file + i, n,
				     (off_t)(b->text.at + i)) != (ssize_t)n)
			return false;
	}
	return true;
}

static bool write_all(struct behind *b)
{
	for (uint8_t as = LEFT_WINDOW; as <= LEFT_CODE; as++)
		for (size_t from = 0, end; from < b->text.n; from = end) {
			end = ((b->text.at + from) / TEXT_PAGE + 1) * TEXT_PAGE - b->text.at;
			end = end < b->text.n ? end : b->text.n;
			if (b->pages[page_of(b, from)] >> as & 1 && !write_page(b, from, end, as))
				return false;
		}
	return true;
}

/* 0, or -errno. The stubs, which have the lowest address, go last: who finds none looks no further.
 */
static int unmap_with(struct behind *b, struct remote *remote)
{
	int64_t err = 0;

	for (size_t i = b->n_maps; i-- > 0 && !err;)
		if (running_remote_call(remote,
					(const uint64_t[7]){ SYS_munmap, b->maps[i].start,
							     b->maps[i].bytes },
					&err))
			err = remote->err;
	running_remote_end(b->r, remote);
	return (int)err;
}

/* A thread that cannot do it is followed by another. */
static const char *unmap_all(struct behind *b, const struct threads *t)
{
	struct remote remote;
	size_t i = 0;
	int err = -ESRCH;

	while (err && running_remote_next(b->r, &remote, t, &i))
		err = unmap_with(b, &remote);
	return err ? running_say(
			     b->r,
			     "none of its threads unmaps the stubs of a gotrace that was killed: %s",
			     strerror(-err))
		   : NULL;
}

/* The registers of all threads, and goroutines that were preempted, must be elsewhere. */
static const char *put_back(struct behind *b, const struct threads *t, bool *again)
{
	struct running *r = b->r;
	struct whereabouts_options look = r->look;

	look.stubs = b->stubs.start;
	look.stubs_bytes = b->stubs.bytes;
	int err = whereabouts_find(&r->where, t, &look);

	*again = err != -ETIMEDOUT && err != -ENOMEM;
	if (err)
		return "where its threads and goroutines are cannot be read";
	if (r->where.n)
		return SOMEBODY_INSIDE;
	*again = false;
	if (!write_all(b))
		return "its text cannot be written";
	return b->n_maps ? unmap_all(b, t) : NULL;
}

static const char *take_back(struct behind *b)
{
	const char *why = find_text(b);

	if (!why && !mark(b))
		why = "there is no memory for its text";
	bool again = !why;

	if (!why && whereabouts_prepare(&b->r->where, b->r->opt.pid, &b->r->look) == -ETIMEDOUT)
		return RUNNING_SILENT;
	for (unsigned try = 0; again && try < TRIES; try++) {
		struct threads t;

		if (try)
			nanosleep(&(struct timespec){ .tv_nsec = AGAIN_NS }, NULL);
		int err = threads_stop(&t, b->r->opt.pid, 0, try < THREADS_TRIES ? try : 0);

		if (err) {
			why = running_why_not_stopped(b->r, &t, err);
			again = b->r->again;
		} else {
			why = put_back(b, &t, &again);
		}
		threads_go(&t);
	}
	return why;
}

/* It was killed before it had stubs mapped, while a thread made system calls for it. One that lives
 * traces that thread. */
static bool code_is_there(const struct running *r)
{
	const uint64_t vaddr = r->code_at - r->text.bias;
	const uint8_t *file = gobin_bytes(r->opt.plan->binary, vaddr, REMOTE_CODE_BYTES);
	uint8_t is[REMOTE_CODE_BYTES];

	return file && text_patch_read(&r->text, vaddr, is, sizeof(is)) &&
	       memcmp(is, file, sizeof(is)) != 0;
}

const char *left_behind_take_back(struct running *r)
{
	struct behind b = { .r = r, .lock_fd = -1 };
	const char *why = find_maps(&b);

	if (!why && (b.stubs.bytes || code_is_there(r))) {
		why = take_back(&b);
		if (!why && b.stubs.bytes)
			log_info(
				"the stubs of a gotrace that was killed are taken out of process %d",
				r->opt.pid);
	}
	if (b.lock_fd >= 0)
		close(b.lock_fd);
	free(b.is);
	free(b.pages);
	free(b.text.back);
	return why;
}
