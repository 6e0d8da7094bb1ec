/* SPDX-License-Identifier: BSD-2-Clause */
/* The recipes by which BPF programs read arguments and results. */
#ifndef GOTRACE_SITE_VALUES_H
#define GOTRACE_SITE_VALUES_H

#include "plan/plan.h"

struct bpf_object;

/* Before the object is loaded: room for the plan's recipes. After: puts them in. 0 or -errno. */
int site_values_size(struct bpf_object *object, const struct plan *p);
int site_values_fill(struct bpf_object *object, const struct plan *p);

#endif
