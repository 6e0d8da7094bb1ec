/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls in the order in which they began, on disk: a slot is taken as a call
 * begins and filled in as it ends, so that memory does not grow with them. The
 * latest are kept in memory, where most end.
 */
#ifndef GOTRACE_CALL_SPOOL_H
#define GOTRACE_CALL_SPOOL_H

#include "analysis/calls/kept_values.h"
#include "model/model.h"

struct call_spool {
	int fd;   /* an unlinked file in $TMPDIR; -1: not open */
	size_t n; /* slots in use */
	/* a ring of the latest slots; after the first call_spool_get, those read last */
	struct call *recent;
	size_t recent_at; /* number of the first of them */
	size_t recent_n;  /* of those read */
	bool reading;
	struct kept_values values; /* of its calls, for kept_values_get */
	struct call *slots; /* call_spool_map: the file; a slot with end_ns 0 never became a call */
};

/* 0 or -errno (logged). */
int call_spool_open(struct call_spool *f);
/* Takes slot call->order, which is the next one or was taken. 0 or -errno (logged once). */
int call_spool_put(struct call_spool *f, const struct call *call);
/* *c is the call that began as the i-th, valid until the next is asked for; NULL: it never became
 * one. i < f->n; nothing may be put in after this. 0 or -errno (logged). */
int call_spool_get(struct call_spool *f, size_t i, const struct call **c);
/* Or all at once: makes slots, which may be changed. 0 or -errno (logged). */
int call_spool_map(struct call_spool *f);
void call_spool_close(struct call_spool *f);

#endif
