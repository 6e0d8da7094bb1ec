// SPDX-License-Identifier: BSD-2-Clause
/*
 * The profiles of OpenTelemetry, as a file: the message that is posted to a Collector. They are
 * made of the profile that pprof gets, so that both say the same.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/samples/sample_processes.h"
#include "base/log.h"
#include "base/outfile.h"
#include "export/export_formats.h"
#include "export/otlp/otlp_gz.h"
#include "trace/keys.h"

#define ATTRIBUTES_MAX 16

struct source {
	struct otlp_attribute at[ATTRIBUTES_MAX];
	struct otlp_source of;
	char program[PROGRAM_BYTES];
};

static void add(struct source *s, const char *name, const char *text)
{
	if (text && *text && s->of.n < ATTRIBUTES_MAX)
		s->at[s->of.n++] = (struct otlp_attribute){ .name = name, .text = text };
}

static const char *last_part(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

/* The program that was asked for; NULL: there were more, or it is not known. */
static const char *program_of(struct source *s, struct trace_reader *r, uint64_t pid)
{
	const struct trace_info *info = trace_reader_info(r);
	const struct sample_tables *t = trace_is_samples(info) ? trace_reader_tables(r) : NULL;
	const char *path = trace_info_get(info, KEY_BINARY_PATH);

	if (path || trace_info_get(info, KEY_SAMPLE_HOST))
		return last_part(path);
	for (size_t i = 0; t && i < t->n_processes; i++)
		if (t->processes[i].pid == pid)
			return sample_program(&t->processes[i], s->program);
	return NULL;
}

/* What is known of all that was recorded. */
static void describe(struct source *s, struct trace_reader *r)
{
	const struct trace_info *info = trace_reader_info(r);
	const char *service = trace_info_get(info, KEY_SAMPLE_SERVICE);
	const uint64_t pid = trace_info_u64(info, KEY_PID, 0);

	add(s, "service.name", service ?: program_of(s, r, pid));
	/* Each sample has its own. */
	if (pid && !trace_is_samples(info))
		s->at[s->of.n++] = (struct otlp_attribute){ .name = "process.pid",
							    .number = (int64_t)pid };
	add(s, "process.command_line", trace_info_get(info, KEY_COMMAND));
	add(s, "process.executable.path", trace_info_get(info, KEY_BINARY_PATH));
	add(s, "process.owner", trace_info_get(info, KEY_USER));
	if (trace_info_get(info, KEY_GO_VERSION)) {
		add(s, "process.runtime.name", "go");
		add(s, "process.runtime.version", trace_info_get(info, KEY_GO_VERSION));
	}
	add(s, "os.description", trace_info_get(info, KEY_HOST_KERNEL));
	add(s, "host.arch", trace_info_get(info, KEY_HOST_ARCH));
	add(s, "host.cpu.model.name", trace_info_get(info, KEY_HOST_CPU));
	s->of.version = trace_info_get(info, KEY_GOTRACE_VERSION);
	s->of.attributes = s->at;
}

static int write_message(struct otlp_out *o, FILE *out)
{
	size_t n;
	uint8_t *bytes = otlp_out_message(o, &n);

	if (!bytes)
		return -ENOMEM;
	fwrite(bytes, 1, n, out);
	free(bytes);
	return outfile_check(out);
}

int export_otlp(struct trace_reader *const *r, size_t n, const struct export_options *opt,
		FILE *out)
{
	struct export_options with = *opt;
	struct otlp_out *o = otlp_out_new();
	struct source s = { 0 };
	char *pprof = NULL;
	size_t bytes = 0;
	FILE *f = o ? open_memstream(&pprof, &bytes) : NULL;
	int err = f ? 0 : -ENOMEM;

	with.identities = true;
	with.in_memory = true;
	if (!err)
		err = export_pprof(r, n, &with, f);
	if (f && fclose(f) && !err)
		err = -ENOMEM;
	if (!err) {
		describe(&s, r[0]);
		err = otlp_out_add_gz(o, (const uint8_t *)pprof, bytes, SIZE_MAX, &s.of);
		if (err == -E2BIG)
			log_error("the profile is too large for OpenTelemetry's format");
	}
	if (!err)
		err = write_message(o, out);
	free(pprof);
	otlp_out_free(o);
	return err;
}
