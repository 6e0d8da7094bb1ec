/* SPDX-License-Identifier: BSD-2-Clause */
/* What an export that writes calls as they happen must know of each goroutine meanwhile. */
#ifndef GOTRACE_TRACKS_H
#define GOTRACE_TRACKS_H

#include "base/hash_index.h"
#include "model/model.h"

struct track_key {
	uint64_t id;    /* goroutine, or thread when system */
	uint32_t image; /* whose goroutine it is */
	uint32_t system;
};

struct track {
	struct track_key key;
	uint64_t start_pc; /* of its first function, 0: not known */
	/* arrow from its go statement that its first call is to end; 0: none */
	uint64_t flow;
	bool described;        /* its name was written */
	bool states_described; /* that of its states, too */
	/* the call below has begun, but may begin again: its prologue may be stopped */
	bool held;
	struct call call;
	/* by level of an open call: time of the calls it has made */
	uint64_t *below_ns;
	size_t cap;
};

struct tracks {
	struct track **all; /* each stays where it is */
	size_t n, cap;
	struct hash_index index; /* finds a track in all by its key */
	struct track *last;      /* asked for last, NULL: none */
};

/* Finds, or makes; NULL: out of memory. */
struct track *tracks_get(struct tracks *t, struct track_key key);
/* It is over. */
void tracks_drop(struct tracks *t, struct track_key key);
/* Level l is about to be used. 0 or -ENOMEM */
int track_reserve(struct track *t, uint32_t level);
void tracks_free(struct tracks *t);

#endif
