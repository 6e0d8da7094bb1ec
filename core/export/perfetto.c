// SPDX-License-Identifier: BSD-2-Clause
/*
 * A Perfetto trace (perfetto.proto), written while the trace is read: a track a
 * goroutine below the process, a slice a call. One packet sequence: what calls
 * are named is told once, times are differences from the packet before.
 *
 * Goroutines are no threads here: a thread's track would be merged with what
 * the scheduler did with it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/log.h"
#include "base/utf8.h"
#include "export/exports.h"
#include "export/protoout.h"
#include "export/tracks.h"
#include "perfetto.pb-c.h"

/* Numbers of Perfetto's. */
#define CLOCK_ID_REALTIME  1u
#define CLOCK_ID_MONOTONIC 3u
#define CLOCK_ID_DELTA     64u
#define STATE_CLEARED      1u
#define STATE_NEEDED       2u
#define EXPLICIT_ORDER     3u
#define UNIT_COUNT         2u
enum { SLICE_BEGIN = 1, SLICE_END, INSTANT, COUNTER };

/* Of tracks; those of goroutines and threads are small too, being written with each slice. */
#define PROCESS_UUID  1u
#define LOSSES_UUID   2u
#define TRACK_UUID(t) (4 + 2 * (t)->key.id + (t)->key.system)

/* A name that stands for an iid: of a function by index, then those of go statements. */
struct go_name {
	uint64_t start_pc, iid;
	UT_hash_handle hh;
};

struct perfetto {
	const struct report *rep;
	FILE *out;
	struct protoout packed;
	struct tracks tracks;
	bool *named;            /* functions whose name was told */
	struct go_name *go_names;
	uint64_t n_go_names, n_flows, lost;
	uint64_t last_ns;       /* of the delta clock */
	bool begun;             /* the first packet is written */
	bool hold;              /* prologues may be stopped after the entry (--probe=thesis) */
	struct export_watch watch;
};

/* ---- packets */

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

/* A packet's time: on the delta clock, or, when that would run backwards, on the one of the events. */
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

static void describe(struct perfetto *p, Perfetto__TrackDescriptor *track, uint64_t uuid, const char *name)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	char *clean = utf8_copy(name);

	if (!clean)
		p->watch.err = -ENOMEM;
	track->has_uuid = true;
	track->uuid = uuid;
	track->name = clean;
	if (uuid != PROCESS_UUID) {
		track->has_parent_uuid = true;
		track->parent_uuid = PROCESS_UUID;
	}
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
	uint64_t real_ns = trace_info_u64(p->rep->info, "clock.realtime_ns", 0);
	uint64_t then_ns = trace_info_u64(p->rep->info, "clock.monotonic_ns", 0);
	const struct { uint32_t id; uint64_t ns; } now[3] = {
		{ CLOCK_ID_MONOTONIC, ts_ns }, { CLOCK_ID_DELTA, ts_ns }, { CLOCK_ID_REALTIME, real_ns + (ts_ns - then_ns) },
	};

	for (int i = 0; i < 3; i++) {
		perfetto__clock_snapshot__clock__init(&clocks[i]);
		clocks[i].has_clock_id = clocks[i].has_timestamp = true;
		clocks[i].clock_id = now[i].id;
		clocks[i].timestamp = now[i].ns;
		clocks[i].has_is_incremental = clocks[i].is_incremental = now[i].id == CLOCK_ID_DELTA;
		list[i] = &clocks[i];
	}
	snapshot.n_clocks = real_ns ? 3 : 2;
	snapshot.clocks = list;
	snapshot.has_primary_trace_clock = true;
	snapshot.primary_trace_clock = CLOCK_ID_MONOTONIC;
	defaults.has_timestamp_clock_id = true;
	defaults.timestamp_clock_id = CLOCK_ID_DELTA;
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

/* How many events were lost up to ts_ns. */
static void put_lost(struct perfetto *p, uint64_t ts_ns)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;

	event.has_type = event.has_track_uuid = event.has_counter_value = true;
	event.type = COUNTER;
	event.track_uuid = LOSSES_UUID;
	event.counter_value = (int64_t)p->lost;
	packet.track_event = &event;
	set_time(p, &packet, ts_ns);
	put(p, &packet);
}

/* What stands before all: clocks, the process, the counter of losses. */
static void begin(struct perfetto *p, uint64_t ts_ns)
{
	Perfetto__TrackDescriptor process = PERFETTO__TRACK_DESCRIPTOR__INIT, losses = PERFETTO__TRACK_DESCRIPTOR__INIT;
	Perfetto__ProcessDescriptor what = PERFETTO__PROCESS_DESCRIPTOR__INIT;
	Perfetto__CounterDescriptor counter = PERFETTO__COUNTER_DESCRIPTOR__INIT;
	const char *command = trace_info_get(p->rep->info, "command");
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
	what.pid = (int32_t)trace_info_u64(p->rep->info, "pid", 1);
	what.process_name = name;
	process.process = &what;
	process.has_child_ordering = true;
	process.child_ordering = EXPLICIT_ORDER;
	describe(p, &process, PROCESS_UUID, name);
	counter.has_unit = true;
	counter.unit = UNIT_COUNT;
	losses.counter = &counter;
	describe(p, &losses, LOSSES_UUID, "lost events");
	put_lost(p, ts_ns);
	free(name);
}

/* ---- tracks and names */

static void describe_track(struct perfetto *p, struct track *t)
{
	Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;
	const struct goroutine_info g = { .goid = t->key.id, .system = t->key.system, .start_pc = t->start_pc };
	char name[512];

	if (t->described)
		return;
	t->described = true;
	if (t->key.system)
		snprintf(name, sizeof(name), "system stack of thread %" PRIu64, t->key.id);
	else
		snprintf(name, sizeof(name), "goroutine %" PRIu64 " %s", t->key.id, report_start_func(p->rep, &g));
	if (name[strlen(name) - 1] == ' ')
		name[strlen(name) - 1] = '\0';
	track.has_sibling_order_rank = true;
	track.sibling_order_rank = t->key.system || t->key.id > INT32_MAX ? INT32_MAX : (int32_t)t->key.id;
	describe(p, &track, TRACK_UUID(t), name);
}

/* An event on the track; name NULL: iid's was told before, or the event has none (iid 0). */
static void put_event(struct perfetto *p, struct track *t, Perfetto__TrackEvent *event, uint64_t ts_ns, uint64_t iid,
		      const char *name)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
	Perfetto__EventName told = PERFETTO__EVENT_NAME__INIT, *list[] = { &told };

	describe_track(p, t);
	event->has_type = event->has_track_uuid = true;
	event->track_uuid = TRACK_UUID(t);
	event->has_name_iid = iid;
	event->name_iid = iid;
	if (name) {
		told.has_iid = true;
		told.iid = iid;
		told.name = utf8_copy(name);
		if (!told.name)
			p->watch.err = -ENOMEM;
		data.n_event_names = 1;
		data.event_names = list;
		packet.interned_data = &data;
	}
	packet.track_event = event;
	set_time(p, &packet, ts_ns);
	put(p, &packet);
	if (name)
		free(told.name);
}

/* ---- calls */

static void put_begin(struct perfetto *p, struct track *t, const struct call *c)
{
	Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;
	bool first = !p->named[c->func];

	event.type = SLICE_BEGIN;
	if (t->flow) {
		event.n_terminating_flow_ids = 1;
		event.terminating_flow_ids = &t->flow;
	}
	p->named[c->func] = true;
	put_event(p, t, &event, c->start_ns, (uint64_t)c->func + 1, first ? report_name(p->rep, c->func) : NULL);
	t->flow = 0;
	if (!p->watch.err)
		p->watch.err = track_reserve(t, c->level);
	if (!p->watch.err)
		t->below_ns[c->level] = 0;
}

/* Writes the call that was held back unless the one at `level` shows that it never was one. */
static void release(struct perfetto *p, struct track *t, uint32_t level)
{
	if (t->held && level > t->call.level)
		put_begin(p, t, &t->call);
	t->held = false;
}

static void annotate(Perfetto__TrackEvent *event, Perfetto__DebugAnnotation *a, const char *name)
{
	perfetto__debug_annotation__init(a);
	a->name = (char *)(uintptr_t)name;
	event->debug_annotations[event->n_debug_annotations++] = a;
}

static void put_end(struct perfetto *p, struct track *t, const struct call *c)
{
	Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;
	Perfetto__DebugAnnotation notes[3], *list[3];
	uint64_t dur_ns = c->end_ns - c->start_ns, below_ns = c->level < t->cap ? t->below_ns[c->level] : 0;

	event.type = SLICE_END;
	event.debug_annotations = list;
	if (c->end != CALL_FINISHED) {
		annotate(&event, &notes[0], "outcome");
		notes[0].string_value = (char *)(uintptr_t)call_end_name(c->end);
	}
	if (c->suspect) {
		annotate(&event, &notes[1], "suspect");
		notes[1].has_bool_value = notes[1].bool_value = true;
	}
	/* Prologues of what it called were stopped: that time is nobody's self, and no slice shows it. */
	if (dur_ns > below_ns + c->self_ns) {
		annotate(&event, &notes[2], "stopped_ns");
		notes[2].has_uint_value = true;
		notes[2].uint_value = dur_ns - below_ns - c->self_ns;
	}
	put_event(p, t, &event, c->end_ns, 0, NULL);
	if (c->level && c->level - 1 < t->cap)
		t->below_ns[c->level - 1] += dur_ns;
}

static struct track *track_of(struct perfetto *p, const struct call *c)
{
	struct track *t = p->watch.err ? NULL : tracks_get(&p->tracks, c->system ? c->tid : c->goid, c->system);

	if (!t && !p->watch.err)
		p->watch.err = -ENOMEM;
	return t;
}

static void on_entry(void *ctx, const struct call *c)
{
	struct perfetto *p = ctx;
	struct track *t = track_of(p, c);

	if (!t)
		return;
	begin(p, c->start_ns);
	if (t->held && t->call.order == c->order)
		t->call = *c; /* it was stopped, now it begins */
	else
		release(p, t, c->level);
	if (!p->hold) {
		put_begin(p, t, c);
	} else {
		t->held = true;
		t->call = *c;
	}
}

static void on_call(void *ctx, const struct call *c)
{
	struct perfetto *p = ctx;
	struct track *t = track_of(p, c);

	if (!t)
		return;
	if (t->held && t->call.order == c->order)
		put_begin(p, t, c);
	t->held = false;
	put_end(p, t, c);
}

static void on_goroutine(void *ctx, const struct goroutine_info *g)
{
	struct perfetto *p = ctx;

	tracks_drop(&p->tracks, g->goid, g->system);
}

/* ---- go statements and losses */

static struct go_name *go_name(struct perfetto *p, uint64_t start_pc, bool *fresh)
{
	struct go_name *n;

	HASH_FIND(hh, p->go_names, &start_pc, sizeof(start_pc), n);
	*fresh = !n;
	if (n)
		return n;
	n = calloc(1, sizeof(*n));
	if (!n) {
		p->watch.err = -ENOMEM;
		return NULL;
	}
	n->start_pc = start_pc;
	n->iid = p->rep->info->n_funcs + 1 + p->n_go_names++;
	HASH_ADD(hh, p->go_names, start_pc, sizeof(n->start_pc), n);
	return n;
}

/* An instant where the go statement is, from which an arrow leads to the goroutine's first call. */
static void put_go(struct perfetto *p, const struct event_ext *ev)
{
	Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;
	struct track *by = ev->h.goid ? tracks_get(&p->tracks, ev->h.goid, false) : NULL;
	char name[512];
	bool fresh;

	if (ev->h.goid && !by)
		p->watch.err = -ENOMEM;
	if (by) {
		struct go_name *n = go_name(p, ev->arg[2], &fresh);

		release(p, by, UINT32_MAX); /* it runs */
		p->n_flows++;
		event.type = INSTANT;
		event.n_flow_ids = 1;
		event.flow_ids = &p->n_flows;
		snprintf(name, sizeof(name), "go %s", report_pc_func(p->rep, ev->arg[2]));
		if (name[3] == '\0')
			name[2] = '\0';
		if (n)
			put_event(p, by, &event, ev->h.ts_ns, n->iid, fresh ? name : NULL);
	}
	struct track *child = tracks_get(&p->tracks, ev->arg[0], false);

	if (!child) {
		p->watch.err = -ENOMEM;
		return;
	}
	child->start_pc = ev->arg[2];
	child->flow = by ? p->n_flows : 0;
}

static void on_event(void *ctx, const struct event_ext *ev)
{
	struct perfetto *p = ctx;

	if (p->watch.err || (ev->h.kind != EV_CREATE && ev->h.kind != EV_LOSS))
		return;
	begin(p, ev->h.ts_ns);
	if (ev->h.kind == EV_CREATE) {
		put_go(p, ev);
	} else {
		p->lost += ev->arg[1];
		put_lost(p, ev->h.ts_ns);
	}
}

static bool has_morestack_sites(const struct trace_info *info)
{
	for (size_t i = 0; i < info->n_sites; i++)
		if (info->sites[i].kind == EV_MORESTACK)
			return true;
	return false;
}

int export_perfetto(struct trace_reader *const *r, size_t n, const struct export_options *opt, FILE *out)
{
	const struct trace_info *info = trace_reader_info(r[0]);
	struct report rep = { .file.fd = -1, .info = info };
	struct perfetto p = {
		.rep = &rep, .out = out, .hold = has_morestack_sites(info),
		.named = calloc(info->n_funcs + 1, sizeof(*p.named)),
		.watch = { .on_entry = on_entry, .on_call = on_call, .on_goroutine = on_goroutine, .on_event = on_event,
			   .ctx = &p },
	};
	struct go_name *name, *next;
	int err = p.named ? export_read(&rep, r[0], &p.watch) : -ENOMEM;

	(void)n;
	(void)opt;
	if (!err) {
		begin(&p, rep.totals->first_ns); /* when nothing was */
		err = p.watch.err;
	}
	if (err == -ENOMEM)
		log_error("no memory for the goroutines' tracks");
	if (!err || ferror(out)) {
		int written = report_written(out);

		err = err ? err : written;
	}
	HASH_ITER(hh, p.go_names, name, next) {
		HASH_DEL(p.go_names, name);
		free(name);
	}
	tracks_free(&p.tracks);
	protoout_free(&p.packed);
	free(p.named);
	report_free(&rep);
	return err;
}
