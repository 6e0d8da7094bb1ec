/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the calls that a report explains first. They are the calls that a server's goroutines make
 * again and again, or those of main. */
#ifndef GOTRACE_SUBJECT_H
#define GOTRACE_SUBJECT_H

#include "analysis/trace_load.h"

#define SUBJECT_NONE UINT32_MAX

/*
 * Finds the function that the answer is about. span_ns: the length of the recording. Returns its
 * index or SUBJECT_NONE; *err: -ENOMEM, -ENOENT (logged). --request names it. Without --request
 * these rules choose:
 *
 * 1. A goroutine's outermost call is a body in one of three cases. It lasts for a fourth of the
 *    recording. Half of its time is its own waiting between several calls. Or it is the goroutine's
 *    own function and only calls another one again and again. The callees of a body take its place.
 *    Calls that a goroutine makes again and again are no body, however long they last.
 *
 * 2. Other calls are requests if there are at least ten of them.
 *
 * 3. A callee that only waits may wait for the next request. It does where its caller never waits,
 *    and either calls something else as often or is one goroutine alone.
 *
 * 4. A request's function has a tenth of all time that is not idle. One that only waits also has a
 *    tenth of the work of the busiest. A callback (calls/callback.h) only waits if it waits for the
 *    network or for a condition, as for the next element of a queue.
 *
 * 5. The request with the most time is the subject. One that only waits may give way to another
 *    request that does not. That one has half of all time that is not idle, and a twentieth of the
 *    waiter's. It ends half of the waits, and these are for a condition (sync.Cond), as for the
 *    next element of a queue. Or the waits are for the network, and both are called as often, in a
 *    loop that reads and handles.
 *
 * 6. A main.main that has returned takes its place, unless it waited for others for half of its
 *    time.
 *
 * 7. Without a request the subject is the longest outermost call that was busy for most of its
 *    time.
 */
uint32_t subject_find(const struct loaded_trace *t, uint64_t span_ns, int *err);

#endif
