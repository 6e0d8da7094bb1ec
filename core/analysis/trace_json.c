// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/trace_json.h"

#include "analysis/warnings.h"

void trace_json_totals(const struct loaded_trace *t, struct json *j)
{
	const struct model_totals *all = t->totals;

	json_kv_bool(j, "complete", t->complete);
	if (t->growing)
		json_kv_bool(j, "recording", true);
	json_kv_u64(j, "events", all->events);
	json_kv_u64(j, "calls", all->calls);
	json_kv_u64(j, "goroutines", all->goroutines);
	json_kv_u64(j, "images", all->images);
	json_kv_u64(j, "duration_ns", loaded_trace_length_ns(t));
	json_kv_u64(j, "root_ns", all->root_ns + all->probe_ns);
	if (t->corrected)
		json_kv_u64(j, "probe_ns", all->probe_ns);
	json_kv_u64(j, "lost_events", all->lost_events);
	json_kv_u64(j, "loss_records", all->loss_records);
	json_kv_u64(j, "suspect_calls", all->suspect_calls);
	json_kv_u64(j, "suspect_ns", all->suspect_ns);
	json_kv_u64(j, "orphan_exits", all->orphan_exits);
	json_kv_u64(j, "folded_calls", loaded_trace_other_calls(t));
	json_kv_u64(j, "bad_events", all->bad_events);
	if (t->view) {
		char said[TRACE_VIEW_BYTES];

		json_kv_str(j, "shown", trace_view_say(t->view, said));
		json_kv_u64(j, "calls_of_all", t->all->calls);
		json_kv_u64(j, "root_ns_of_all", t->all->root_ns);
	}
}

void trace_json_info(const struct loaded_trace *t, struct json *j)
{
	json_key(j, "info");
	json_open(j, '{');
	for (size_t i = 0; i < t->info->n_kvs; i++)
		json_kv_str(j, t->info->kvs[i].key, t->info->kvs[i].value);
	json_close(j, '}');
}

int trace_json_warnings(const struct loaded_trace *t, bool none_too, struct json *j)
{
	struct notes all = { 0 };
	int err;

	warnings_all(t, &all);
	if (all.n || none_too) {
		json_key(j, "warnings");
		json_open(j, '[');
		for (size_t i = 0; i < all.n; i++)
			json_str(j, all.lines[i]);
		json_close(j, ']');
	}
	err = all.err;
	notes_free(&all);
	return err;
}
