// SPDX-License-Identifier: BSD-2-Clause
#include "plan/func_glob.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "binary/goname.h"

int func_glob_hits(const char *glob, const char *display)
{
	if (glob_match(glob, display))
		return 1;
	if (!strchr(display, '['))
		return 0;
	char *shortened = goname_shorten_generics(display);
	if (!shortened)
		return -ENOMEM;
	int hit = glob_match(glob, shortened);
	free(shortened);
	return hit;
}
