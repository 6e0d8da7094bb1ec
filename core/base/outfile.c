// SPDX-License-Identifier: BSD-2-Clause
#include "base/outfile.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"

int outfile_check(FILE *out)
{
	int err = fflush(out) ? errno : 0;

	if (!err && ferror(out))
		err = EIO; /* an earlier write failed; its reason is gone */
	if (err)
		log_error("the output could not be written: %s", strerror(err));
	return -err;
}
