/* SPDX-License-Identifier: BSD-2-Clause */
/* The sampling BPF program and the memory that it shares with user space. */
#ifndef GOTRACE_SAMPLE_BPF_H
#define GOTRACE_SAMPLE_BPF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/sample.h"

struct sample_bpf {
	struct bpf_object *object; /* that has the maps: of samples, else of deaths */
	struct ring_buffer *ring;
	int program_fd;            /* for perf events; -1: no samples are taken */
	struct bpf_object *deaths; /* likewise; NULL: not wanted */
	struct bpf_link *deliver;  /* of its program on signals that kill */
	/* of --wall, likewise; NULL: not wanted, or this kernel does not take it */
	struct bpf_object *waits;
	struct waits_state *waits_state;
	bool taken[SAMPLE_BINARIES + SAMPLE_NATIVES]; /* slots of rows */
	unsigned n_cpus;
};

/* What comes out of the ring, in the order in which it was put in. To be copied. */
struct sample_bpf_reader {
	void (*sample)(void *ctx, const struct sample_record *r);
	void (*labels)(void *ctx, const struct sample_label_record *r);
	void (*death)(void *ctx, const struct sample_record *r); /* period: DEATH_OF */
	void *ctx;                                               /* borrowed, as the reader is */
};

/* How much there is room for in the kernel's memory. */
struct sample_bpf_room {
	size_t ring_bytes;
	uint32_t processes; /* of which is known what they have mapped, of 2 KB each */
};

/* Fills in whose numbers of processes records have: gotrace's. 0 or -errno. */
int sample_bpf_identify(struct sample_config *c);

/* What is loaded. */
#define BPF_SAMPLES 1u
#define BPF_DEATHS  2u
#define BPF_WAITS   4u

/* What is to be taken: BPF_SAMPLES, BPF_DEATHS or both; besides samples, BPF_WAITS. Threads that
 * die are told of from now on, of all processes there are. 0 or -errno, after logging one line:
 * what is missing and what to do. Without BPF_WAITS it goes on (logged likewise; `waits` is NULL).
 */
int sample_bpf_load(struct sample_bpf *s, unsigned what, const struct sample_config *config,
		    const struct sample_bpf_room *room, const struct sample_bpf_reader *reader);

/* With BPF_DEATHS: processes that execute `path` may end themselves at this offset of the file.
 * *watch is for sample_bpf_unwatch. 0 or -errno: it is NULL. */
int sample_bpf_watch_panics(struct sample_bpf *s, const char *path, uint64_t file_off,
			    struct bpf_link **watch);
/* Likewise, at this offset panics begin; in a program with C, whose frames they may write over. */
int sample_bpf_watch_unwinding(struct sample_bpf *s, const char *path, uint64_t file_off,
			       struct bpf_link **watch);
#define SAMPLE_WATCHES 2 /* of one program */
/* NULL: nothing to do. */
void sample_bpf_unwatch(struct bpf_link *watch);

/* From now on stacks of processes that execute `key` are walked by these rows, which are copied; n
 * 0: it is no Go binary. b's slot and n_rows are filled in. 0 or -errno, -ENOSPC when there are
 * too many binaries. */
int sample_bpf_add(struct sample_bpf *s, const struct file_id *key, struct sample_binary *b,
		   const struct sample_row *rows, size_t n);
/* Likewise, by rows that are there: b has their slot and number. */
int sample_bpf_share(struct sample_bpf *s, const struct file_id *key,
		     const struct sample_binary *b);
/* From now on nothing is known of `key`, and its slot is free; NULL: it has none. */
void sample_bpf_remove(struct sample_bpf *s, const struct file_id *key, const uint32_t *slot);

/* Rows of an image that is not Go's; *slot is to name them. 0 or -errno, -ENOSPC likewise. */
int sample_bpf_add_native(struct sample_bpf *s, const struct sample_row *rows, size_t n,
			  uint32_t *slot);
/* No image may name it any more. */
void sample_bpf_remove_native(struct sample_bpf *s, uint32_t slot);
/* What of a process has rows from now on; without any, it takes no place. 0 or -errno, -E2BIG: no
 * place is free. */
int sample_bpf_images(struct sample_bpf *s, uint32_t pid, const struct sample_images *i);
/* Sets used[slot] of all slots that images of processes name. What those have that do not live is
 * forgotten. */
void sample_bpf_used(struct sample_bpf *s, bool (*lives)(void *ctx, uint32_t pid), void *ctx,
		     bool used[SAMPLE_BINARIES + SAMPLE_NATIVES]);

/* Hands out all that is in the ring. 0 or -errno. */
int sample_bpf_fd(const struct sample_bpf *s);
int sample_bpf_read(struct sample_bpf *s);
/* Sums over all CPUs. */
struct sample_counters sample_bpf_counters(const struct sample_bpf *s);
void sample_bpf_unload(struct sample_bpf *s);

#endif
