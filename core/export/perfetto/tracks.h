/* SPDX-License-Identifier: BSD-2-Clause */
/* State of each goroutine for exports that write calls as they happen. */
#ifndef GOTRACE_TRACKS_H
#define GOTRACE_TRACKS_H

#include "base/hash_index.h"
#include "model/model.h"

struct track_key {
	uint64_t id;    /* goroutine, or thread when system */
	uint32_t image; /* the image of the goroutine */
	uint32_t system;
};

struct track {
	struct track_key key;
	uint64_t start_pc; /* pc of its first function, 0 when not known */
	/* arrow from its go statement that its first call must end, or 0 */
	uint64_t flow;
	bool described;        /* its name was written */
	bool states_described; /* the name of its states was written */
	/* `call` has begun, but may begin again, because its prologue may be stopped */
	bool held;
	struct call call;
	/* by level of an open call: time of its callees */
	uint64_t *below_ns;
	size_t cap;
};

struct tracks {
	struct track **all; /* a track never moves */
	size_t n, cap;
	struct hash_index index; /* finds a track in all by its key */
	struct track *last;      /* the last track returned, may be NULL */
};

/* Finds or makes a track. NULL without memory. */
struct track *tracks_get(struct tracks *t, struct track_key key);
/* Removes a track that is over. */
void tracks_drop(struct tracks *t, struct track_key key);
/* Makes room for `level`. 0 or -ENOMEM */
int track_reserve(struct track *t, uint32_t level);
void tracks_free(struct tracks *t);

#endif
