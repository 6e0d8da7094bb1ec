/* SPDX-License-Identifier: BSD-2-Clause */
/* Which calls a report explains first: those that a server's goroutines make again and again, or
 * those of main. */
#ifndef GOTRACE_SUBJECT_H
#define GOTRACE_SUBJECT_H

#include "analysis/trace_load.h"

#define SUBJECT_NONE UINT32_MAX

/*
 * A function's index, or SUBJECT_NONE. A goroutine's outermost call is a body, and what it calls is
 * looked at instead, if it lasts for a fourth of the recording, or if half of its time is its own
 * waiting between several calls, or if it is the goroutine's own function and all that it does is
 * call another one again and again. What is left is a request where there are ten calls and more. A
 * callee that only waits may wait for the next request: it does where its caller never waits, and
 * calls something else as often, or is one goroutine alone. The function with the most time is the
 * subject; it has a tenth of all time that is not idle. If it only waits, it has a tenth of the
 * work of the busiest, too. A main.main that has returned is the subject instead, unless it waited
 * for others for half of its time. Without any it is the outermost call with the most time that
 * is not idle, if that is most of its time.
 * span_ns: how long was recorded. --request names it
 * instead. *err: -ENOMEM, -ENOENT (logged).
 */
uint32_t subject_find(const struct loaded_trace *t, uint64_t span_ns, int *err);

#endif
