// SPDX-License-Identifier: BSD-2-Clause
#include "sample/side_band.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"

/* Powers of two. More than perf_event_mlock_kb allows needs CAP_IPC_LOCK (kernel/events/core.c). */
#define RING_PAGES  64
#define HOST_PAGES  1024
#define HOST_BYTES  (32u << 20) /* of all CPUs, bounded */
#define SAMPLE_TYPE (PERF_SAMPLE_TID | PERF_SAMPLE_TIME)

/* Of each CPU that is online. */
static size_t bounded_pages(void)
{
	const size_t all = HOST_BYTES / (size_t)sysconf(_SC_PAGESIZE);
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	size_t pages = HOST_PAGES;

	while (pages > RING_PAGES && cpus > 0 && pages * (size_t)cpus > all)
		pages /= 2;
	return pages;
}

/* A CPU that is offline when it is asked cannot have an event: -ENODEV. */
int side_band_init(struct side_band *s, bool host, bool bounded)
{
	int n = libbpf_num_possible_cpus();

	*s = (struct side_band){ .cpus = n > 0 ? calloc(n, sizeof(*s->cpus)) : NULL,
				 .pages = !host     ? RING_PAGES
					  : bounded ? bounded_pages()
						    : HOST_PAGES };
	if (!s->cpus) {
		log_no_memory("out of memory for the CPUs' rings");
		return -ENOMEM;
	}
	s->n_cpus = n;
	for (int i = 0; i < n; i++)
		s->cpus[i] = (struct side_band_cpu){ .cpu = i, .fd = -1, .wakes = -1 };
	return 0;
}

static int open_event(const struct scope *of)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.inherit = scope_is_thread(of),
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.build_id = 1,
		.sample_id_all = 1,
		.sample_type = SAMPLE_TYPE,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = 1, /* byte: each record wakes who polls */
	};
	int fd = syscall(SYS_perf_event_open, &attr, of->pid, of->cpu, -1, of->flags);

	if (fd < 0 && errno == EINVAL) {
		attr.build_id = 0; /* 88a16a130933, Linux 5.12 */
		fd = syscall(SYS_perf_event_open, &attr, of->pid, of->cpu, -1, of->flags);
	}
	return fd < 0 ? -errno : fd;
}

static int keep_fd(struct side_band *s, uint32_t at, int fd)
{
	if (s->n == s->cap) {
		size_t cap = s->cap ? 2 * s->cap : 64;
		struct side_band_fd *fds = realloc(s->fds, cap * sizeof(*fds));

		if (!fds)
			return -ENOMEM;
		s->fds = fds;
		s->cap = cap;
	}
	s->fds[s->n++] = (struct side_band_fd){ fd, at };
	return 0;
}

size_t side_band_ring_bytes(const struct side_band *s)
{
	return (s->pages + 1) * sysconf(_SC_PAGESIZE);
}

static void *map_ring(struct side_band *s, int fd)
{
	void *at = mmap(NULL, side_band_ring_bytes(s), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	/* All have one size. */
	if (at == MAP_FAILED && errno == EPERM && s->pages > RING_PAGES) {
		for (size_t i = 0; i < s->n_cpus; i++)
			if (s->cpus[i].at)
				return at;
		s->pages = RING_PAGES;
		at = mmap(NULL, side_band_ring_bytes(s), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	}
	return at;
}

/* The first event of a CPU brings the memory, others of it write there too. */
static int join(struct side_band *s, struct side_band_cpu *c, int fd)
{
	if (c->fd >= 0) {
		int err = ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, c->fd)
				  ? -errno
				  : keep_fd(s, (uint32_t)(c - s->cpus), fd);

		if (err)
			close(fd);
		else if (c->wakes < 0)
			c->wakes = fd;
		return err;
	}
	void *at = map_ring(s, fd);

	if (at == MAP_FAILED) {
		int err = -errno;

		close(fd);
		return err;
	}
	c->fd = c->wakes = fd;
	c->at = at;
	return 0;
}

void side_band_describe(struct threads_config *c)
{
	c->side = (struct thread_event){ .sample_type = SAMPLE_TYPE };
}

bool side_band_complete(const struct side_band *s, size_t n_has)
{
	size_t n = 0; /* CPUs that something is followed on: none before the first thread */

	for (size_t i = 0; i < s->n_cpus; i++)
		n += s->cpus[i].at != NULL;
	return n && n_has >= n;
}

int side_band_open(struct side_band *s, struct scope scope, size_t n_has)
{
	for (size_t i = 0; i < s->n_cpus; i++) {
		if (s->cpus[i].at && n_has) {
			n_has--;
			continue;
		}
		const struct scope on = scope_on(scope, (int)s->cpus[i].cpu);
		int fd = open_event(&on);
		int err = fd < 0 ? fd : join(s, &s->cpus[i], fd);

		if (err == -ENODEV)
			continue;
		if (err && err != -ESRCH && !scope_is_thread(&scope))
			log_error("the mappings of processes cannot be followed: %s",
				  strerror(-err));
		else if (err && err != -ESRCH)
			log_error("the mappings of process %d cannot be followed: %s%s", scope.pid,
				  strerror(-err),
				  err == -EMFILE ? " (too many threads for ulimit -n)" : "");
		if (err)
			return err;
	}
	return 0;
}

bool side_band_left(const struct side_band *s)
{
	return s->n_records;
}

bool side_band_poll(const struct side_band *s, struct pollfd *fds, size_t *n)
{
	bool complete = true;

	*n = 0;
	for (size_t i = 0; i < s->n_cpus; i++) {
		if (!s->cpus[i].at)
			continue;
		complete &= s->cpus[i].wakes >= 0;
		fds[(*n)++] = (struct pollfd){ .fd = s->cpus[i].wakes, .events = POLLIN };
	}
	return complete;
}

/* An event of a thread that has ended, as have all that it started, is hung up for good; those of
 * other threads, which write to the same ring, are not. */
static void poll_another(struct side_band *s, uint32_t cpu)
{
	struct side_band_cpu *c = &s->cpus[cpu];
	int next = -1;

	for (size_t i = c->tried; i < s->n && next < 0; c->tried = ++i)
		if (s->fds[i].at == cpu)
			next = s->fds[i].fd;
	c->wakes = next;
}

bool side_band_polled(struct side_band *s, const struct pollfd *fds, size_t n)
{
	bool any = false;
	size_t at = 0;

	for (uint32_t i = 0; i < s->n_cpus && at < n; i++) {
		if (!s->cpus[i].at)
			continue;
		const short got = fds[at++].revents;

		any |= got & POLLIN;
		if (got & (POLLHUP | POLLERR | POLLNVAL))
			poll_another(s, i);
	}
	return any;
}

void side_band_close(struct side_band *s)
{
	for (size_t i = 0; i < s->n; i++)
		close(s->fds[i].fd);
	for (size_t i = 0; i < s->n_cpus; i++) {
		if (s->cpus[i].at)
			munmap(s->cpus[i].at, side_band_ring_bytes(s));
		if (s->cpus[i].fd >= 0)
			close(s->cpus[i].fd);
	}
	free(s->bytes);
	free(s->records);
	free(s->fds);
	free(s->cpus);
	*s = (struct side_band){ 0 };
}
