// SPDX-License-Identifier: BSD-2-Clause
#include "cli/trace_binary.h"

#include <string.h>
#include <unistd.h>

#include "base/foreign_file.h"
#include "base/log.h"
#include "trace/keys.h"

static void no_log(void *ctx, enum log_level level, const char *line)
{
	(void)ctx;
	(void)level;
	(void)line;
}

struct gobin *trace_binary_open(const struct trace_info *info)
{
	const char *path = trace_info_get(info, KEY_BINARY_PATH);
	const char *id = trace_info_get(info, KEY_BINARY_BUILD_ID);
	const struct foreign_rule rule = { .most_bytes = FOREIGN_BINARY_BYTES };
	int fd = path && id ? foreign_file_open(path, &rule) : -1;

	if (fd < 0)
		return NULL;
	log_set_sink(no_log, NULL); /* the output is of the trace */
	struct gobin *b = gobin_open(fd, path);

	log_set_sink(NULL, NULL);
	close(fd);
	if (b && strcmp(gobin_build_id(b), id) != 0) {
		gobin_close(b);
		return NULL;
	}
	return b;
}
