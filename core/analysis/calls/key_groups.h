/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Groups calls of a function by one of their arguments (--key). In functions and paths, main.handle
 * with the path /index is a function main.handle{/index}.
 */
#ifndef GOTRACE_KEY_GROUPS_H
#define GOTRACE_KEY_GROUPS_H

#include "model/model.h"

/* The most groups of all keys together. Calls with further values are one group,
 * main.handle{...}. */
#define KEY_GROUPS_MAX 10000

struct key_groups;

/* Makes groups for keys, each FUNCTION(ARGUMENT) with the argument's recorded name. Later calls add
 * functions to info. NULL and errno: ENOMEM, ENOENT when no call was recorded with such an argument
 * (logged). */
struct key_groups *key_groups_new(struct trace_info *info, const char *const *keys, size_t n);
/* For model_options.group; ctx is the struct key_groups. */
int key_groups_row(void *ctx, uint32_t func, const struct trace_values *v, uint32_t *row);
/* Returns whether there were more than KEY_GROUPS_MAX. */
bool key_groups_full(const struct key_groups *g);
void key_groups_free(struct key_groups *g);

#endif
