/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a verb writes: standard output, or a file that appears complete or not at all. */
#ifndef GOTRACE_OUTPUT_H
#define GOTRACE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "attach/target/user.h"

struct output {
	FILE *file;
	/* its final name in folder_fd; NULL: `file` needs no renaming (standard output, a pipe, a
	 * device) */
	char *name;
	/* its name while it is written, in the same folder; removed when a signal ends the program
	 */
	char *temporary;
	/* the folder stays this one, whatever becomes of the path that led there; -1: none */
	int folder_fd;
};

/*
 * From now on this process acts as the user on whose behalf it runs: under sudo as the one who
 * called it, who could then write nothing that they could not write anyway, and owns what is
 * written. For verbs that need no rights of root once their input is open. 0 or -errno (logged).
 */
int output_act_as_invoker(void);
/* Of what process `pid` executes, open as fd, a trace shows the names: only to who may read it. 0
 * or -EACCES (logged). */
int refuse_unreadable(const struct user *invoker, int fd, pid_t pid);

/*
 * Opens path; NULL and "-" are standard output. A regular file is written under
 * a temporary name, with the mode that the umask gives. A link is followed where the kernel
 * follows it (fs.protected_symlinks); one that leads nowhere is refused. 0 or -errno (logged);
 * -ENOTTY: binary data is not written to a terminal. At most one is open at a time.
 */
int output_open(struct output *o, const char *path, bool binary);
/* Removes what is not complete. For signal handlers of a process that ends. */
void output_abandon(void);
/* If err is 0, gives the file its final name, else removes it. 0, err, or -errno (logged). */
int output_close(struct output *o, int err);

#endif
