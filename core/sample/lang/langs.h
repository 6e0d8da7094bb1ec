/* SPDX-License-Identifier: BSD-2-Clause */
/* The interpreters of sampled processes, passed to the BPF program as their files are mapped, and
 * the frames that the BPF program reads in them. */
#ifndef GOTRACE_LANGS_H
#define GOTRACE_LANGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "sample/lang/lang_names.h"
#include "sample/sample_bpf.h"
#include "trace/samples.h"

#define LANG_FILES   64 /* known files, with an interpreter or without */
#define LANG_SERIALS 4096
#define LANG_THREADS 64 /* whose records may wait for their samples at a time */
#define LANG_LOOKS   8  /* the most files that are opened when images of a process are looked at */

struct langs {
	struct sample_bpf *bpf; /* borrowed */
	struct lang_file {
		dev_t dev;
		ino_t ino;
		off_t bytes;
		struct timespec changed; /* when its contents changed last */
		uint32_t number;         /* no two files share it; 0: none */
		bool has;                /* an interpreter with a known layout */
		char *path;              /* where it was found first */
		struct lang_layout layout;
	} files[LANG_FILES];
	uint32_t next_file; /* the place of the next new one */
	uint32_t n_files;   /* how many files were opened */
	/* Processes with an interpreter. */
	struct lang_process {
		uint32_t pid;
		uint32_t file;  /* its number */
		uint64_t start; /* the interpreter is mapped there */
		struct sample_python python;
	} * processes;
	size_t n, cap;
	uint32_t last_serial;
	/* The files of the last processes, by serial number. */
	struct lang_owner {
		uint32_t serial, file;
	} owners[LANG_SERIALS];
	/* By number of the process in the trace: the trace has an image of its functions. */
	uint8_t *has_image;
	size_t cap_has_image;
	struct lang_names names;
	uint64_t n_dropped; /* names.n_dropped when the serial numbers were given */
	/* By thread: it belongs to the next sample of its thread. */
	struct sample_python_record last[LANG_THREADS];
	uint64_t lost;    /* samples without the record that they need */
	uint64_t refused; /* processes that the BPF program had no room for */
	int err;          /* the first error, -errno */
};

/* Looks for an interpreter in images that a process has mapped. An image is given once. Returns
 * true if one is there. The caller then must call langs_unmap. */
bool langs_map(struct langs *l, uint32_t pid, const struct sample_image *images, size_t count);
/* The process has ended, or executes another program. */
void langs_unmap(struct langs *l, uint32_t pid);

/* Receive records of the BPF program. If there is no room for more names, langs_take_code writes
 * all names into the trace and drops them. */
void langs_take_frames(struct langs *l, const struct sample_python_record *r);
void langs_take_code(struct langs *l, struct trace_writer *w, const struct sample_code_record *r);
/* Makes the stack of a sample whose process has this number in the trace: pcs are its n addresses.
 * Writes at most STACK_MAX_FRAMES addresses into `to`, and returns their number. Writes an image of
 * the interpreter's file into the trace, in which the functions have addresses. */
uint32_t langs_stack(struct langs *l, struct trace_writer *w, const struct sample_record *r,
		     uint32_t process, const uint64_t *pcs, uint32_t n, uint64_t *to);
/* Writes the names of the stacks so far. Returns 0 or -errno of the trace. */
int langs_write(struct langs *l, struct trace_writer *w);
/* Another trace begins. */
void langs_again(struct langs *l);
void langs_free(struct langs *l);

#endif
