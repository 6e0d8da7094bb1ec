/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls in the order in which they began, on disk: a slot is taken as a call
 * begins and filled in as it ends, so that memory does not grow with them.
 */
#ifndef GOTRACE_CALLFILE_H
#define GOTRACE_CALLFILE_H

#include "model/model.h"

struct callfile {
	int fd;            /* an unlinked file in $TMPDIR; -1: not open */
	struct call *slots;/* the file, mapped; a slot with end_ns 0 never became a call */
	size_t n, cap;     /* slots: in use, in the file */
	size_t resident;   /* slots touched since memory was last let go of */
};

/* 0 or -errno (logged). */
int callfile_open(struct callfile *f);
/* Takes slot c->order, which is the next one or was taken. 0 or -errno (logged once). */
int callfile_put(struct callfile *f, const struct call *c);
/* The call that began as the i-th, valid until the next is asked for; NULL: it never became one. i < f->n. */
const struct call *callfile_get(struct callfile *f, size_t i);
void callfile_close(struct callfile *f);

#endif
