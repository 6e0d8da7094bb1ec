/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples of processor time, by path. Private to core/model. */
#ifndef GOTRACE_SAMPLED_H
#define GOTRACE_SAMPLED_H

#include "base/hash_index.h"
#include "model/model.h"

/* Samples of the paths that have some. A million other paths may have none. */
struct sampled {
	struct path_sampled *all;
	size_t n, cap;
	struct hash_index by_path;
};

/* No sample stands for more than a second. Their clock should give a hundred samples in it. */
#define SAMPLED_MOST_NS 1000000000u

/* Adds to the samples of more->path. 0 or -ENOMEM */
int sampled_add(struct sampled *t, const struct path_sampled *more);
void sampled_free(struct sampled *t);
/* An EV_SAMPLE. 0 or -ENOMEM */
int sampled_apply(struct model *m, const struct event *e, const uint64_t arg[4]);

#endif
