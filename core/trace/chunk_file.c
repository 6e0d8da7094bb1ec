// SPDX-License-Identifier: BSD-2-Clause
#include "trace/chunk_file.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/thread_signals.h"
#include "base/vec.h"

/* A chunk that was handed over. */
struct job {
	struct chunk_head head;
	struct bytes raw;
	struct block_piece pieces[N_COLS + 1]; /* in raw */
	size_t n_pieces;
	bool hurry;
};

/*
 * `fd`, `packer` and what is counted are used by the thread while jobs wait, by the caller while
 * none does. Others may ask for what is atomic at any time.
 */
struct chunk_file {
	int fd;
	uint32_t seq;
	bool hurry;
	struct chunk_packer packer;
	uint64_t events; /* written */
	_Atomic uint64_t bytes;
	atomic_int err; /* the first failure */

	bool threaded;
	pthread_t thread;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t changed;
	/* jobs[first], ... wait, n_jobs of them; the thread is at the first */
	struct job jobs[CHUNKS_IN_FLIGHT];
	unsigned first, n_jobs;
	bool ending;
	_Atomic uint64_t waiting_max; /* bytes that jobs take at the most */
};

struct chunk_file *chunk_file_new(int fd)
{
	struct chunk_file *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->fd = fd;
	pthread_mutex_init(&f->lock, NULL);
	pthread_cond_init(&f->changed, NULL);
	if (!chunk_packer_init(&f->packer))
		return f;
	chunk_file_free(f);
	return NULL;
}

/* ---- one after the other */

/* What the descriptor is called, for messages; in buf, or a constant. */
static const char *name_of(int fd, char *buf, size_t size)
{
	char link[40];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t n = readlink(link, buf, size - 1);
	if (n < 0)
		return "the trace file";
	buf[n] = '\0';
	return buf;
}

/* The one line about a file that takes no more. */
static int failed(struct chunk_file *f, int err)
{
	char buf[512];
	const char *name = name_of(f->fd, buf, sizeof(buf));

	f->err = err;
	if (f->bytes)
		log_error(
			"%s: cannot be written any further: %s. The trace stays readable, with %llu bytes and %llu events. The rest is not recorded. Free space or choose "
			"another place with -o, or limit the trace with --max-size",
			name, strerror(-err), (unsigned long long)f->bytes,
			(unsigned long long)f->events);
	else
		log_error("%s: cannot be written: %s. Choose another place with -o", name,
			  strerror(-err));
	/* The piece of a chunk that still went in is of no use. A pipe has no length: no matter.
	 * Where a quota is used up it stays, as readers know it: btrfs then cuts nothing off, but
	 * writes zeros over a part. */
	if (err != -EDQUOT && ftruncate(f->fd, (off_t)f->bytes))
		log_debug("%s: the cut-off last chunk stays: %s", name, strerror(errno));
	return err;
}

int chunk_file_raw(struct chunk_file *f, const uint8_t *p, size_t n)
{
	for (size_t done = 0; done < n;) {
		ssize_t got = write(f->fd, p + done, n - done);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return failed(f, got ? -errno : -EIO);
		done += (size_t)got;
	}
	f->bytes += n;
	return 0;
}

static int put(struct chunk_file *f, struct chunk_head *h, const struct block_piece *pieces,
	       size_t n_pieces, bool hurry)
{
	if (f->err)
		return f->err;
	h->seq = f->seq;
	chunk_packer_hurry(&f->packer, hurry);
	int err = chunk_pack(&f->packer, h, pieces, n_pieces);
	if (err) {
		log_error("a chunk of the trace cannot be made: %s", strerror(-err));
		f->err = err;
		return err;
	}
	err = chunk_file_raw(f, f->packer.out.data, f->packer.out.n);
	if (err)
		return err;
	f->seq++;
	if (h->type == CHUNK_EVENTS)
		f->events += h->count;
	return 0;
}

int chunk_file_put(struct chunk_file *f, struct chunk_head *h, const struct block_piece *pieces,
		   size_t n_pieces)
{
	int err = chunk_file_wait(f);

	return err ? err : put(f, h, pieces, n_pieces, f->hurry);
}

int chunk_file_put_packed(struct chunk_file *f, struct chunk_head *h, const uint8_t *stored)
{
	uint8_t head[CHUNK_HEAD_BYTES];
	int err = chunk_file_wait(f);

	if (err)
		return err;
	h->seq = f->seq++;
	chunk_head_put(head, h);
	err = chunk_file_raw(f, head, sizeof(head));
	if (!err)
		err = chunk_file_raw(f, stored, h->stored_bytes);
	if (!err && h->type == CHUNK_EVENTS)
		f->events += h->count;
	return err;
}

/* ---- again and again */

bool chunk_file_seeks(const struct chunk_file *f)
{
	return lseek(f->fd, 0, SEEK_CUR) >= 0;
}

int chunk_file_head(struct chunk_file *f, struct chunk_head *h, uint32_t n)
{
	uint8_t head[CHUNK_HEAD_BYTES];
	int err = chunk_file_wait(f);

	if (err)
		return err;
	h->stored_bytes = h->raw_bytes = n;
	h->seq = f->seq++;
	chunk_head_put(head, h);
	return chunk_file_raw(f, head, sizeof(head));
}

int chunk_file_blank(struct chunk_file *f, struct chunk_head *h, uint32_t n, uint64_t *off)
{
	static const uint8_t zeros[16 << 10];
	uint64_t before = chunk_file_bytes(f);
	int err = chunk_file_head(f, h, n);

	*off = f->bytes;
	for (uint32_t done = 0; !err && done < n; done += sizeof(zeros))
		err = chunk_file_raw(f, zeros, n - done < sizeof(zeros) ? n - done : sizeof(zeros));
	if (err && ftruncate(f->fd, (off_t)before))
		log_debug("the cut-off last chunk stays: %s", strerror(errno));
	return err;
}

int chunk_file_over(struct chunk_file *f, uint64_t off, const uint8_t *p, size_t n)
{
	for (size_t done = 0; done < n;) {
		ssize_t got = pwrite(f->fd, p + done, n - done, (off_t)(off + done));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return failed(f, got ? -errno : -EIO);
		done += (size_t)got;
	}
	return 0;
}

/* ---- by the thread */

static void *pack_thread(void *arg)
{
	struct chunk_file *f = arg;

	pthread_mutex_lock(&f->lock);
	for (;;) {
		while (!f->n_jobs && !f->ending)
			pthread_cond_wait(&f->changed, &f->lock);
		if (!f->n_jobs)
			break;
		struct job *j = &f->jobs[f->first];

		pthread_mutex_unlock(&f->lock);
		put(f, &j->head, j->pieces, j->n_pieces, j->hurry); /* kept in f->err */
		f->waiting_max -= chunk_bytes_max(j->raw.n);
		pthread_mutex_lock(&f->lock);
		f->first = (f->first + 1) % CHUNKS_IN_FLIGHT;
		f->n_jobs--;
		pthread_cond_broadcast(&f->changed);
	}
	pthread_mutex_unlock(&f->lock);
	return NULL;
}

int chunk_file_start_thread(struct chunk_file *f)
{
	sigset_t old;

	thread_signals_block(&old);
	int err = pthread_create(&f->thread, NULL, pack_thread, f);
	thread_signals_put_back(&old);
	f->threaded = !err;
	return -err;
}

/* Waits until fewer than n jobs wait. Returns the place of the next one. */
static struct job *wait_for_fewer(struct chunk_file *f, unsigned n)
{
	pthread_mutex_lock(&f->lock);
	while (f->n_jobs >= n)
		pthread_cond_wait(&f->changed, &f->lock);
	/* The same however many the thread takes away from now on. */
	struct job *next = &f->jobs[(f->first + f->n_jobs) % CHUNKS_IN_FLIGHT];
	pthread_mutex_unlock(&f->lock);
	return next;
}

int chunk_file_wait(struct chunk_file *f)
{
	if (f->threaded)
		wait_for_fewer(f, 1);
	return f->err;
}

int chunk_file_refuse(struct chunk_file *f, int err)
{
	int before = chunk_file_wait(f);

	if (before)
		return before;
	f->err = err;
	return err;
}

int chunk_file_sync(struct chunk_file *f)
{
	int err = chunk_file_wait(f);

	/* Pipes and some file systems cannot sync, and say so with these two. */
	return !err && fsync(f->fd) && errno != EINVAL && errno != EROFS ? failed(f, -errno) : err;
}

static int fill_job(struct job *j, const struct chunk_head *h, const struct block_piece *pieces,
		    size_t n_pieces, bool hurry)
{
	size_t n = 0;

	for (size_t i = 0; i < n_pieces; i++)
		n += pieces[i].n;
	if (vec_reserve(&j->raw.data, &j->raw.cap, n + 1))
		return -ENOMEM;
	j->head = *h;
	j->hurry = hurry;
	j->n_pieces = n_pieces;
	j->raw.n = 0;
	for (size_t i = 0; i < n_pieces; i++) {
		uint8_t *to = j->raw.data + j->raw.n;

		if (pieces[i].n)
			memcpy(to, pieces[i].data, pieces[i].n);
		j->pieces[i] = (struct block_piece){ to, pieces[i].n };
		j->raw.n += pieces[i].n;
	}
	return 0;
}

int chunk_file_hand_over(struct chunk_file *f, struct chunk_head *h,
			 const struct block_piece *pieces, size_t n_pieces)
{
	if (!f->threaded)
		return chunk_file_put(f, h, pieces, n_pieces);
	struct job *j = wait_for_fewer(f, CHUNKS_IN_FLIGHT);
	if (f->err)
		return f->err;
	if (fill_job(j, h, pieces, n_pieces, f->hurry)) {
		log_no_memory("no memory for writing a trace");
		return chunk_file_refuse(f, -ENOMEM);
	}
	f->waiting_max += chunk_bytes_max(j->raw.n);
	pthread_mutex_lock(&f->lock);
	f->n_jobs++;
	pthread_cond_broadcast(&f->changed);
	pthread_mutex_unlock(&f->lock);
	return 0;
}

void chunk_file_free(struct chunk_file *f)
{
	if (!f)
		return;
	if (f->threaded) {
		pthread_mutex_lock(&f->lock);
		f->ending = true;
		pthread_cond_broadcast(&f->changed);
		pthread_mutex_unlock(&f->lock);
		pthread_join(f->thread, NULL);
	}
	for (unsigned i = 0; i < CHUNKS_IN_FLIGHT; i++)
		free(f->jobs[i].raw.data);
	pthread_cond_destroy(&f->changed);
	pthread_mutex_destroy(&f->lock);
	chunk_packer_free(&f->packer);
	free(f);
}

/* ---- asking */

void chunk_file_hurry(struct chunk_file *f, bool hurry)
{
	f->hurry = hurry;
}

int chunk_file_error(const struct chunk_file *f)
{
	return atomic_load_explicit(&f->err, memory_order_relaxed);
}

uint64_t chunk_file_bytes(const struct chunk_file *f)
{
	return f->bytes;
}

uint64_t chunk_bytes_max(uint64_t n)
{
	/* What cannot be compressed grows by 1/256; then the head. */
	return n + n / 128 + 256;
}

uint64_t chunk_file_bytes_max(const struct chunk_file *f)
{
	/* In this order: a job that ends in between counts twice, not never. */
	uint64_t waiting = f->waiting_max;

	return waiting + f->bytes;
}
