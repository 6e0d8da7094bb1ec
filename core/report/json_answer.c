// SPDX-License-Identifier: BSD-2-Clause
#include "report/json_answer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/answer.h"
#include "analysis/answer_doubt.h"
#include "analysis/calls/correction.h"
#include "analysis/trace_names.h"
#include "base/log.h"

static const char *name_of(const struct report *rep, uint32_t func)
{
	return func == SUBJECT_NONE ? NULL : report_name(rep, func);
}

static void lines(struct json *j, char *text)
{
	json_key(j, "text");
	json_open(j, '[');
	for (char *line; (line = strsep(&text, "\n")) && *line;)
		json_str(j, line);
	json_close(j, ']');
}

/* The first part: its reason to wait, and its place. */
static void where(const struct report *rep, struct json *j, const struct explained *e)
{
	char number[WAIT_REASON_BYTES];
	const struct answer_place at = answer_where(e);
	const bool waits = e->parts[0].is >= CLASS_LOCK;

	json_kv_str(j, "reason", waits ? wait_reason(rep->trace.info, e->reason, number) : NULL);
	json_key(j, "where");
	if (at.func == SUBJECT_NONE) {
		json_null(j);
		return;
	}
	json_open(j, '{');
	json_kv_str(j, "function", report_name(rep, at.func));
	json_kv_u64(j, "ns", at.ns);
	json_kv_bool(j, "callees", at.callees);
	json_kv_bool(j, "doubtful", !at.callees && e->doubtful);
	json_close(j, '}');
}

/* Calls of a function, and what they did. */
static void explained(const struct report *rep, struct json *j, const struct explained *e)
{
	json_kv_str(j, "function", report_name(rep, e->func));
	json_kv_u64(j, "calls", e->calls);
	json_kv_u64(j, "total_ns", e->total_ns);
	json_kv_str(j, "class", wait_class_name(e->parts[0].is));
	json_kv_u64(j, "class_ns", e->parts[0].ns);
	json_key(j, "parts");
	json_open(j, '[');
	for (size_t i = 0; i < CLASSES; i++) {
		if (!e->parts[i].ns)
			continue;
		json_open(j, '{');
		json_kv_str(j, "class", wait_class_name(e->parts[i].is));
		json_kv_u64(j, "ns", e->parts[i].ns);
		json_close(j, '}');
	}
	json_close(j, ']');
	where(rep, j, e);
}

static void repeats(const struct report *rep, struct json *j, const struct explained *e)
{
	json_key(j, "repeats");
	if (e->many == SUBJECT_NONE) {
		json_null(j);
		return;
	}
	json_open(j, '{');
	json_kv_str(j, "function", report_name(rep, e->many));
	json_kv_u64(j, "calls", e->many_calls);
	json_close(j, '}');
}

static void ended_by(const struct report *rep, struct json *j, const struct explained *e)
{
	json_key(j, "ended_by");
	json_open(j, '[');
	for (size_t i = 0; i < e->n_wakers; i++) {
		json_open(j, '{');
		json_kv_str(j, "function", wake_name(rep->trace.info, e->wakers[i].by));
		json_kv_u64(j, "ns", e->wakers[i].ns);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_kv_u64(j, "ended_ns", e->wakers_ns);
	json_kv_str(j, "ended_after",
		    e->n_wakers && e->via != CLASS_OTHER ? wait_class_name(e->via) : NULL);
}

static void held_by(const struct report *rep, struct json *j, const struct explained *e)
{
	const struct hold *h = answer_held(e);

	json_key(j, "held_by");
	if (!h) {
		json_null(j);
		return;
	}
	json_open(j, '{');
	json_kv_str(j, "function", report_name(rep, h->by));
	json_kv_u64(j, "times", h->n);
	json_kv_u64(j, "ns", h->ns);
	json_kv_u64(j, "longest_ns", h->longest_ns);
	json_kv_str(j, "callee", h->did == h->by ? NULL : report_name(rep, h->did));
	json_kv_u64(j, "callee_ns", h->did == h->by ? 0 : h->did_ns);
	json_close(j, '}');
}

/* Those who end the waits, hold the lock or were started. */
static void there(const struct report *rep, struct json *j, const struct answer *a)
{
	json_key(j, "there");
	if (!a->next.calls) {
		json_null(j);
		return;
	}
	json_open(j, '{');
	explained(rep, j, &a->next);
	json_kv_bool(j, "started", a->started);
	json_kv_u64(j, "left_out_ns", a->next.but_ns);
	json_close(j, '}');
}

/* Averages over the recording. */
static void meanwhile(const struct report *rep, struct json *j, const struct answer *a)
{
	const struct {
		const char *key;
		uint64_t thousandths;
	} all[] = { { "running", a->ran },
		    { "syscall", a->in_calls },
		    { "runnable", a->ready },
		    { "off_cpu", a->off_cpu } };

	json_key(j, "meanwhile");
	json_open(j, '{');
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		json_key(j, all[i].key);
		json_decimal(j, all[i].thousandths, 3);
	}
	json_key(j, "go_processors");
	if (a->go_processors)
		json_u64(j, a->go_processors);
	else
		json_null(j);
	json_kv_str(j, "ran_most", name_of(rep, a->ran_most));
	json_close(j, '}');
}

static void put(const struct report *rep, struct json *j, const struct answer *a, char *text)
{
	json_open(j, '{');
	lines(j, text);
	json_kv_u64(j, "span_ns", a->span_ns);
	explained(rep, j, &a->why);
	repeats(rep, j, &a->why);
	ended_by(rep, j, &a->why);
	held_by(rep, j, &a->why);
	there(rep, j, a);
	json_kv_u64(j, "run_ns", a->run_ns);
	json_key(j, "collector_ns");
	if (a->collector_known)
		json_u64(j, a->collector_ns);
	else
		json_null(j);
	meanwhile(rep, j, a);
	json_close(j, '}');
}

int json_answer(struct report *rep, struct json *j)
{
	struct answer a;
	int err = loaded_trace_leave_out_parked(&rep->trace);

	if (err)
		log_no_memory("no memory for the answer");
	if (!err)
		err = answer_find(&a, &rep->trace);
	/* what could be wrong is no answer */
	const bool sure = correction_any_sure(&rep->trace);
	char *text = err ? NULL : answer_say(&a, rep->trace.info),
	     *doubt = err || sure ? NULL : answer_doubt_say(&rep->trace);

	if (!err && (!text || (!sure && !doubt))) {
		log_no_memory("no memory for the answer");
		err = -ENOMEM;
	}
	if (!err) {
		json_key(j, "answer");
		if (a.why.calls && sure)
			put(rep, j, &a, text);
		else
			json_null(j);
		json_kv_str(j, "cannot_tell", doubt);
	}
	free(doubt);
	free(text);
	return err;
}
