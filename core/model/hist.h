/* SPDX-License-Identifier: BSD-2-Clause */
/* A log-linear histogram of durations: relative error below 1 %. */
#ifndef GOTRACE_HIST_H
#define GOTRACE_HIST_H

#include <stddef.h>
#include <stdint.h>

struct hist {
	/* Sparse: allocated on first use, grows with the number of distinct buckets. */
	struct hist_bucket { uint32_t index; uint64_t count; } *buckets;
	size_t n, cap;
	uint64_t count;
};

int hist_add(struct hist *h, uint64_t ns);              /* 0 or -ENOMEM */
int hist_merge(struct hist *into, const struct hist *from);
/* The value below which share q (0..1) of the counted lie; 0 when empty. */
uint64_t hist_quantile(const struct hist *h, double q);
void hist_free(struct hist *h);

#endif
