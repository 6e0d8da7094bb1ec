/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chooses the goroutines that a snapshot looks at, if there are more than it may look at. It first
 * chooses goroutines that changed a short time ago. They are few, and each stands for few others.
 * It asks many of the rest whether they have changed, which is cheap, and chooses few of them.
 *
 * The candidates and their probabilities depend only on earlier snapshots and on chance. So the
 * number of goroutines that each one stands for is right on average, whatever they do.
 */
#ifndef GOTRACE_SAMPLE_LOOKS_H
#define GOTRACE_SAMPLE_LOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOOKS_MOST  256  /* goroutines, in a snapshot */
#define LOOKS_MARKS 2048 /* goroutines that are asked for changes, in a snapshot */

/* A place in the runtime's list of goroutines. */
struct looks_place {
	uint64_t mark;     /* its last known mark, or 0 if there is none */
	uint64_t since_ns; /* time of its last known change */
	uint32_t hot;      /* its number in `hot` plus 1, or 0 if it is not in `hot` */
	float stands_for;  /* goroutines, when it was chosen last */
};

/* Zeroed at first. */
struct looks {
	struct looks_place *at;
	size_t n, cap;
	uint32_t *hot; /* places that changed a short time ago */
	size_t n_hot, cap_hot;
	unsigned surveys;   /* number of surveys of all places */
	uint64_t survey_ns; /* time of the last survey */
	uint32_t *asked;    /* scratch memory for LOOKS_MARKS, like `marks` */
	uint64_t *marks;
	uint32_t chosen[LOOKS_MOST];
	size_t n_chosen;
	uint64_t chosen_marks[LOOKS_MOST]; /* marks of these by looks_ask, or 0 if not known */
};

struct looks_source {
	/* Sets marks[i] of place which[i]. A mark is a number that changes when the goroutine runs
	 * or when another goroutine takes the place. It is never 0. Returns 0 or -errno. */
	int (*marks)(void *ctx, const uint32_t *which, size_t n, uint64_t *marks);
	/* Returns a random number from 0 on, below 1. */
	double (*chance)(void *ctx);
	void *ctx;
};

/* Chooses among n places at now_ns and fills in `chosen`. n is not smaller than before. Up to
 * LOOKS_MOST places are all chosen. Returns 0, -ENOMEM, or -errno of the source. */
int looks_choose(struct looks *l, size_t n, uint64_t now_ns, const struct looks_source *from);
/* Asks the chosen places for their marks. The caller calls it as shortly before the look as
 * possible. */
void looks_ask(struct looks *l, const struct looks_source *from);
/* Returns the mark of a place that was asked, or 0 if it is not known. */
uint64_t looks_mark(const struct looks *l, uint32_t place);
void looks_free(struct looks *l);

#endif
