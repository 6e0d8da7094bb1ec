// SPDX-License-Identifier: BSD-2-Clause
/* Packets of a Perfetto trace: their clock, tracks and names. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "base/vec.h"
#include "analysis/trace_names.h"
#include "export/perfetto/perfetto.h"
#include "trace/keys.h"

/* Numbers of Perfetto's. */
#define CLOCK_ID_REALTIME  1u
#define CLOCK_ID_MONOTONIC 3u
#define CLOCK_ID_DELTA     64u
#define STATE_CLEARED      1u
#define STATE_NEEDED       2u
#define EXPLICIT_ORDER     3u
#define UNIT_COUNT         2u

/* Of tracks; those of goroutines and threads are small too, being written with each slice. */
#define PROCESS_UUID  1u
#define LOSSES_UUID   2u
#define IN_CALLS_UUID 3u
#define TRACK_UUID(t) (IMAGE_UUID((t)->key.image) + 3 + 2 * (t)->key.id + (t)->key.system)
/* Of a goroutine's states, below its own. */
#define STATES_UUID(t) (TRACK_UUID(t) | 1ull << 62)
/* Of the tracks' parent: the process, or for a later image a group of its tracks. */
#define IMAGE_UUID(image) ((uint64_t)(image) << 40 | PROCESS_UUID)

static void put(struct perfetto *p, Perfetto__TracePacket *packet)
{
	Perfetto__Trace part = PERFETTO__TRACE__INIT;

	if (p->watch.err)
		return;
	packet->has_trusted_packet_sequence_id = true;
	packet->trusted_packet_sequence_id = 1;
	part.n_packet = 1;
	part.packet = &packet;
	p->watch.err = protoout_pack(&p->packed, &part.base);
	if (!p->watch.err && fwrite(p->packed.data, 1, p->packed.n, p->out) != p->packed.n)
		p->watch.err = -EIO; /* said where out is checked */
}

/* A packet's time: on the delta clock, or, when that would run backwards, on the one of the events.
 */
static void set_time(struct perfetto *p, Perfetto__TracePacket *packet, uint64_t ts_ns)
{
	packet->has_sequence_flags = true;
	packet->sequence_flags = STATE_NEEDED;
	packet->has_timestamp = true;
	if (ts_ns >= p->last_ns) {
		packet->timestamp = ts_ns - p->last_ns;
		p->last_ns = ts_ns;
		return;
	}
	packet->timestamp = ts_ns;
	packet->has_timestamp_clock_id = true;
	packet->timestamp_clock_id = CLOCK_ID_MONOTONIC;
}

static void describe(struct perfetto *p, Perfetto__TrackDescriptor *track, uint64_t uuid,
		     uint64_t parent_uuid, const char *name)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	char *clean = utf8_copy(name);

	if (!clean)
		p->watch.err = -ENOMEM;
	track->has_uuid = true;
	track->uuid = uuid;
	track->name = clean;
	track->has_parent_uuid = uuid != PROCESS_UUID;
	track->parent_uuid = parent_uuid;
	packet.track_descriptor = track;
	put(p, &packet);
	free(clean);
}

static void put_clocks(struct perfetto *p, uint64_t ts_ns)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	Perfetto__TracePacketDefaults defaults = PERFETTO__TRACE_PACKET_DEFAULTS__INIT;
	Perfetto__ClockSnapshot snapshot = PERFETTO__CLOCK_SNAPSHOT__INIT;
	Perfetto__ClockSnapshot__Clock clocks[3], *list[3];
	uint64_t real_ns = trace_info_u64(p->trace->info, KEY_CLOCK_REALTIME_NS, 0);
	uint64_t then_ns = trace_info_u64(p->trace->info, KEY_CLOCK_MONOTONIC_NS, 0);
	const struct {
		uint32_t id;
		uint64_t ns;
	} now[3] = {
		{ CLOCK_ID_MONOTONIC, ts_ns },
		{ CLOCK_ID_DELTA, ts_ns },
		{ CLOCK_ID_REALTIME, real_ns + (ts_ns - then_ns) },
	};

	for (int i = 0; i < 3; i++) {
		perfetto__clock_snapshot__clock__init(&clocks[i]);
		clocks[i].has_clock_id = clocks[i].has_timestamp = true;
		clocks[i].clock_id = now[i].id;
		clocks[i].timestamp = now[i].ns;
		clocks[i].has_is_incremental = clocks[i].is_incremental = now[i].id ==
									  CLOCK_ID_DELTA;
		list[i] = &clocks[i];
	}
	snapshot.n_clocks = real_ns ? 3 : 2;
	snapshot.clocks = list;
	snapshot.has_primary_trace_clock = true;
	snapshot.primary_trace_clock = CLOCK_ID_MONOTONIC;
	defaults.has_timestamp_clock_id = true;
	defaults.timestamp_clock_id = CLOCK_ID_DELTA;
	defaults.perf_sample_defaults = p->samples;
	packet.clock_snapshot = &snapshot;
	packet.trace_packet_defaults = &defaults;
	packet.has_timestamp = packet.has_timestamp_clock_id = true;
	packet.timestamp = ts_ns;
	packet.timestamp_clock_id = CLOCK_ID_MONOTONIC;
	packet.has_sequence_flags = true;
	packet.sequence_flags = STATE_CLEARED;
	packet.has_first_packet_on_sequence = packet.first_packet_on_sequence = true;
	put(p, &packet);
}

static void put_count(struct perfetto *p, uint64_t uuid, uint64_t value, uint64_t ts_ns)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;

	event.has_type = event.has_track_uuid = event.has_counter_value = true;
	event.type = COUNTER;
	event.track_uuid = uuid;
	event.counter_value = (int64_t)value;
	packet.track_event = &event;
	set_time(p, &packet, ts_ns);
	put(p, &packet);
}

void perfetto_lost(struct perfetto *p, uint64_t ts_ns)
{
	put_count(p, LOSSES_UUID, p->lost, ts_ns);
}

/* Changes that follow each other faster are not all written; a value that lasts longer is, from
 * when it began. */
#define BURST_NS 1000000

void perfetto_in_calls_end(struct perfetto *p)
{
	if (p->held_ns)
		put_count(p, IN_CALLS_UUID, p->in_calls, p->held_ns);
	p->held_ns = 0;
}

void perfetto_in_call(struct perfetto *p, uint64_t ts_ns, int change)
{
	if (p->held_ns && ts_ns >= p->held_ns + BURST_NS)
		perfetto_in_calls_end(p);
	p->in_calls += (uint64_t)(int64_t)change;
	if (p->in_calls_ns && ts_ns < p->in_calls_ns + BURST_NS) {
		p->held_ns = ts_ns;
		return;
	}
	put_count(p, IN_CALLS_UUID, p->in_calls, ts_ns);
	p->in_calls_ns = ts_ns;
	p->held_ns = 0;
}

void perfetto_begin(struct perfetto *p, uint64_t ts_ns)
{
	Perfetto__TrackDescriptor process = PERFETTO__TRACK_DESCRIPTOR__INIT,
				  losses = PERFETTO__TRACK_DESCRIPTOR__INIT,
				  in_calls = PERFETTO__TRACK_DESCRIPTOR__INIT;
	Perfetto__ProcessDescriptor what = PERFETTO__PROCESS_DESCRIPTOR__INIT;
	Perfetto__CounterDescriptor counter = PERFETTO__COUNTER_DESCRIPTOR__INIT;
	const char *command = trace_info_get(p->trace->info, KEY_COMMAND);
	char *name = utf8_copy(command ? command : "Go program");

	if (p->begun || !name) {
		p->watch.err = name ? p->watch.err : -ENOMEM;
		free(name);
		return;
	}
	p->begun = true;
	p->last_ns = ts_ns;
	put_clocks(p, ts_ns);
	what.has_pid = true;
	what.pid = (int32_t)trace_info_u64(p->trace->info, KEY_PID, 1);
	what.process_name = name;
	process.process = &what;
	process.has_child_ordering = true;
	process.child_ordering = EXPLICIT_ORDER;
	describe(p, &process, PROCESS_UUID, 0, name);
	counter.has_unit = true;
	counter.unit = UNIT_COUNT;
	losses.counter = &counter;
	describe(p, &losses, LOSSES_UUID, PROCESS_UUID,
		 p->samples ? "lost samples" : "lost events");
	perfetto_lost(p, ts_ns);
	in_calls.counter = &counter;
	if (!p->samples)
		describe(p, &in_calls, IN_CALLS_UUID, PROCESS_UUID, "goroutines in calls");
	free(name);
}

/* Goids start over with each image. */
static void describe_image(struct perfetto *p, uint32_t image)
{
	Perfetto__TrackDescriptor group = PERFETTO__TRACK_DESCRIPTOR__INIT;
	char name[64];

	if (image <= p->image)
		return;
	p->image = image;
	snprintf(name, sizeof(name), "image %u: the process executed itself again", image + 1);
	group.has_child_ordering = group.has_sibling_order_rank = true;
	group.child_ordering = EXPLICIT_ORDER;
	group.sibling_order_rank = INT32_MAX;
	describe(p, &group, IMAGE_UUID(image), PROCESS_UUID, name);
}

static void describe_track(struct perfetto *p, struct track *t)
{
	Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;
	const struct goroutine_info g = { .goid = t->key.id,
					  .system = t->key.system,
					  .start_pc = t->start_pc };
	char name[512];

	if (t->described)
		return;
	t->described = true;
	describe_image(p, t->key.image);
	if (t->key.system)
		snprintf(name, sizeof(name), "system stack of thread %" PRIu64, t->key.id);
	else
		snprintf(name, sizeof(name), "goroutine %" PRIu64 " %s", t->key.id,
			 trace_name_start(p->trace->info, &g));
	if (name[strlen(name) - 1] == ' ')
		name[strlen(name) - 1] = '\0';
	track.has_sibling_order_rank = true;
	track.sibling_order_rank = t->key.system || t->key.id > INT32_MAX ? INT32_MAX
									  : (int32_t)t->key.id;
	describe(p, &track, TRACK_UUID(t), IMAGE_UUID(t->key.image), name);
}

static void describe_states(struct perfetto *p, struct track *t)
{
	Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;

	describe_track(p, t);
	if (!t->states_described)
		describe(p, &track, STATES_UUID(t), TRACK_UUID(t), "states");
	t->states_described = true;
}

/* Of a function's slice; NULL: it is none, or its file is not known. */
static const struct trace_func *function_of(const struct perfetto *p, uint64_t iid)
{
	const struct trace_info *info = p->trace->info;

	return iid && iid <= info->n_funcs && info->funcs[iid - 1].file ? &info->funcs[iid - 1]
									: NULL;
}

static void put_event(struct perfetto *p, uint64_t uuid, Perfetto__TrackEvent *event,
		      uint64_t ts_ns, uint64_t iid, const char *name)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
	Perfetto__EventName fresh = PERFETTO__EVENT_NAME__INIT, *list[] = { &fresh };
	Perfetto__SourceLocation place = PERFETTO__SOURCE_LOCATION__INIT, *places[] = { &place };
	const struct trace_func *f = function_of(p, iid);

	event->has_source_location_iid = f && event->type == SLICE_BEGIN;
	event->source_location_iid = iid;
	event->has_type = event->has_track_uuid = true;
	event->track_uuid = uuid;
	event->has_name_iid = iid;
	event->name_iid = iid;
	if (name) {
		fresh.has_iid = true;
		fresh.iid = iid;
		fresh.name = utf8_copy(name);
		if (!fresh.name)
			p->watch.err = -ENOMEM;
		data.n_event_names = 1;
		data.event_names = list;
		packet.interned_data = &data;
	}
	if (name && f) {
		place.has_iid = place.has_line_number = true;
		place.iid = iid;
		place.file_name = utf8_copy(f->file);
		place.function_name = fresh.name;
		place.line_number = f->line;
		if (!place.file_name)
			p->watch.err = -ENOMEM;
		data.n_source_locations = 1;
		data.source_locations = places;
	}
	packet.track_event = event;
	set_time(p, &packet, ts_ns);
	put(p, &packet);
	if (name)
		free(fresh.name);
	if (name && f)
		free(place.file_name);
}

void perfetto_event(struct perfetto *p, struct track *t, Perfetto__TrackEvent *event,
		    uint64_t ts_ns, uint64_t iid, const char *name)
{
	describe_track(p, t);
	put_event(p, TRACK_UUID(t), event, ts_ns, iid, name);
}

void perfetto_sample(struct perfetto *p, Perfetto__PerfSample *sample, uint64_t ts_ns,
		     Perfetto__InternedData *data)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

	packet.perf_sample = sample;
	packet.interned_data = data;
	set_time(p, &packet, ts_ns);
	put(p, &packet);
}

void perfetto_state_event(struct perfetto *p, struct track *t, Perfetto__TrackEvent *event,
			  uint64_t ts_ns, uint64_t iid, const char *name)
{
	describe_states(p, t);
	put_event(p, STATES_UUID(t), event, ts_ns, iid, name);
}

uint64_t perfetto_name(struct perfetto *p, uint64_t key, bool *fresh)
{
	const uint64_t first = p->trace->info->n_funcs + 1;
	const uint32_t hash = hash_u64(key);
	size_t at;

	*fresh = false;
	for (uint32_t i = hash_index_first(&p->key_index, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&p->key_index, hash, &at))
		if (p->keys[i] == key)
			return first + i;
	if (vec_reserve(&p->keys, &p->cap_keys, p->n_keys + 1) ||
	    hash_index_put(&p->key_index, hash, (uint32_t)p->n_keys)) {
		p->watch.err = -ENOMEM;
		return 0;
	}
	*fresh = true;
	p->keys[p->n_keys] = key;
	return first + p->n_keys++;
}
