/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls in the order in which they began, on disk, so that memory does not grow with them. A call
 * takes a slot when it begins, and fills it when it ends. The latest slots are kept in memory,
 * where most calls end.
 */
#ifndef GOTRACE_CALL_SPOOL_H
#define GOTRACE_CALL_SPOOL_H

#include "analysis/calls/kept_values.h"
#include "model/model.h"

struct call_spool {
	int fd;   /* an unlinked file in $TMPDIR, -1 when not open */
	size_t n; /* slots in use */
	/* a ring of the latest slots; after the first call_spool_get, the slots read last */
	struct call *recent;
	size_t recent_at; /* number of the first slot in it */
	size_t recent_n;  /* number of slots read */
	bool reading;
	struct kept_values values; /* values of the calls, for kept_values_get */
	/* set by call_spool_map: the file's slots; a slot with end_ns 0 never became a call */
	struct call *slots;
};

/* 0 or -errno (logged). */
int call_spool_open(struct call_spool *f);
/* Fills slot call->order, which is the next one or was taken before. 0 or -errno (logged once). */
int call_spool_put(struct call_spool *f, const struct call *call);
/* Sets *c to the call that began as the i-th, or to NULL if the slot never became a call. *c is
 * valid until the next call. i < f->n; no call may be put in after this. 0 or -errno (logged). */
int call_spool_get(struct call_spool *f, size_t i, const struct call **c);
/* Makes `slots`, with all calls at once. They may be changed. 0 or -errno (logged). */
int call_spool_map(struct call_spool *f);
void call_spool_close(struct call_spool *f);

#endif
