// SPDX-License-Identifier: BSD-2-Clause
/* The trace file of `gotrace record`, and those of windows. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/record_run.h"
#include "cli/trace_output.h"

int record_open_output(struct run *r, int *fd)
{
	if (!r->opt->trial_ns && !r->host)
		return trace_output_open(&r->chosen.invoker, r->opt->output, fd);
	*fd = r->host ? fcntl(r->host->fd, F_DUPFD_CLOEXEC, 0)
		      : open("/dev/null", O_WRONLY | O_CLOEXEC);
	return *fd < 0 ? trace_output_report(r->opt->output, -errno) : 0;
}

int record_open_window(struct run *r, unsigned n, char *path, int *fd)
{
	bool kept_old = false;
	int err = snprintf(path, PATH_MAX, "%s.%u", r->opt->output, n) >= PATH_MAX
			  ? trace_output_report(r->opt->output, -ENAMETOOLONG)
			  : trace_output_open(&r->chosen.invoker, path, fd);

	if (!err && trace_output_publish(&r->chosen.invoker, path, &kept_old)) {
		close(*fd);
		err = -EIO;
	}
	return err;
}

int record_publish_output(struct run *r)
{
	bool named = !r->opt->trial_ns && !r->host;
	int err = named ? trace_output_publish(&r->chosen.invoker, r->opt->output,
					       &r->output.kept_old)
			: 0;

	r->output.published = !err && named;
	return err;
}

void record_withdraw_output(const struct run *r)
{
	if (!r->opt->trial_ns && !r->host)
		trace_output_withdraw(&r->chosen.invoker, r->opt->output, r->output.published,
				      r->output.kept_old);
}
