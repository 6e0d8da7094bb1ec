/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a verb writes: standard output, or a file that appears complete or not at all. */
#ifndef GOTRACE_OUTPUT_H
#define GOTRACE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

struct output {
	FILE *file;
	/* its final name; NULL: `file` needs no renaming (standard output, a pipe, a device) */
	char *path;
	/* its name while it is written, in the same folder; removed when a signal ends the program
	 */
	char *temporary;
};

/*
 * Opens path; NULL and "-" are standard output. A regular file is written under
 * a temporary name, with the mode that the umask gives. 0 or -errno (logged);
 * -ENOTTY: binary data is not written to a terminal. At most one is open at a time.
 */
int output_open(struct output *o, const char *path, bool binary);
/* If err is 0, gives the file its final name, else removes it. 0, err, or -errno (logged). */
int output_close(struct output *o, int err);

#endif
