/* SPDX-License-Identifier: BSD-2-Clause */
/* Which calls a report explains first: those that a server's goroutines make again and again, or
 * those of main. */
#ifndef GOTRACE_SUBJECT_H
#define GOTRACE_SUBJECT_H

#include "analysis/trace_load.h"

#define SUBJECT_NONE UINT32_MAX

/*
 * Finds the function that the answer is about. span_ns: how long was recorded. Returns its index or
 * SUBJECT_NONE; *err: -ENOMEM, -ENOENT (logged). --request names it; else these rules do:
 *
 * - A goroutine's outermost call is a body if it lasts for a fourth of the recording, if half of
 * its time is its own waiting between several calls, or if it is the goroutine's own function and
 * only calls another one again and again. A body's callees are looked at instead of it.
 * - Other calls are requests if there are ten and more of them.
 * - A callee that only waits may wait for the next request. It does where its caller never waits,
 *   and either calls something else as often or is one goroutine alone.
 * - A request's function has a tenth of all time that is not idle. One that only waits has a tenth
 *   of the work of the busiest, too.
 * - The request with the most time is the subject. A main.main that has returned is it instead,
 *   unless it waited for others for half of its time.
 * - Without a request it is the outermost call that was busy for most of its time, and longest.
 */
uint32_t subject_find(const struct loaded_trace *t, uint64_t span_ns, int *err);

#endif
