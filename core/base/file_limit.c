// SPDX-License-Identifier: BSD-2-Clause
#include "base/file_limit.h"

static sigset_t before;

void file_limit_block(void)
{
	sigset_t too_large;

	sigemptyset(&too_large);
	sigaddset(&too_large, SIGXFSZ);
	sigprocmask(SIG_BLOCK, &too_large, &before);
}

const sigset_t *file_limit_mask(void)
{
	return &before;
}

void file_limit_put_back(void)
{
	sigprocmask(SIG_SETMASK, &before, NULL);
}
