/* SPDX-License-Identifier: BSD-2-Clause */
/* The recipes by which BPF programs read arguments and results. */
#ifndef GOTRACE_SITE_VALUES_H
#define GOTRACE_SITE_VALUES_H

#include "plan/plan.h"

struct bpf_object;

/* site_values_size makes room for the plan's recipes before the object is loaded. site_values_fill
 * writes them afterwards. Both return 0 or -errno. */
int site_values_size(struct bpf_object *object, const struct plan *p);
int site_values_fill(struct bpf_object *object, const struct plan *p);

#endif
