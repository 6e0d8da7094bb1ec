/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How fast this machine is just now: ns of a step of computing, and of a read of memory that is in
 * no cache, the median of five each. Neighbours of a virtual machine take memory bandwidth and
 * shared caches, which neither load nor steal tells.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ROUNDS 5
#define STEPS  20000000  /* of computing, each needs the one before */
#define LINES  (1 << 20) /* of 64 bytes, more than caches hold */
#define READS  (1 << 20)

struct line {
	uint32_t next, unused[15];
};

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Knuth's MMIX constants. */
static uint64_t step(uint64_t x)
{
	return x * 6364136223846793005u + 1442695040888963407u;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* One cycle through all lines in an order that no prefetcher knows (Sattolo, 1986). */
static void link_lines(struct line *lines)
{
	uint64_t x = 1;

	for (uint32_t i = 0; i < LINES; i++)
		lines[i].next = i;
	for (uint32_t i = LINES - 1; i > 0; i--) {
		x = step(x);
		uint32_t j = (uint32_t)((x >> 33) % i), other = lines[j].next;

		lines[j].next = lines[i].next;
		lines[i].next = other;
	}
}

int main(void)
{
	struct line *lines = aligned_alloc(64, LINES * sizeof *lines);
	double computing[ROUNDS], memory[ROUNDS];
	uint32_t at = 0;
	volatile uint64_t kept;

	if (lines == NULL)
		return 1;
	link_lines(lines);
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t x = (uint64_t)round;
		double start = now_ns();

		for (int i = 0; i < STEPS; i++)
			x = step(x);
		kept = x;
		computing[round] = (now_ns() - start) / STEPS;
		start = now_ns();
		for (int i = 0; i < READS; i++)
			at = lines[at].next;
		kept += at;
		memory[round] = (now_ns() - start) / READS;
	}
	qsort(computing, ROUNDS, sizeof *computing, by_value);
	qsort(memory, ROUNDS, sizeof *memory, by_value);
	printf("%.2f ns computing, %.0f ns memory\n", computing[ROUNDS / 2], memory[ROUNDS / 2]);
	free(lines);
	return 0;
}
