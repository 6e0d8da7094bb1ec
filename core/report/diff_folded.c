// SPDX-License-Identifier: BSD-2-Clause
/* A comparison for difffolded.pl's readers: a line for each path with its self time in A and in B,
 * ns. */
#include <inttypes.h>
#include <stdlib.h>

#include "analysis/diff/trace_diff.h"
#include "analysis/trace_names.h"
#include "base/outfile.h"
#include "base/text_format.h"
#include "report/report_formats.h"

int diff_folded(struct trace_reader *const r[2], const struct diff_options *opt, FILE *out)
{
	struct diff d;
	uint32_t *path = NULL;
	size_t cap = 0;
	int err = diff_load(&d, r, true, opt->raw);

	for (size_t i = 0; !err && i < d.n_rows; i++) {
		const uint64_t *self = d.rows[i].value[METRIC_SELF];
		const uint32_t node = d.rows[i].key;

		if (!self[0] && !self[1])
			continue;
		err = call_tree_path(&d.tree, node, &path, &cap);
		for (uint32_t l = 0; !err && l < d.tree.nodes[node].level; l++) {
			const struct call_node *x = &d.tree.nodes[path[l]];

			fputs(l ? ";" : "", out);
			if (x->go) {
				fputs(GO_FRAME, out);
				text_frame(out, trace_name_func(&d.names.info, x->func));
				fputc(';', out);
			}
			text_frame(out, trace_name_func(&d.names.info, x->func));
		}
		if (!err)
			fprintf(out, " %" PRIu64 " %" PRIu64 "\n", self[0], self[1]);
	}
	if (!err)
		err = outfile_check(out);
	free(path);
	diff_free(&d);
	return err;
}
