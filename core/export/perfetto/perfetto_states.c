// SPDX-License-Identifier: BSD-2-Clause
/* States of goroutines as slices of a track each. They are told as they end, so that their packets
 * step back in time. */
#include <errno.h>
#include <stdlib.h>

#include "analysis/calls/wait_rows.h"
#include "analysis/calls/wakers.h"
#include "base/utf8.h"
#include "export/perfetto/perfetto.h"

/* An instant on the states of who woke it; the arrow from there, 0: there is none. */
static uint64_t put_wake(struct perfetto *p, const struct state_span *s)
{
	Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;
	bool fresh;
	struct track *by = tracks_get(&p->tracks, (struct track_key){ s->by, s->image, false });
	const uint64_t iid = by ? perfetto_name(p, STATE_KEY(STATE_MAX + 1, 0), &fresh) : 0;

	if (!iid) {
		p->watch.err = -ENOMEM;
		return 0;
	}
	p->n_flows++;
	event.type = INSTANT;
	event.n_flow_ids = 1;
	event.flow_ids = &p->n_flows;
	perfetto_state_event(p, by, &event, s->from_ns, iid, fresh ? "wakes" : NULL);
	return p->n_flows;
}

void perfetto_state(struct perfetto *p, const struct state_span *s)
{
	Perfetto__TrackEvent begin = PERFETTO__TRACK_EVENT__INIT, end = PERFETTO__TRACK_EVENT__INIT;
	uint64_t flow = s->by ? put_wake(p, s) : 0;
	char name[STATE_NAME_BYTES];
	bool fresh;
	struct track *t = tracks_get(&p->tracks, (struct track_key){ s->goid, s->image, false });
	const uint64_t iid = t ? perfetto_name(p, STATE_KEY(s->state, s->reason), &fresh) : 0;

	if (!iid) {
		p->watch.err = -ENOMEM;
		return;
	}
	begin.type = SLICE_BEGIN;
	if (flow) {
		begin.n_terminating_flow_ids = 1;
		begin.terminating_flow_ids = &flow;
	}
	const char *by = wake_name(p->trace->info, s->by_func);
	char *woken_by = by ? utf8_copy(by) : NULL;
	Perfetto__DebugAnnotation note = PERFETTO__DEBUG_ANNOTATION__INIT, *notes[] = { &note };

	if (by && !woken_by)
		p->watch.err = -ENOMEM;
	if (woken_by) {
		note.name = (char *)(uintptr_t) "woken_by";
		note.string_value = woken_by;
		begin.n_debug_annotations = 1;
		begin.debug_annotations = notes;
	}
	perfetto_state_event(p, t, &begin, s->from_ns, iid,
			     fresh ? state_name(p->trace->info, s->state, s->reason, name) : NULL);
	free(woken_by);
	end.type = SLICE_END;
	perfetto_state_event(p, t, &end, s->to_ns, 0, NULL);
}
