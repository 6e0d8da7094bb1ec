/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which goroutines a snapshot looks at, where there are more than it may. It first looks
 * at those that changed a short time ago. They are few, and each stands for few others. It asks
 * many of the rest whether they have changed, which is cheap, and looks at few.
 *
 * Who may be drawn, and how likely, rests on what earlier snapshots saw and on chance only. So the
 * number of goroutines that each one stands for is right on average, whatever they do.
 */
#ifndef GOTRACE_SAMPLE_LOOKS_H
#define GOTRACE_SAMPLE_LOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOOKS_MOST  256  /* goroutines, in a snapshot */
#define LOOKS_MARKS 2048 /* that are asked whether they have changed, in a snapshot */

/* By place in the runtime's list. */
struct looks_place {
	uint64_t mark;     /* as it was seen last; 0: not yet */
	uint64_t since_ns; /* it was seen to change then */
	uint32_t hot;      /* its number in `hot` plus 1; 0: it is not there */
	float stands_for;  /* how many goroutines, the last time that it was chosen */
};

/* Zeroed at first. */
struct looks {
	struct looks_place *at;
	size_t n, cap;
	uint32_t *hot; /* places that changed a short time ago */
	size_t n_hot, cap_hot;
	unsigned surveys;   /* of all places */
	uint64_t survey_ns; /* the last one */
	uint32_t *asked;    /* scratch memory: LOOKS_MARKS of each */
	uint64_t *marks;
	uint32_t chosen[LOOKS_MOST];
	size_t n_chosen;
	uint64_t chosen_marks[LOOKS_MOST]; /* looks_ask: of these; 0: not known */
};

struct looks_source {
	/* Sets marks[i] of place which[i]: a number that changes when its goroutine runs, or is
	 * another one; never 0. 0 or -errno. */
	int (*marks)(void *ctx, const uint32_t *which, size_t n, uint64_t *marks);
	/* At random from 0 on, below 1. */
	double (*chance)(void *ctx);
	void *ctx;
};

/* Chooses among n places, which are not fewer than before, at now_ns: `chosen`. Up to LOOKS_MOST
 * are all chosen. 0, -ENOMEM, or -errno of the source. */
int looks_choose(struct looks *l, size_t n, uint64_t now_ns, const struct looks_source *from);
/* Asks those that were chosen for their marks, as near as possible to the look. */
void looks_ask(struct looks *l, const struct looks_source *from);
/* The mark of a place that was asked; 0: not known. */
uint64_t looks_mark(const struct looks *l, uint32_t place);
void looks_free(struct looks *l);

#endif
