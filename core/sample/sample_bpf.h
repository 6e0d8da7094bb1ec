/* SPDX-License-Identifier: BSD-2-Clause */
/* The sampling BPF program and the memory that it shares with user space. */
#ifndef GOTRACE_SAMPLE_BPF_H
#define GOTRACE_SAMPLE_BPF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/sample.h"

struct sample_bpf {
	/* The object with the maps: the program of samples, or the program of deaths without
	 * samples. */
	struct bpf_object *object;
	struct ring_buffer *ring;
	int program_fd; /* for perf events; -1: samples are not wanted */
	struct bpf_object
		*deaths; /* the program of deaths, which may be `object`; NULL: not wanted */
	struct bpf_link *deliver;    /* its program on signals that kill */
	struct bpf_link *members[3]; /* the programs on forks, execs and ends, with config.some */
	/* The program of --wall. NULL: it is not wanted, or this kernel refuses it. */
	struct bpf_object *waits;
	struct waits_state *waits_state;
	bool taken[SAMPLE_BINARIES + SAMPLE_NATIVES]; /* slots of rows */
	unsigned n_cpus;
	const struct sample_bpf_reader *reader;
	uint64_t until_ns; /* a read ends with the first record from this time on */
};

/* Receives the records of the ring in the order in which the BPF programs wrote them. A function
 * copies what it needs: the record is valid during the call only. */
struct sample_bpf_reader {
	void (*sample)(void *ctx, const struct sample_record *r);
	void (*labels)(void *ctx, const struct sample_label_record *r);
	void (*death)(void *ctx, const struct sample_record *r); /* period: DEATH_OF */
	void (*frames)(void *ctx, const struct sample_python_record *r);
	void (*code)(void *ctx, const struct sample_code_record *r);
	void *ctx; /* borrowed, like the reader */
};

/* Room in the kernel's memory. */
struct sample_bpf_room {
	size_t ring_bytes;
	uint32_t processes; /* processes with known mappings, 2 KB each */
};

/* Fills in the PID namespace of gotrace. Records contain PIDs of this namespace. Returns 0 or
 * -errno. */
int sample_bpf_identify(struct sample_config *c);

/* Programs to load. */
#define BPF_SAMPLES 1u
#define BPF_DEATHS  2u
#define BPF_WAITS   4u

/* Loads BPF_SAMPLES, BPF_DEATHS or both. BPF_WAITS requires BPF_SAMPLES. From now on the ring
 * receives deaths of threads of all processes. Returns 0 or -errno. Before it returns an error, it
 * logs one line with the missing feature and the remedy. If BPF_WAITS fails, it logs a line and
 * continues, and `waits` is NULL. */
int sample_bpf_load(struct sample_bpf *s, unsigned what, const struct sample_config *config,
		    const struct sample_bpf_room *room, const struct sample_bpf_reader *reader);

/* Requires BPF_DEATHS. Processes that execute `path` may end themselves at offset file_off of the
 * file. *watch is for sample_bpf_unwatch. Returns 0, or -errno with *watch NULL. */
int sample_bpf_watch_panics(struct sample_bpf *s, const char *path, uint64_t file_off,
			    struct bpf_link **watch);
/* Panics of processes that execute `path` begin at offset file_off. Only a program with C needs
 * this watch: a panic may overwrite the frames of C. Parameters and result are those of
 * sample_bpf_watch_panics. */
int sample_bpf_watch_unwinding(struct sample_bpf *s, const char *path, uint64_t file_off,
			       struct bpf_link **watch);
#define SAMPLE_WATCHES 2 /* the most for one program */
/* `watch` may be NULL. */
void sample_bpf_unwatch(struct bpf_link *watch);

/* From now on the BPF program walks stacks of processes that execute `key` by these rows. It copies
 * the rows. n 0: the file is no Go binary. Fills in b's slot and n_rows. Returns 0 or -errno;
 * -ENOSPC: there are too many binaries. */
int sample_bpf_add(struct sample_bpf *s, const struct file_id *key, struct sample_binary *b,
		   const struct sample_row *rows, size_t n);
/* Lets `key` use rows that are loaded already. b has their slot and number. */
int sample_bpf_share(struct sample_bpf *s, const struct file_id *key,
		     const struct sample_binary *b);
/* Reads what was added for `key`. Returns 0 or -errno. */
int sample_bpf_binary(const struct sample_bpf *s, const struct file_id *key,
		      struct sample_binary *b);
/* Removes `key` from the BPF program and frees its slot. slot NULL: `key` has no slot, or other
 * files share it. */
void sample_bpf_remove(struct sample_bpf *s, const struct file_id *key, const uint32_t *slot);

/* Adds rows of an image that is not Go's. The caller names them by *slot. Returns 0 or -errno;
 * -ENOSPC: there are too many images. */
int sample_bpf_add_native(struct sample_bpf *s, const struct sample_row *rows, size_t n,
			  uint32_t *slot);
/* Removes the rows of a slot. No image may name the slot any more. */
void sample_bpf_remove_native(struct sample_bpf *s, uint32_t slot);
/* From now on the process of this thread is sampled, and so is each process that it starts. This
 * concerns a configuration with `some`, and does nothing with another. Returns 0 or -errno
 * (logged). */
int sample_bpf_follow(struct sample_bpf *s, const struct thread_has *thread);
/* Sets the images with rows of a process. A process without any takes no place. Returns 0 or
 * -errno; -E2BIG: no place is free. */
int sample_bpf_images(struct sample_bpf *s, uint32_t pid, const struct sample_images *i);
/* From now on the BPF program reads the Python frames of the process. NULL: it does so no longer.
 * Returns 0 or -errno; -E2BIG: no place is free. */
int sample_bpf_python(struct sample_bpf *s, uint32_t pid, const struct sample_python *p);
/* Sets used[slot] for each slot that an image of a process names. Removes the images of processes
 * for which lives() returns false. */
void sample_bpf_used(struct sample_bpf *s, bool (*lives)(void *ctx, uint32_t pid), void *ctx,
		     bool used[SAMPLE_BINARIES + SAMPLE_NATIVES]);

/* sample_bpf_fd returns a descriptor to poll. sample_bpf_read passes to the reader all records that
 * were in the ring when it began. It ends soon after them, also while new ones come all the time.
 * It returns 0 or -errno. */
int sample_bpf_fd(const struct sample_bpf *s);
int sample_bpf_read(struct sample_bpf *s);
/* Returns sums over all CPUs. */
struct sample_counters sample_bpf_counters(const struct sample_bpf *s);
void sample_bpf_unload(struct sample_bpf *s);

#endif
