// SPDX-License-Identifier: BSD-2-Clause
/* Reads a Perfetto trace as its trace processor does: clocks, interned names, slices by track. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash_index.h"
#include "base/vec.h"
#include "export/export_fixture.h"
#include "perfetto.pb-c.h"

/* An event in the order of time, of the file where times are equal. */
struct happening {
	uint64_t ts_ns;
	size_t place;
	const Perfetto__TrackEvent *event;
	const char *name;
};

struct lane {
	uint64_t uuid;
	char *name;
	struct {
		uint64_t ts_ns, below_ns;
		const char *name;
	} * open;
	size_t n_open, cap;
	bool states; /* of a goroutine: its slices are no calls */
};

struct reading {
	struct lane *lanes;
	size_t n_lanes, cap_lanes;
	struct hash_index index; /* of lanes, by uuid */
	const char **names;
	size_t cap_names;
	struct happening *list;
	size_t n, cap;
	uint64_t delta_ns;
	bool cleared;
};

static struct lane *find_lane(const struct reading *r, uint64_t uuid)
{
	size_t at;

	for (uint32_t i = hash_index_first(&r->index, hash_u64(uuid), &at); i != HASH_NONE;
	     i = hash_index_next(&r->index, hash_u64(uuid), &at))
		if (r->lanes[i].uuid == uuid)
			return &r->lanes[i];
	return NULL;
}

static void describe(struct reading *r, const Perfetto__TrackDescriptor *d, FILE *out)
{
	struct lane *l;

	assert_true(d->has_uuid && d->uuid && d->name);
	l = find_lane(r, d->uuid);
	if (l) { /* described again: as before */
		assert_string_equal(l->name, d->name);
		return;
	}
	assert_int_equal(vec_reserve(&r->lanes, &r->cap_lanes, r->n_lanes + 1), 0);
	assert_int_equal(hash_index_put(&r->index, hash_u64(d->uuid), (uint32_t)r->n_lanes), 0);
	l = &r->lanes[r->n_lanes++];
	l->uuid = d->uuid;
	l->name = strdup(d->name);
	l->states = !strcmp(d->name, "states");
	fprintf(out, "track %" PRIu64 " %s%s", d->uuid, d->name, d->counter ? " (counter)" : "");
	if (d->process)
		fprintf(out, " (process %d)", d->process->pid);
	if (d->has_parent_uuid)
		fprintf(out, " below %" PRIu64, d->parent_uuid);
	fputc('\n', out);
}

static uint64_t time_of(struct reading *r, const Perfetto__TracePacket *p)
{
	if (p->clock_snapshot) {
		assert_int_equal(p->sequence_flags, 1);
		assert_int_equal(p->trace_packet_defaults->timestamp_clock_id, 64);
		r->cleared = true;
		for (size_t i = 0; i < p->clock_snapshot->n_clocks; i++)
			if (p->clock_snapshot->clocks[i]->clock_id == 64) {
				assert_true(p->clock_snapshot->clocks[i]->is_incremental);
				r->delta_ns = p->clock_snapshot->clocks[i]->timestamp;
			}
	}
	if (p->has_timestamp_clock_id) {
		assert_int_equal(p->timestamp_clock_id, 3);
		return p->timestamp;
	}
	assert_true(p->has_timestamp && r->cleared && p->sequence_flags == 2);
	return r->delta_ns += p->timestamp;
}

static void take(struct reading *r, const Perfetto__TracePacket *p, FILE *out)
{
	assert_int_equal(p->trusted_packet_sequence_id, 1);
	if (p->track_descriptor) {
		describe(r, p->track_descriptor, out);
		return;
	}
	uint64_t ts_ns = time_of(r, p);

	for (size_t i = 0; p->interned_data && i < p->interned_data->n_event_names; i++) {
		const Perfetto__EventName *n = p->interned_data->event_names[i];

		assert_true(n->iid > 0);
		assert_int_equal(vec_reserve(&r->names, &r->cap_names, n->iid + 1), 0);
		assert_null(r->names[n->iid]);
		r->names[n->iid] = n->name;
	}
	for (size_t i = 0; p->interned_data && i < p->interned_data->n_source_locations; i++) {
		const Perfetto__SourceLocation *l = p->interned_data->source_locations[i];

		/* of the function of that name, told with it */
		assert_true(l->iid < r->cap_names && r->names[l->iid]);
		assert_string_equal(l->function_name, r->names[l->iid]);
		assert_true(*l->file_name);
	}
	if (!p->track_event)
		return;
	uint64_t iid = p->track_event->name_iid;

	assert_true(!p->track_event->has_source_location_iid ||
		    p->track_event->source_location_iid == iid);

	assert_true(iid < r->cap_names || !iid);
	assert_true(!iid || r->names[iid]);
	assert_int_equal(vec_reserve(&r->list, &r->cap, r->n + 1), 0);
	r->list[r->n] = (struct happening){ ts_ns, r->n, p->track_event, iid ? r->names[iid] : "" };
	r->n++;
}

static int by_time(const void *x, const void *y)
{
	const struct happening *a = x, *b = y;

	if (a->ts_ns != b->ts_ns)
		return a->ts_ns < b->ts_ns ? -1 : 1;
	return (a->place > b->place) - (a->place < b->place);
}

/* The slice's self time. */
static uint64_t end_slice(struct lane *l, const struct happening *h, FILE *out)
{
	uint64_t stopped_ns = 0;

	assert_true(l->n_open > 0);
	l->n_open--;
	uint64_t dur_ns = h->ts_ns - l->open[l->n_open].ts_ns,
		 below_ns = l->open[l->n_open].below_ns;

	if (l->states) { /* no call */
		fprintf(out, "%" PRIu64 " %s: over %s after %" PRIu64 "\n", h->ts_ns, l->name,
			l->open[l->n_open].name, dur_ns);
		assert_int_equal(l->n_open, 0);
		return 0;
	}
	fprintf(out, "%" PRIu64 " %s: end of %s after %" PRIu64, h->ts_ns, l->name,
		l->open[l->n_open].name, dur_ns);
	for (size_t i = 0; i < h->event->n_debug_annotations; i++) {
		const Perfetto__DebugAnnotation *a = h->event->debug_annotations[i];

		if (a->string_value)
			fprintf(out, " %s=%s", a->name, a->string_value);
		else
			fprintf(out, " %s=%" PRIu64, a->name,
				a->has_bool_value ? (uint64_t)a->bool_value : a->uint_value);
		if (!strcmp(a->name, "stopped_ns"))
			stopped_ns = a->uint_value;
	}
	fputc('\n', out);
	if (l->n_open)
		l->open[l->n_open - 1].below_ns += dur_ns;
	assert_true(below_ns + stopped_ns <= dur_ns);
	return dur_ns - below_ns - stopped_ns;
}

static uint64_t show(struct reading *r, const struct happening *h, FILE *out)
{
	const Perfetto__TrackEvent *e = h->event;
	struct lane *l = find_lane(r, e->track_uuid);

	assert_non_null(l);
	if (e->type == 2)
		return end_slice(l, h, out);
	fprintf(out, "%" PRIu64 " %s: ", h->ts_ns, l->name);
	if (e->type == 4) {
		fprintf(out, "%" PRId64 "\n", e->counter_value);
		return 0;
	}
	assert_true(e->type == 1 || e->type == 3);
	fputs(h->name, out);
	for (size_t i = 0; i < e->n_flow_ids; i++)
		fprintf(out, " -> %" PRIu64, e->flow_ids[i]);
	for (size_t i = 0; i < e->n_terminating_flow_ids; i++)
		fprintf(out, " <- %" PRIu64, e->terminating_flow_ids[i]);
	for (size_t i = 0; i < e->n_debug_annotations; i++)
		fprintf(out, " %s=%s", e->debug_annotations[i]->name,
			e->debug_annotations[i]->string_value);
	fputc('\n', out);
	if (e->type == 3)
		return 0;
	assert_int_equal(vec_reserve(&l->open, &l->cap, l->n_open + 1), 0);
	l->open[l->n_open].ts_ns = h->ts_ns;
	l->open[l->n_open].below_ns = 0;
	l->open[l->n_open++].name = h->name;
	return 0;
}

uint64_t fixture_read_perfetto(const char *data, size_t n, FILE *out)
{
	Perfetto__Trace *t = perfetto__trace__unpack(NULL, n, (const uint8_t *)data);
	struct reading r = { 0 };
	uint64_t self_ns = 0;

	assert_non_null(t);
	assert_true(t->n_packet && t->packet[0]->first_packet_on_sequence);
	for (size_t i = 0; i < t->n_packet; i++)
		take(&r, t->packet[i], out);
	qsort(r.list, r.n, sizeof(*r.list), by_time);
	for (size_t i = 0; i < r.n; i++)
		self_ns += show(&r, &r.list[i], out);
	for (size_t i = 0; i < r.n_lanes; i++) {
		assert_int_equal(r.lanes[i].n_open, 0);
		free(r.lanes[i].name);
		free(r.lanes[i].open);
	}
	hash_index_free(&r.index);
	free(r.lanes);
	free(r.names);
	free(r.list);
	perfetto__trace__free_unpacked(t, NULL);
	return self_ns;
}

void fixture_print_perfetto(const char *data, size_t n, FILE *out)
{
	fixture_read_perfetto(data, n, out);
}
