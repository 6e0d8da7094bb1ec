// SPDX-License-Identifier: BSD-2-Clause
#include "plan/site_cookie.h"

#include "bpf/event.h"

uint64_t site_cookie(const struct plan_site *s, bool in_stub)
{
	const uint32_t stop = COOKIE_STOP_FLAGS(s->kind == EV_STATE ? s->state_at
								    : s->prologue_stop);

	/* A stub's probe is neither on the stack check's branch nor on a RET. */
	if (in_stub)
		return COOKIE(s->number, s->stub.to_frame_bytes, s->kind, stop);
	if (s->plain_ret)
		return COOKIE(s->number, COOKIE_RET_BITS(s->vaddr), s->kind, COOKIE_RET | stop);
	return COOKIE(s->number, s->to_frame_bytes, s->kind,
		      (s->check_jcc ? COOKIE_CHECK_JCC : 0) | stop);
}
