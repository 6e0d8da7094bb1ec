/* SPDX-License-Identifier: BSD-2-Clause */
/* Sampled processes and their mappings. They go into the trace as they become known. */
#ifndef GOTRACE_SAMPLE_PROCESSES_H
#define GOTRACE_SAMPLE_PROCESSES_H

#include <stddef.h>
#include <stdint.h>

#include "sample/binaries.h"
#include "sample/kept_files.h"
#include "sample/lang/langs.h"
#include "sample/natives.h"
#include "sample/side_band.h"
#include "trace/samples.h"

#define PROCESS_BUCKETS 1024

/* The kernel gives this number to all processes outside of gotrace's PID namespace. */
#define PROCESS_OUTSIDE      0
#define PROCESS_OUTSIDE_NAME "outside of the PID namespace"

struct processes {
	struct trace_writer *writer; /* borrowed, like binaries */
	struct binaries *binaries;
	struct natives *natives; /* see processes_tell */
	struct langs *langs;     /* given, borrowed; NULL: interpreters are not looked for */
	struct kept_files *kept; /* NULL: names are looked up by path */
	/* Each fork and each exec makes a new entry. */
	struct process {
		uint32_t pid, number; /* number in the trace, or TRACE_NONE before it is written */
		uint64_t start_ns;
		bool learned;          /* the BPF program knows its executable */
		bool told;             /* the BPF program knows its mappings */
		bool has_tables;       /* some of its images have tables */
		bool interprets;       /* one of its images is an interpreter */
		size_t looked_for;     /* number of images in which interpreters were looked for */
		uint64_t binary;       /* its executable, see binaries_learn */
		bool leaderless;       /* its first thread has ended, others may go on */
		bool ended, was_ended; /* was_ended: it had ended when the writer changed last */
		bool asked;            /* a caller asked for its number, so it may have samples */
		bool released;         /* its files were closed after its end */
		bool gone;             /* processes_compact removes it */
		bool met;              /* a caller that visits new processes has seen it */
		bool looked_at;        /* --wall: it has no more to read */
		uint64_t used_ns;      /* when a caller asked for it last, or its start */
		uint64_t bytes, path_bytes; /* bytes: its memory; path_bytes: paths of its images */
		size_t renewed;             /* number of images when they were read anew last */
		uint64_t end_ns;            /* time of its end */
		unsigned divisions;         /* how often another file took addresses of one */
		uint64_t replaced_ns; /* another process has its pid since then; 0 if none has */
		struct kept_list files;
		uint64_t view; /* foreign_file_view at its first sight or exec */
		bool has_owner;
		uid_t owner;         /* owner of its files, such as a perf map */
		char *exe;           /* NULL: not known, or a kernel thread */
		uint64_t code_start; /* the first code of exe that was mapped, or 0 */
		size_t before;       /* the next older one in its bucket, index + 1 */
		char comm[64];
		struct sample_image *images;
		size_t n_images, cap_images;
	} * all;
	size_t n, cap;
	size_t bucket[PROCESS_BUCKETS]; /* the newest, index + 1 */
	/* Given: keeps images of ended processes, too. processes_again needs them. */
	bool keep_images;
	uint64_t changed_ns; /* last time of a new process or a new mapping */
	int err;             /* the first error, -errno */
	/* Given: the most bytes of all processes. 0 is no limit. */
	uint64_t most_bytes;
	/* Given: write a process to the trace only when a caller asks for its number. */
	bool late;
	uint64_t bytes;
	uint64_t settled_ns; /* all earlier samples are in the trace */
	/* Processes with samples in this trace take all the room. The next trace is due. */
	bool full;
	unsigned moved;   /* grows when places in `all` change */
	uint64_t dropped; /* running processes that were removed from this trace */
	uint64_t refused; /* processes without room */
};

/* Passes executables and mappings of processes to BPF programs; b and n must live as long as p.
 * natives NULL: frame pointers lead through C. */
void processes_tell(struct processes *p, struct binaries *b, struct natives *n);
/* Adds a process that runs. Reads its name, image and mappings from /proc. */
void processes_add_running(struct processes *p, uint32_t pid, uint64_t now_ns);
/* Starts another trace. A process goes into it when a caller asks for its number. Removes processes
 * that had ended before the previous trace began. */
void processes_again(struct processes *p, struct trace_writer *writer);
/* Returns the functions for a reader of the side band. Their ctx is p. */
struct side_band_reader processes_reader(struct processes *p);
/* Returns the number of the process that had this pid at ts_ns. TRACE_NONE: there is no room for
 * the process, or only an earlier and a later owner of the pid are known. */
uint32_t processes_find(struct processes *p, uint32_t pid, uint64_t ts_ns);
/* Returns the number as processes_find, but TRACE_NONE for an unknown process. */
uint32_t processes_known(struct processes *p, uint32_t pid, uint64_t ts_ns);
/* Returns the owner of the files that describe the process of that number in the trace. Returns
 * false if the process ended before its owner was known. */
bool processes_owner(const struct processes *p, uint32_t number, uid_t *owner);
/* Returns in *which, by number in the trace, the processes that ended before before_ns and whose
 * samples may have addresses without names. The caller frees *which. NULL: there are none. *n is
 * its length. Returns 0 or -ENOMEM. */
int processes_to_name(const struct processes *p, uint64_t before_ns, bool **which, size_t *n);
/* Closes the files of processes that ended before before_ns, and drops images of those without
 * samples. */
void processes_release(struct processes *p, uint64_t before_ns);
/* Returns a descriptor of the file of an image in the trace. The caller closes it. -ENOENT: the
 * file was never opened. -ESTALE: its contents have changed, or it is released. */
int processes_open_image(const struct processes *p, const struct sample_image *i);
/* Returns the number of images that the process has mapped so far. */
size_t processes_images(const struct processes *p, uint32_t pid, uint64_t ts_ns);
/* Finds the executable of a process, if it is not known yet. */
void process_find_exe(struct process *one);
/* ctx: struct processes, with natives. The process is held still. From now on its mappings can be
 * walked. */
void processes_hold(void *ctx, pid_t pid);
/* Returns true if tables describe the caller at this pc of code that is not Go's. */
bool processes_have_tables(struct processes *p, uint32_t pid, uint64_t ts_ns, uint64_t pc);
/* Returns true if the walk of this sample ended before the outermost caller without noticing. The
 * sample is in the trace. */
bool processes_lost_callers(const struct processes *p, const struct sample_record *r);
/* Returns true if this sample's walk, which did not know that the program is Go's, reached the root
 * of the stack. *n_user is then the number of frames up to the root. */
bool processes_reach_root(const struct processes *p, const struct sample_record *r,
			  uint32_t *n_user);
void processes_free(struct processes *p);

#endif
