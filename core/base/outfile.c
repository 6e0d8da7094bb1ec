// SPDX-License-Identifier: BSD-2-Clause
#include "base/outfile.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"

int outfile_check(FILE *out)
{
	int err = fflush(out) ? errno : 0;

	/* An earlier write failed, and its reason is gone: another one fails for the same. The
	 * output is of no use either way. */
	if (!err && ferror(out))
		err = write(fileno(out), "\n", 1) < 0 ? errno : EIO;
	if (err && err != EPIPE) /* whoever read it wants no more of it */
		log_error("the output could not be written: %s", strerror(err));
	return -err;
}

int outfile_end(FILE *out, int err)
{
	const int written = !err || ferror(out) ? outfile_check(out) : 0;

	return err ? err : written;
}
