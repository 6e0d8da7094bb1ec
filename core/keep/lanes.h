/* SPDX-License-Identifier: BSD-2-Clause */
/* What is open on each goroutine and each thread, found by number. */
#ifndef GOTRACE_LANES_H
#define GOTRACE_LANES_H

#include "base/hash_index.h"
#include "keep/held.h"

/* A goroutine, or a thread's system stack. */
struct lane {
	uint64_t id;
	bool system;
	uint32_t index;    /* in its table */
	struct held *life; /* of a goroutine whose beginning was seen */
	struct held *stop; /* its prologue that is stopped */
	uint32_t state;    /* as it was told last, but for STATE_OFF_CPU; 0: not known */
	uint32_t off;      /* STATE_OFF_CPU, as it was told; 0: it has a processor */
	uint32_t off_tid;  /* whose switch ends it */
	uint64_t off_ns;   /* since when */
	bool lost;         /* until an event of a state tells */
	uint64_t losses;   /* of lanes: so many are applied to it */
	struct held **calls;
	size_t n, cap;
};

struct lanes {
	struct lane **all;
	size_t n, cap;
	struct hash_index by_id;
	struct lane *recent;
	uint64_t losses; /* of the states of all */
};

struct lane *lanes_find(struct lanes *t, uint64_t id); /* NULL: not there */
struct lane *lanes_get(struct lanes *t, uint64_t id);  /* found or made; NULL: no memory */
/* No state is known any more: of each it is forgotten when it is found next. */
void lanes_lose(struct lanes *t);
void lanes_remove(struct lanes *t, struct lane *l);
void lanes_free(struct lanes *t);

#endif
