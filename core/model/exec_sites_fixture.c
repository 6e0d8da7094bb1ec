// SPDX-License-Identifier: BSD-2-Clause
#include "model/exec_fixture.h"

/* Sites: entry, exit, both, morestack of each function, then tails by target. */
uint32_t exec_site(uint32_t func, unsigned kind, uint32_t target)
{
	uint32_t t = target == TRACE_NONE ? EXEC_FUNCS : target;

	switch ((enum event_kind)kind) {
	case EV_ENTRY:
		return func;
	case EV_EXIT:
		return EXEC_FUNCS + func;
	case EV_ENTRY_EXIT:
		return 2 * EXEC_FUNCS + func;
	case EV_MORESTACK:
		return 3 * EXEC_FUNCS + func;
	case EV_TAIL:
		return 4 * EXEC_FUNCS + func * (EXEC_FUNCS + 1) + t;
	case EV_ENTRY_TAIL:
		return (4 + EXEC_FUNCS + 1) * EXEC_FUNCS + func * (EXEC_FUNCS + 1) + t;
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
	return UINT32_MAX;
}

static int add_sites(struct trace_info *info, unsigned kind, bool targets)
{
	int err = 0;

	for (uint32_t f = 0; f < EXEC_FUNCS; f++)
		for (uint32_t t = 0; !err && t < (targets ? EXEC_FUNCS + 1 : 1); t++)
			err = trace_info_add_site(
				info, &(struct trace_site){ .func = f,
							    .kind = (uint16_t)kind,
							    .target = targets && t < EXEC_FUNCS
									      ? t
									      : TRACE_NONE });
	return err;
}

int exec_info(struct trace_info *info)
{
	int err = 0;

	for (uint32_t f = 0; !err && f < EXEC_FUNCS; f++) {
		char name[] = "main.?";

		name[5] = (char)('a' + f);
		err = trace_info_add_func(info, &(struct trace_func){ .name = name,
								      .vaddr = 0x1000 * (f + 1),
								      .size = 0x200 });
	}
	for (unsigned k = 0; !err && k < 4; k++)
		err = add_sites(info,
				(const unsigned[]){ EV_ENTRY, EV_EXIT, EV_ENTRY_EXIT,
						    EV_MORESTACK }[k],
				false);
	if (!err)
		err = add_sites(info, EV_TAIL, true);
	return err ? err : add_sites(info, EV_ENTRY_TAIL, true);
}
