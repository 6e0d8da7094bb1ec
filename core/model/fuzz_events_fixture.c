// SPDX-License-Identifier: BSD-2-Clause
#include "model/fuzz_events_fixture.h"

#include "model/exec_fixture.h"

/* Few bits distinguish the function from its neighbours; now and then a site that is none. */
static uint32_t site_of(unsigned kind, uint8_t b)
{
	uint32_t func = b % EXEC_FUNCS, target = b / EXEC_FUNCS % (EXEC_FUNCS + 1);

	if (b >= 250)
		return b == 255 ? UINT32_MAX : exec_site(func, b - 249, TRACE_NONE);
	if (kind != EV_TAIL && kind != EV_ENTRY_TAIL)
		target = EXEC_FUNCS;
	switch ((enum event_kind)kind) {
	case EV_ENTRY:
	case EV_EXIT:
	case EV_TAIL:
	case EV_ENTRY_EXIT:
	case EV_ENTRY_TAIL:
	case EV_MORESTACK:
		return exec_site(func, kind, target == EXEC_FUNCS ? TRACE_NONE : target);
	case EV_STOP:
	case EV_RESUME:
	case EV_CREATE:
	case EV_END:
	case EV_UNWIND:
	case EV_LOSS:
	case EV_IMAGE:
	case EV_RELEASED:
	case EV_STATE:
	case EV_WAKE:
	case EV_WINDOW:
	case EV_SAMPLE:
		break;
	}
	return 0;
}

/* Eight bytes as an event at or after *now_ns; time jumps about when not in order. */
struct event_ext fuzz_event(const uint8_t *p, bool in_order, uint64_t *now_ns)
{
	struct event_ext e = { .h = { .kind = p[0] & 15,
				      .flags = p[0] >> 4 & 7,
				      .goid = p[1] & 7,
				      .tid = p[1] >> 3 & 3,
				      .site = site_of(p[0] & 15, p[2]) } };

	/* Few depths: a goroutine's, and on system stacks those around the wrap. */
	e.h.depth = p[3] < 128 ? 16u * p[3] : 0xffffffffu - 8 * (p[3] - 128u);
	*now_ns += p[4];
	e.h.ts_ns = *now_ns;
	if (!in_order && p[4] >= 0xf0)
		e.h.ts_ns = p[4] == 0xff   ? UINT64_MAX
			    : p[4] == 0xf0 ? 0
					   : *now_ns - 16 * (p[4] & 15u);
	e.arg[0] = p[5] & 7;
	e.arg[1] = p[6];
	e.arg[2] = p[7] & 7;
	if (e.h.kind == EV_STATE) { /* no kind of a trace: what is left out, instead */
		e.h.kind = EV_WINDOW;
		e.h.flags &= EVF_SYSTEM;
	} else if (e.h.flags & EVF_GOEXIT && e.h.kind != EV_UNWIND) {
		e.h.flags = (uint16_t)((e.h.flags & ~EVF_GOEXIT) | EVF_BEFORE);
	}
	if (e.h.kind == EV_STOP)
		e.arg[0] = p[5] & 7 ? 0x1000 * (p[5] & 7u) + 0x10 : 0;
	if (e.h.kind == EV_CREATE)
		e.arg[1] = 0x2000 + 0x10 * (p[6] & 3u);
	if (e.h.kind == EV_LOSS) {
		e.h.ts_ns -= in_order ? 0 : p[6];
		e.arg[0] = e.h.ts_ns + p[5];
	}
	return e;
}
