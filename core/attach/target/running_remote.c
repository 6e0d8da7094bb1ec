// SPDX-License-Identifier: BSD-2-Clause
/* A thread of a running process that works for this one. */
#include "attach/target/running_map.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"

int running_remote_begin(const struct running *r, struct remote *remote, pid_t tid)
{
	const uint8_t *file = gobin_bytes(r->opt.plan->binary, r->code_at - r->text.bias,
					  REMOTE_CODE_BYTES);
	int err = remote_begin(remote, r->opt.pid, tid, r->code_at);

	/* A thread may still be executing what another gotrace put there. */
	if (!err && (!file || memcmp(remote->was, file, REMOTE_CODE_BYTES))) {
		close(remote->mem_fd);
		err = -EBUSY;
	}
	return err;
}

bool running_remote_next(const struct running *r, struct remote *remote, const struct threads *t,
			 size_t *i)
{
	while (*i < t->n) {
		const struct thread *th = &t->at[(*i)++];

		if (th->stopped && !th->signal && !running_remote_begin(r, remote, th->tid))
			return true;
	}
	return false;
}

int running_remote_call(void *ctx, const uint64_t args[7], int64_t *result)
{
	return remote_call(ctx, args, NULL, result);
}

void running_remote_end(struct running *r, struct remote *remote)
{
	if (remote_end(remote))
		log_debug("the text of process %d was not put back at its start", r->opt.pid);
	if (remote->stop_sent)
		kill(r->opt.pid, SIGSTOP);
}
