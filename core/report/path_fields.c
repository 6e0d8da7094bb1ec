// SPDX-License-Identifier: BSD-2-Clause
#include "report/path_fields.h"

#include <string.h>

#include "analysis/trace_names.h"
#include "base/csv.h"

int path_field_csv(const struct call_tree *t, const struct trace_info *info, uint32_t node,
		   uint32_t **path, size_t *cap, FILE *out)
{
	int err = call_tree_path(t, node, path, cap);
	uint32_t n = err ? 0 : t->nodes[node].level;
	bool quote = false;

	for (uint32_t i = 0; i < n; i++)
		quote |= strpbrk(trace_name_func(info, t->nodes[(*path)[i]].func),
				 ";" CSV_SPECIAL) != NULL;
	csv_begin(out, n ? trace_name_func(info, t->nodes[(*path)[0]].func) : "", quote);
	for (uint32_t i = 0; i < n; i++) {
		if (i)
			fputc(';', out);
		csv_part(out, trace_name_func(info, t->nodes[(*path)[i]].func), ';');
	}
	if (quote)
		fputc('"', out);
	return err;
}

int path_field_json(const struct call_tree *t, const struct trace_info *info, uint32_t node,
		    uint32_t **path, size_t *cap, struct json *j)
{
	int err = call_tree_path(t, node, path, cap);

	json_open(j, '[');
	for (uint32_t i = 0; !err && i < t->nodes[node].level; i++)
		json_str(j, trace_name_func(info, t->nodes[(*path)[i]].func));
	json_close(j, ']');
	return err;
}
