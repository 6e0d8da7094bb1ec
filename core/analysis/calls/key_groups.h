/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls of a function told apart by one of their arguments (--key): to functions and paths,
 * main.handle with the path /index is a function main.handle{/index}.
 */
#ifndef GOTRACE_KEY_GROUPS_H
#define GOTRACE_KEY_GROUPS_H

#include "model/model.h"

/* Groups of all keys together; the calls of further values are one, main.handle{...}. */
#define KEY_GROUPS_MAX 10000

struct key_groups;

/* keys: FUNCTION(ARGUMENT), as the arguments were recorded. Adds functions to info, as calls are
 * met. NULL and errno: ENOMEM, ENOENT when no call was recorded with such an argument (logged). */
struct key_groups *key_groups_new(struct trace_info *info, const char *const *keys, size_t n);
/* model_options.group; ctx is the groups. */
int key_groups_row(void *ctx, uint32_t func, const struct trace_values *v, uint32_t *row);
/* Whether there were too many. */
bool key_groups_full(const struct key_groups *g);
void key_groups_free(struct key_groups *g);

#endif
