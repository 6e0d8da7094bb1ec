// SPDX-License-Identifier: BSD-2-Clause
#include "attach/target/running_why.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *running_say(struct running *r, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(r->said, sizeof(r->said), fmt, args);
	va_end(args);
	return r->said;
}

const char *running_why_not_stopped(struct running *r, const struct threads *t, int err)
{
	char late[LATE_THREAD_BYTES];

	r->again = err == -ETIMEDOUT || err == -EAGAIN;
	return err == -EPERM   ? "something else traces it, or ptrace is refused"
	       : err == -ESRCH ? "it has ended"
	       : err != -ETIMEDOUT
		       ? running_say(r, "its threads cannot be stopped: %s", strerror(-err))
		       : running_say(r, "%s", threads_say_late(t, late));
}
