/* SPDX-License-Identifier: BSD-2-Clause */
/* A path as one field of a report or comparison for programs. */
#ifndef GOTRACE_PATH_FIELDS_H
#define GOTRACE_PATH_FIELDS_H

#include "analysis/calls/call_tree.h"
#include "base/json.h"

/* Writes names from the outermost on, separated by ';'. path and cap are those of call_tree_path. 0
 * or -ENOMEM (logged) */
int path_field_csv(const struct call_tree *t, const struct trace_info *info, uint32_t node,
		   uint32_t **path, size_t *cap, FILE *out);
/* Writes an array of names. 0 or -ENOMEM (logged) */
int path_field_json(const struct call_tree *t, const struct trace_info *info, uint32_t node,
		    uint32_t **path, size_t *cap, struct json *j);

#endif
