/* SPDX-License-Identifier: BSD-2-Clause */
/* Sampled processes and what they have mapped, written to the trace as it becomes known. */
#ifndef GOTRACE_SAMPLE_PROCESSES_H
#define GOTRACE_SAMPLE_PROCESSES_H

#include <stddef.h>
#include <stdint.h>

#include "attach/sample/binaries.h"
#include "attach/sample/kept_files.h"
#include "attach/sample/natives.h"
#include "attach/sample/side_band.h"
#include "trace/samples.h"

#define PROCESS_BUCKETS 1024

struct processes {
	struct trace_writer *writer; /* borrowed, as binaries are */
	struct binaries *binaries;
	struct natives *natives; /* see processes_tell */
	struct kept_files *kept; /* NULL: names are looked up by path */
	/* Each time that a process forks or executes an image there is a new one. */
	struct process {
		uint32_t pid, number; /* number: in the trace, TRACE_NONE: not written yet */
		uint64_t start_ns;
		bool learned;               /* what it executes: the BPF program knows it */
		bool told;                  /* what it has mapped, likewise */
		bool has_tables;            /* some of that has */
		uint64_t binary;            /* that, see binaries_learn */
		bool leaderless;            /* its first thread has ended, others may go on */
		bool ended, was_ended;      /* by now; when the writer changed last */
		bool asked;                 /* for its number: there may be samples of it */
		bool released;              /* its files were, after it had ended */
		bool gone;                  /* to be forgotten by processes_compact */
		bool met;                   /* for whoever looks at new ones */
		bool looked_at;             /* --wall: nothing more is to be had of it */
		uint64_t used_ns;           /* when somebody asked for it last, or it began */
		uint64_t bytes, path_bytes; /* of memory; of its images' paths */
		size_t renewed;             /* images, when they were read anew last */
		uint64_t end_ns;            /* when it ended */
		uint64_t replaced_ns;       /* from then on another has its pid; 0: none yet */
		struct kept_list files;
		bool has_owner;
		uid_t owner;   /* of its files, such as a perf map */
		char *exe;     /* NULL: not known, or a thread of the kernel */
		size_t before; /* in its bucket, index + 1 */
		char comm[64];
		struct sample_image *images;
		size_t n_images, cap_images;
	} * all;
	size_t n, cap;
	size_t bucket[PROCESS_BUCKETS]; /* the newest, index + 1 */
	bool keep_images; /* of processes that have ended, too: given; processes_again needs them */
	uint64_t changed_ns; /* when one was told of, or mapped something, last */
	int err;             /* the first, -errno */
	/* given: what all may take, in bytes; 0: no limit */
	uint64_t most_bytes;
	/* given by the caller: write a process to the trace only when something asks for its number
	 */
	bool late;
	uint64_t bytes;
	uint64_t settled_ns; /* all samples of before are in the trace */
	bool full;           /* samples of this trace take all room: another is needed */
	unsigned moved;      /* grows when their places in `all` are others */
	uint64_t dropped;    /* that were forgotten while they ran, of this trace */
	uint64_t refused;    /* that there was no room for */
};

/* Passes executables and mappings of processes to BPF programs; b and n must live as long as p.
 * natives: NULL, C is walked by frame pointers. */
void processes_tell(struct processes *p, struct binaries *b, struct natives *n);
/* A process that runs: name, image, mappings from /proc. */
void processes_add_running(struct processes *p, uint32_t pid, uint64_t now_ns);
/* From now on another trace is written, which is told of a process when something asks for its
 * number. Processes that had ended before the trace before are forgotten. */
void processes_again(struct processes *p, struct trace_writer *writer);
/* Whoever reads the side band hands it to these, ctx: struct processes. */
struct side_band_reader processes_reader(struct processes *p);
/* The number of the process that had this pid then. TRACE_NONE: there is no room for it, or only
 * its predecessor and its successor are known. */
uint32_t processes_find(struct processes *p, uint32_t pid, uint64_t ts_ns);
/* Likewise, but TRACE_NONE for a process that was not told of. */
uint32_t processes_known(struct processes *p, uint32_t pid, uint64_t ts_ns);
/* Whose files the process of that number in the trace may answer for. False: it ended before that
 * was known. */
bool processes_owner(const struct processes *p, uint32_t number, uid_t *owner);
/* Which processes, by their numbers in the trace, had ended before then, with samples whose
 * addresses may have no names yet: *n and *which, to be freed; NULL: none. 0 or -ENOMEM. */
int processes_to_name(const struct processes *p, uint64_t before_ns, bool **which, size_t *n);
/* Their files are not needed any more, nor are those of which there are no samples. */
void processes_release(struct processes *p, uint64_t before_ns);
/* A descriptor, to be closed, of the file of an image in the trace. -ENOENT: it was never opened;
 * -ESTALE: it has other contents now, or is released. */
int processes_open_image(const struct processes *p, const struct sample_image *i);
/* How many images that process has mapped so far. */
size_t processes_images(const struct processes *p, uint32_t pid, uint64_t ts_ns);
/* What a process executes is found out, if it is not known yet. */
void process_find_exe(struct process *one);
/* ctx: struct processes, with natives. The process is held still: what it has mapped can be walked
 * from now on. */
void processes_hold(void *ctx, pid_t pid);
/* Whether tables say how the stack goes on at this pc of code that is not Go's. */
bool processes_have_tables(struct processes *p, uint32_t pid, uint64_t ts_ns, uint64_t pc);
/* Whether the walk of this sample, which is in the trace, has not found the outermost caller
 * without knowing that. */
bool processes_lost_callers(const struct processes *p, const struct sample_record *r);
void processes_free(struct processes *p);

#endif
