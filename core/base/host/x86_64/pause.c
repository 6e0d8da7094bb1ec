// SPDX-License-Identifier: BSD-2-Clause
#include "base/host/pause.h"

void host_pause(void)
{
	__builtin_ia32_pause();
}
