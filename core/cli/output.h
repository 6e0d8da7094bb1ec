/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a verb writes: standard output, or a file that is there whole or not at all. */
#ifndef GOTRACE_OUTPUT_H
#define GOTRACE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

struct output {
	FILE *file;
	/* what it becomes; NULL: `file` is that already (standard output, a pipe, a device) */
	char *path;
	/* what it is now, in the same folder; a signal that ends the program removes it */
	char *temporary;
};

/*
 * Opens path, standard output when NULL or "-". A regular file is written under
 * another name first; its mode is what the umask says. 0 or -errno (logged);
 * -ENOTTY: binary data is not written to a terminal. At most one is open at a time.
 */
int output_open(struct output *o, const char *path, bool binary);
/* With err 0, gives the file its name; else removes it. 0, err, or -errno (logged). */
int output_close(struct output *o, int err);

#endif
