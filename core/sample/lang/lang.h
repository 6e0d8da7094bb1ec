/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Languages whose functions are not code of the processor. An interpreter keeps its own frames. A
 * language has a function that recognizes the interpreter in a file. The BPF program reads the
 * frames, and they take the places of the interpreter's own frames in the stack.
 *
 * | language | frames come from |
 * |---|---|
 * | Python 3.11 to 3.13 | the interpreter's data (python_layout.h, bpf/python.bpf.h) |
 * | Node.js, Java, other JITs | the processor's stack; names from /tmp/perf-PID.map |
 */
#ifndef GOTRACE_SAMPLE_LANG_H
#define GOTRACE_SAMPLE_LANG_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/sample.h"

/* An interpreter in a file. Addresses in `python` are link-time addresses. */
struct lang_layout {
	struct sample_python python;
	/* The link-time address of the executable segment, and its offset in the file. */
	uint64_t vaddr, file_off;
};

struct lang {
	const char *name;
	/* The names of files that may hold the interpreter begin with this word, or with "lib" and
	 * this word. Others are not opened. */
	const char *file_word;
	/* Recognizes the interpreter in the file on fd. Returns 0, -ENOENT if the file has none,
	 * -ENOTSUP for a version without known layout, or another -errno. */
	int (*recognize)(int fd, struct lang_layout *to);
};

extern const struct lang lang_python;

/*
 * Addresses of functions without code. No processor uses such addresses for a program, and they are
 * not in the kernel's half. Each function has its own.
 */
#define LANG_ADDRESS_FROM (1ull << 62)
#define LANG_ADDRESS_TO   (LANG_ADDRESS_FROM + (1ull << 40))
#define LANG_ADDRESS_STEP 16
/* Stands for frames that could not be read. */
#define LANG_UNREADABLE LANG_ADDRESS_FROM

#endif
