// SPDX-License-Identifier: BSD-2-Clause
#include "export/html/html.h"

#include <errno.h>

#include "base/log.h"
#include "base/outfile.h"

/* The page before and after the data: assembled from page/ by page/assemble.sh. */
#define EMBED(name)                                                               \
	__asm__(".section .rodata\n"                                              \
		".global page_" #name "_start, page_" #name "_end\n"              \
		"page_" #name "_start: .incbin \"" PAGE_DIR "/page." #name "\"\n" \
		"page_" #name "_end: .byte 0\n"                                   \
		".previous\n");                                                   \
	extern const char page_##name##_start[], page_##name##_end[]
EMBED(head);
EMBED(tail);

static int put(FILE *out, const char *start, const char *end)
{
	if (fwrite(start, 1, (size_t)(end - start), out) == (size_t)(end - start))
		return 0;
	outfile_check(out);
	return -EIO;
}

static int write_trace(struct json *j, struct trace_reader *r, const struct trace_view *view,
		       bool raw)
{
	struct html_page p;
	int err = html_page_load(&p, r, view, raw, NULL);

	if (!err) {
		err = html_write_trace(&p, j);
		if (!err)
			err = html_write_funcs(&p, j);
		if (!err)
			err = html_write_tree(&p, j);
		if (!err)
			err = html_write_picks(&p, j);
		if (!err)
			err = html_write_timeline(&p, j);
		if (!err)
			err = html_write_slow(&p, j);
		if (!err)
			err = html_write_waits(&p, j);
		if (!err)
			err = html_write_parked(&p, j);
		if (!err)
			err = html_write_codes(&p, j);
		if (err == -ENOMEM)
			log_no_memory("no memory for the page");
	}
	html_page_free(&p);
	return err;
}

int export_html(struct trace_reader *const *r, size_t n, const struct export_options *opt,
		FILE *out)
{
	struct json j;
	int err = put(out, page_head_start, page_head_end);

	if (err)
		return err;
	json_init(&j, out, false);
	j.in_html = true;
	json_open(&j, '{');
	err = n == 2 ? html_write_changes(&j, r, opt) : write_trace(&j, r[0], opt->view, opt->raw);
	json_close(&j, '}');
	if (!err)
		err = put(out, page_tail_start, page_tail_end);
	return err ? err : outfile_check(out);
}
