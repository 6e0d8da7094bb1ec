// SPDX-License-Identifier: BSD-2-Clause
/*
 * A Perfetto trace (perfetto.proto), written while the trace is read: a track a
 * goroutine below the process, a slice a call. One packet sequence: what calls
 * are named is written once, times are differences from the packet before.
 *
 * Goroutines are no threads here: a thread's track would be merged with what
 * the scheduler did with it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "analysis/stat_columns.h"
#include "analysis/trace_names.h"
#include "analysis/calls/value_text.h"
#include "base/utf8.h"
#include "base/log.h"
#include "base/outfile.h"
#include "export/export_formats.h"
#include "export/perfetto/perfetto.h"
#include "trace/samples.h"

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
	perfetto_event(p, t, &event, c->start_ns, (uint64_t)c->func + 1,
		       first ? trace_name_func(p->trace->info, c->func) : NULL);
	t->flow = 0;
	if (!c->level && !t->key.system)
		perfetto_in_call(p, c->start_ns, 1);
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

/* Arguments and results become annotations of the slice. */
struct notes {
	Perfetto__TrackEvent *event;
	Perfetto__DebugAnnotation note[2 * VALUES_MAX];
	char *names[2 * VALUES_MAX], *texts[2 * VALUES_MAX];
	size_t n;
	bool oom;
};

static char *text_of(const struct trace_value *v)
{
	char *text = NULL;
	size_t size;
	FILE *mem = open_memstream(&text, &size);

	if (!mem)
		return NULL;
	trace_value_plain(mem, v);
	fclose(mem);
	char *clean = utf8_copy(text);

	free(text);
	return clean;
}

static void note_value(void *ctx, const struct trace_value_def *d, const struct trace_value *v)
{
	struct notes *n = ctx;
	Perfetto__DebugAnnotation *a = &n->note[n->n];

	if (n->n == 2 * VALUES_MAX || n->oom)
		return;
	n->texts[n->n] = NULL;
	if (asprintf(&n->names[n->n], "%s%s", d->result ? "ret." : "", d->name) < 0) {
		n->oom = true;
		return;
	}
	annotate(n->event, a, n->names[n->n]);
	if (!v->how && v->type == TRACE_VALUE_INT) {
		a->has_int_value = true;
		a->int_value = v->v.i;
	} else if (!v->how && v->type == TRACE_VALUE_FLOAT) {
		a->has_double_value = true;
		a->double_value = v->v.f;
	} else if (!v->how && v->type == TRACE_VALUE_BOOL) {
		a->has_bool_value = true;
		a->bool_value = v->v.u;
	} else if (!v->how && (v->type == TRACE_VALUE_UINT || v->type == TRACE_VALUE_LENGTH)) {
		a->has_uint_value = true;
		a->uint_value = v->v.u;
	} else {
		a->string_value = n->texts[n->n] = text_of(v);
		n->oom = !a->string_value;
	}
	n->n++;
}

static void put_end(struct perfetto *p, struct track *t, const struct call *c)
{
	Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;
	Perfetto__DebugAnnotation notes[3], *list[3 + 2 * VALUES_MAX];
	struct notes values; /* not all of it is set for each slice */
	uint64_t dur_ns = c->end_ns - c->start_ns,
		 below_ns = c->level < t->cap ? t->below_ns[c->level] : 0;

	values.event = &event;
	values.n = 0;
	values.oom = false;
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
	/* Prologues of what it called were stopped: that time is no function's self time, and no
	 * slice shows it. */
	if (dur_ns > below_ns + c->self_ns) {
		annotate(&event, &notes[2], "stopped_ns");
		notes[2].has_uint_value = true;
		notes[2].uint_value = dur_ns - below_ns - c->self_ns;
	}
	if (c->values)
		call_values_each(p->trace->info, c->values, note_value, &values);
	if (values.oom)
		p->watch.err = -ENOMEM;
	perfetto_event(p, t, &event, c->end_ns, 0, NULL);
	if (!c->level && !t->key.system)
		perfetto_in_call(p, c->end_ns, -1);
	for (size_t i = 0; i < values.n; i++) {
		free(values.names[i]);
		free(values.texts[i]);
	}
	if (c->level && c->level - 1 < t->cap)
		t->below_ns[c->level - 1] += dur_ns;
}

static struct track *track_of(struct perfetto *p, const struct call *c)
{
	struct track *t = p->watch.err
				  ? NULL
				  : tracks_get(&p->tracks,
					       (struct track_key){ c->system ? c->tid : c->goid,
								   c->image, c->system });

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
	perfetto_begin(p, c->start_ns);
	/* (Its values are put at its end, from what on_call has.) */
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

	/* One that it woke may be told of later. */
	if (!p->trace->totals->states)
		tracks_drop(&p->tracks, (struct track_key){ g->goid, g->image, g->system });
}

/* ---- go statements and losses */

/* A goroutine of the image that runs now. */
static struct track *goroutine(struct perfetto *p, uint64_t goid)
{
	uint64_t images = p->trace->totals->images;
	struct track *t = tracks_get(
		&p->tracks, (struct track_key){ goid, images ? (uint32_t)images - 1 : 0, false });

	if (!t)
		p->watch.err = -ENOMEM;
	return t;
}

/* An instant where the go statement is, from which an arrow leads to the goroutine's first call. */
static void put_go(struct perfetto *p, const struct event_ext *ev)
{
	Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;
	struct track *by = ev->h.goid ? goroutine(p, ev->h.goid) : NULL;
	char name[512];
	bool fresh;

	if (by) {
		const uint64_t iid = perfetto_name(p, ev->arg[2], &fresh);

		release(p, by, UINT32_MAX); /* it runs */
		p->n_flows++;
		event.type = INSTANT;
		event.n_flow_ids = 1;
		event.flow_ids = &p->n_flows;
		snprintf(name, sizeof(name), "go %s", trace_name_at(p->trace->info, ev->arg[2]));
		if (name[3] == '\0')
			name[2] = '\0';
		if (iid)
			perfetto_event(p, by, &event, ev->h.ts_ns, iid, fresh ? name : NULL);
	}
	struct track *child = goroutine(p, ev->arg[0]);

	if (!child)
		return;
	child->start_pc = ev->arg[2];
	child->flow = by ? p->n_flows : 0;
}

static void on_event(void *ctx, const struct event_ext *ev)
{
	struct perfetto *p = ctx;

	if (p->watch.err || (ev->h.kind != EV_CREATE && ev->h.kind != EV_LOSS))
		return;
	perfetto_begin(p, ev->h.ts_ns);
	if (ev->h.kind == EV_CREATE) {
		put_go(p, ev);
	} else {
		p->lost += ev->arg[1];
		perfetto_lost(p, ev->h.ts_ns);
	}
}

static void on_state(void *ctx, const struct state_span *s)
{
	struct perfetto *p = ctx;

	if (p->watch.err)
		return;
	perfetto_begin(p, p->trace->totals->first_ns);
	perfetto_state(p, s);
}

static bool has_morestack_sites(const struct trace_info *info)
{
	for (size_t i = 0; i < info->n_sites; i++)
		if (info->sites[i].kind == EV_MORESTACK)
			return true;
	return false;
}

int export_perfetto(struct trace_reader *const *r, size_t n, const struct export_options *opt,
		    FILE *out)
{
	const struct trace_info *info = trace_reader_info(r[0]);
	struct loaded_trace trace = { .info = info };
	struct perfetto p = {
		.trace = &trace,
		.out = out,
		.hold = has_morestack_sites(info),
		.named = calloc(info->n_funcs + 1, sizeof(*p.named)),
		.watch = { .calls = CALLS_SOME,
			   .on_entry = on_entry,
			   .on_call = on_call,
			   .on_goroutine = on_goroutine,
			   .on_state = on_state,
			   .on_event = on_event,
			   .ctx = &p },
	};

	if (trace_is_samples(info)) {
		free(p.named);
		return perfetto_samples(r[0], opt, out);
	}
	int err = p.named ? trace_load(&trace, r[0], opt->view, &p.watch) : -ENOMEM;

	(void)n;
	if (!err) {
		perfetto_begin(&p, trace.totals->first_ns); /* when nothing was */
		perfetto_in_calls_end(&p);
		err = p.watch.err;
	}
	if (err == -ENOMEM)
		log_no_memory("no memory for the goroutines' tracks");
	err = outfile_end(out, err);
	hash_index_free(&p.key_index);
	free(p.keys);
	tracks_free(&p.tracks);
	protoout_free(&p.packed);
	free(p.named);
	trace_unload(&trace);
	return err;
}
