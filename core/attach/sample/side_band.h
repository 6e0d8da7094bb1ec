/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel tells about sampled processes besides the samples: what they map, fork and
 * execute (perf's side-band records of a dummy event, one for each thread and CPU). */
#ifndef GOTRACE_SAMPLE_SIDE_BAND_H
#define GOTRACE_SAMPLE_SIDE_BAND_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/sample/scope.h"
#include "bpf/sample.h"
#include "trace/trace.h"

struct side_band_map {
	uint32_t pid;
	uint64_t start, bytes, file_off;
	const char *path; /* "//anon": none; "[vdso]" */
	const uint8_t *build_id;
	size_t build_id_len; /* 0: not known */
};

struct side_band_reader {
	/* Executable memory was mapped. */
	void (*map)(void *ctx, const struct side_band_map *m, uint64_t ts_ns);
	/* A process was forked, no thread. */
	void (*fork)(void *ctx, uint32_t parent, uint32_t child, uint64_t ts_ns);
	/* A process executed an image, whose name is now `comm`. */
	void (*exec)(void *ctx, uint32_t pid, const char *comm, uint64_t ts_ns);
	/* A process, no thread, has ended. */
	void (*end)(void *ctx, uint32_t pid, uint64_t ts_ns);
	void *ctx;
};

struct side_band {
	struct side_band_cpu {
		unsigned cpu;
		int fd;       /* whose memory it is; -1: none yet */
		int wakes;    /* the one that is polled; -1: none can be */
		size_t tried; /* of fds, how many were polled or are of others */
		void *at;     /* struct perf_event_mmap_page and the ring */
	} * cpus;
	size_t n_cpus;
	size_t pages; /* of each CPU's ring, a power of two */
	struct side_band_fd {
		int fd;
		uint32_t at; /* in cpus */
	} * fds;             /* of all threads but those of cpus */
	size_t n, cap;
	uint64_t lost; /* records for which there was no room */
	/* read, and not handed out yet */
	uint8_t *bytes;
	size_t n_bytes, cap_bytes;
	struct side_band_record {
		uint64_t ts_ns;
		size_t at; /* in bytes */
	} * records;
	size_t n_records, cap_records;
};

/* host: there will be many records; bounded: rings of all CPUs share 32 MB then. 0 or -errno
 * (logged). */
int side_band_init(struct side_band *s, bool host, bool bounded);
/* How its events are recognized. */
void side_band_describe(struct threads_config *c);
/* Follows a thread and what it starts from now on, or a host; on the first n_has CPUs it is
 * followed already. 0 or -errno (logged, but for -ESRCH). */
int side_band_open(struct side_band *s, struct scope scope, size_t n_has);
/* Whether that many CPUs are all. */
bool side_band_complete(const struct side_band *s, size_t n_has);
/* Hands out what happened before until_ns, in the order in which it happened: a process executes an
 * image on one CPU and maps it on another. Each CPU's ring must have what is older, so until_ns is
 * a moment before the call. 0 or -ENOMEM. */
int side_band_read(struct side_band *s, const struct side_band_reader *r, uint64_t until_ns);
/* Makes room in the rings: what is read is handed out later. 0 or -ENOMEM. */
int side_band_empty(struct side_band *s);
/* Whether it has read what is not handed out yet. */
bool side_band_left(const struct side_band *s);
/* What becomes readable when there is something to read: *n of them, cpus at most. False: of some
 * CPU nothing does, so it is to be looked at now and then. */
bool side_band_poll(const struct side_band *s, struct pollfd *fds, size_t *n);
/* After they were polled: whether there is something to read. */
bool side_band_polled(struct side_band *s, const struct pollfd *fds, size_t n);
/* Notes the records that were lost, and warns of them, if there are any. 0 or -ENOMEM. */
int side_band_describe_lost(const struct side_band *s, struct trace_info *end);
void side_band_close(struct side_band *s);
/* Of one CPU, with the page that describes it. */
size_t side_band_ring_bytes(const struct side_band *s);

#endif
