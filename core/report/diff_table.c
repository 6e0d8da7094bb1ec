// SPDX-License-Identifier: BSD-2-Clause
#include "report/diff_table.h"

#include <stdarg.h>
#include <stdlib.h>

#include "analysis/trace_names.h"
#include "base/text_format.h"
#include "base/text_wrap.h"
#include "report/text.h"

void diff_table_begin(struct table *t, const struct diff_report *d,
		      const struct table_column *columns, size_t n)
{
	const struct table_options opt = { .width = d->opt->width,
					   .states = d->diff.states || d->diff.sampled,
					   .colour = d->opt->colour };

	table_begin(t, &opt, columns, d, NULL, n);
}

int diff_name(struct diff_naming *n, const struct diff_row *row, FILE *out, size_t used,
	      const char *after)
{
	const struct diff *d = &n->d->diff;

	if (!d->by_path) {
		text_name_after(out, n->d->opt->width, false, diff_report_name(n->d, row), used,
				after);
		return 0;
	}
	int err = call_tree_path(&d->tree, row->key, &n->path, &n->cap);

	for (uint32_t i = 0; !err && i < d->tree.nodes[row->key].level; i++) {
		fputs(i ? ";" : "", out);
		text_safe(out, trace_name_func(&d->names.info, d->tree.nodes[n->path[i]].func));
	}
	fprintf(out, "%s\n", after);
	return err;
}

void diff_naming_free(struct diff_naming *n)
{
	free(n->path);
}

void diff_line(const struct diff_options *opt, FILE *out, const char *fmt, ...)
{
	char *line;
	va_list ap;

	va_start(ap, fmt);
	int n = vasprintf(&line, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	text_wrap(out, line, opt->width, 2);
	free(line);
}
