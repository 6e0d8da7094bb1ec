/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's reports on sampled processes besides the samples: mappings, forks and executed
 * images. They are perf's side-band records of a dummy event, one event for each thread and CPU. */
#ifndef GOTRACE_SAMPLE_SIDE_BAND_H
#define GOTRACE_SAMPLE_SIDE_BAND_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sample/scope.h"
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
	/* A process was forked. New threads are not reported. */
	void (*fork)(void *ctx, uint32_t parent, uint32_t child, uint64_t ts_ns);
	/* A process executed an image, whose name is now `comm`. */
	void (*exec)(void *ctx, uint32_t pid, const char *comm, uint64_t ts_ns);
	/* A process has ended. Ends of single threads are not reported. */
	void (*end)(void *ctx, uint32_t pid, uint64_t ts_ns);
	void *ctx;
};

struct side_band {
	struct side_band_cpu {
		unsigned cpu;
		int fd;    /* event with the ring's memory; -1: none yet */
		int wakes; /* event that is polled; -1: none can be */
		/* Number of fds that were polled before or belong to other CPUs. */
		size_t tried;
		void *at; /* struct perf_event_mmap_page and the ring */
	} * cpus;
	size_t n_cpus;
	size_t pages; /* pages of each CPU's ring, a power of two */
	struct side_band_fd {
		int fd;
		uint32_t at; /* index in cpus */
	} * fds;             /* events of threads that are not in cpus */
	size_t n, cap;
	uint64_t lost; /* records without room */
	/* read from the rings, not passed to the reader yet */
	uint8_t *bytes;
	size_t n_bytes, cap_bytes;
	struct side_band_record {
		uint64_t ts_ns;
		size_t at; /* offset in `bytes` */
	} * records;
	size_t n_records, cap_records;
};

/* host: the recording is one of a host, with many records. bounded: then the rings of all CPUs
 * share 32 MB. Returns 0 or -errno (logged). */
int side_band_init(struct side_band *s, bool host, bool bounded);
/* Describes in c how to recognize its events. */
void side_band_describe(struct threads_config *c);
/* Follows a thread and the threads that it starts from now on, or a host. On the first n_has CPUs
 * it is followed already. Returns 0 or -errno (logged, but for -ESRCH). */
int side_band_open(struct side_band *s, struct scope scope, size_t n_has);
/* Returns true if n_has CPUs are all CPUs with a ring. */
bool side_band_complete(const struct side_band *s, size_t n_has);
/* Passes the records from before until_ns to r, in the order of time. It merges the rings, because
 * a process may execute an image on one CPU and map it on another. Older records must be in the
 * rings, so until_ns is a moment before the call. Returns 0 or -ENOMEM. */
int side_band_read(struct side_band *s, const struct side_band_reader *r, uint64_t until_ns);
/* Makes room in the rings. A later call of side_band_read passes the records on. Returns 0 or
 * -ENOMEM. */
int side_band_empty(struct side_band *s);
/* Returns true if some records are read and not passed on yet. */
bool side_band_left(const struct side_band *s);
/* Fills in descriptors that become readable when there are records. *n is their number, n_cpus at
 * most. Returns false if a CPU has no such descriptor. Then the caller must look now and then. */
bool side_band_poll(const struct side_band *s, struct pollfd *fds, size_t *n);
/* Takes the result of poll. Returns true if there are records to read. */
bool side_band_polled(struct side_band *s, const struct pollfd *fds, size_t n);
/* Adds the number of lost records and a warning, if there are any. Returns 0 or -ENOMEM. */
int side_band_describe_lost(const struct side_band *s, struct trace_info *end);
void side_band_close(struct side_band *s);
/* Returns the bytes of one CPU's ring and of the page that describes it. */
size_t side_band_ring_bytes(const struct side_band *s);

#endif
