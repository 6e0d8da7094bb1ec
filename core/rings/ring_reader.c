// SPDX-License-Identifier: BSD-2-Clause
#include "rings/ring_reader.h"

#include <string.h>

#include "base/host/pause.h"
#include "trace/trace.h"

/* How often a ring that a stub is writing to is looked at again: it takes a stub some 15 ns. */
#define BUSY_TRIES 100
/* Counters may differ by so much between CPUs. */
#define SKEW_TICKS 4096

void ring_reader_init(struct ring_reader *r, const struct ring_memory *m)
{
	memset(r, 0, sizeof(*r));
	r->head = m->at;
	r->slots = (const struct ring_slot *)((const char *)m->at + RING_DATA);
	r->size = m->size;
}

/* Changes the tail if those of its two high bits that are set are `state`. Another thread may pause
 * or disable the ring meanwhile. */
static void change_tail(struct ring_reader *r, uint64_t state, uint64_t tail)
{
	uint64_t is = __atomic_load_n(&r->head->tail, __ATOMIC_RELAXED);

	/* The program may write there, too, but it shall not keep us here. */
	for (int tries = 0; tries < 100 && (is & (RING_DISABLED | RING_PAUSED)) == state; tries++)
		if (__atomic_compare_exchange_n(&r->head->tail, &is, tail, false, __ATOMIC_RELEASE,
						__ATOMIC_RELAXED))
			return;
}

/* Notes a tail that no thread of ours has written: the program did. One that is shut from the start
 * is opened by whoever maps the rings. */
static void check_tail(struct ring_reader *r)
{
	const unsigned before = __atomic_load_n(&r->switches, __ATOMIC_ACQUIRE);
	const uint64_t is = __atomic_load_n(&r->head->tail, __ATOMIC_ACQUIRE);

	if (is == RING_SHUT && !r->opened)
		return;
	if (is >= RING_DISABLED && __atomic_load_n(&r->disabled, __ATOMIC_ACQUIRE))
		return;
	r->opened = true;
	if (is == r->released || is == __atomic_load_n(&r->resumed, __ATOMIC_RELAXED) ||
	    (is == RING_PAUSED && before % 2))
		return;
	/* Switched meanwhile: the next look tells. */
	if (__atomic_load_n(&r->switches, __ATOMIC_ACQUIRE) == before)
		r->bad_tail = true;
}

void ring_reader_release(struct ring_reader *r)
{
	if (r->disabled || r->released == r->at)
		return;
	check_tail(r);
	if (r->bad_tail)
		return;
	__atomic_store_n(&r->released, r->at, __ATOMIC_RELAXED);
	change_tail(r, 0, r->at);
}

void ring_reader_pause(struct ring_reader *r)
{
	if (r->switches % 2 == 0)
		__atomic_add_fetch(&r->switches, 1, __ATOMIC_ACQ_REL);
	change_tail(r, 0, RING_PAUSED);
}

void ring_reader_resume(struct ring_reader *r)
{
	/* What is released just now is given back with the next slots. */
	__atomic_store_n(&r->resumed, __atomic_load_n(&r->released, __ATOMIC_RELAXED),
			 __ATOMIC_RELAXED);
	change_tail(r, RING_PAUSED, r->resumed);
	if (r->switches % 2)
		__atomic_add_fetch(&r->switches, 1, __ATOMIC_ACQ_REL);
}

static void disable(struct ring_reader *r, uint64_t tail)
{
	/* Before the tail: by it check_tail knows whose the tail is. */
	__atomic_store_n(&r->disabled, true, __ATOMIC_RELEASE);
	__atomic_store_n(&r->head->tail, tail, __ATOMIC_RELEASE);
}

void ring_reader_shut(struct ring_reader *r)
{
	disable(r, RING_SHUT);
}

static void fail(struct ring_reader *r, enum ring_fault fault)
{
	uint64_t slots = (r->written - r->at) / RING_SLOT;

	r->fault = fault;
	r->waiting = r->has_args = false;
	r->fault_lost = slots ? slots : 1;
	r->written = r->at;
	disable(r, RING_DISABLED);
}

/* ---- positions */

/* Until when a ring is complete that has a reserved slot after `written`. */
static uint64_t stuck_until(struct ring_reader *r, uint64_t now_ns)
{
	if (!r->stuck || r->stuck_at != r->written) {
		/* What was begun at the last poll is whole by now: this one was begun after it. */
		r->quiet_ns = r->polled_ns;
		r->stuck = true;
		r->stuck_at = r->written;
		r->stuck_since_ns = now_ns;
	}
	/* A thread that is stopped there must not stop all others' events. */
	if (now_ns - r->stuck_since_ns >= RINGS_PATIENCE_NS) {
		r->n_passed_by += r->quiet_ns < r->stuck_since_ns;
		r->quiet_ns = now_ns;
	}
	return r->quiet_ns;
}

/* The time up to which the ring is complete, r->written and whether it is stuck. */
static uint64_t look(struct ring_reader *r, uint64_t now_ns)
{
	uint64_t reserved, head;

	/* `reserved` first: an event that is neither whole nor reserved then begins later. */
	for (int tries = 0;; tries++) {
		reserved = __atomic_load_n(&r->head->reserved, __ATOMIC_ACQUIRE);
		head = __atomic_load_n(&r->head->head, __ATOMIC_ACQUIRE);
		if ((int64_t)(reserved - head) <= 0 || tries == BUSY_TRIES)
			break;
		host_pause();
	}
	if (head % RING_SLOT || head < r->written || head - r->at > r->size) {
		fail(r, RING_BAD_HEAD);
		return now_ns;
	}
	r->written = head;
	if (head - r->at > r->most_bytes)
		r->most_bytes = head - r->at;
	if ((int64_t)(reserved - head) > 0) {
		if (reserved - head <= RING_ROOM)
			return stuck_until(r, now_ns);
		fail(r, RING_BAD_RESERVED);
	}
	r->stuck = false;
	return r->quiet_ns = now_ns;
}

uint64_t ring_reader_poll(struct ring_reader *r, const struct ring_shared *s, uint64_t now_ns)
{
	uint64_t complete_ns;

	if (r->fault)
		return now_ns;
	if (!r->waiting && r->last_ns < s->written_ns)
		r->last_ns = s->written_ns;
	r->late_goid = 0;
	if (!r->disabled)
		check_tail(r);
	complete_ns = look(r, now_ns);
	if (r->bad_tail && !r->fault)
		fail(r, RING_BAD_TAIL);
	r->polled_ns = now_ns;
	return complete_ns;
}

/* ---- slots */

/* A context slot. */
static void take_context(struct ring_reader *r, const struct ring_shared *s, uint64_t goid,
			 uint32_t procid)
{
	if (procid != r->procid || !r->has_context) {
		r->procid = procid;
		r->tid = s->tid_of ? s->tid_of(s->tid_ctx, procid) : procid;
	}
	r->goid = goid;
	r->has_context = true;
}

/* The time of a counter. false: it is not known yet. */
static bool find_ns(struct ring_reader *r, const struct ring_shared *s, uint64_t tsc, uint64_t *ns)
{
	const struct tsc_segment *seg = &r->segment;

	if (tsc - seg->tsc >= seg->ticks && (seg = tsc_clock_find(s->clock, tsc)))
		r->segment = *seg;
	if (seg) {
		*ns = tsc_segment_ns(seg, tsc);
		return true;
	}
	/* After the last pair: the next one will tell, if it can be a time at all. */
	if (tsc >= s->clock->last.tsc && tsc <= s->now_tsc + SKEW_TICKS)
		return false;
	*ns = tsc > s->now_tsc ? r->last_ns : tsc_clock_ns(s->clock, tsc);
	return true;
}

/* The slot of a context or an argument, or none of both. */
enum slot_is { SLOT_TAKEN, SLOT_EVENT, SLOT_BAD };

static enum slot_is take_other(struct ring_reader *r, const struct ring_shared *s,
			       const struct ring_copied *slot)
{
	if (slot->site == RING_ARG) {
		if (slot->depth != r->n_args || r->n_args == RING_ARGS)
			return SLOT_BAD;
		r->args[r->n_args++] = slot->clock;
		return SLOT_TAKEN;
	}
	if (slot->site != RING_CONTEXT)
		return SLOT_EVENT;
	if (r->n_args)
		return SLOT_BAD;
	take_context(r, s, slot->clock, slot->depth);
	return SLOT_TAKEN;
}

/* What the event in the slot is: an EV_*; 0, and *fault, when it cannot be. */
static uint8_t kind_of(const struct ring_reader *r, const struct ring_shared *s, uint32_t site,
		       enum ring_fault *fault)
{
	const uint32_t number = site & ~RING_WAKE;
	const bool wake = site & RING_WAKE;
	uint8_t kind = number < s->n_sites ? rings_site_kind(&s->sites[number]) : 0;

	if (wake)
		kind = kind == EV_STATE ? EV_WAKE : 0;
	*fault = RING_BAD_SITE;
	/* Only of a wake, and of a goroutine made, may there be no goroutine that did it. */
	if (!r->has_context || (!r->goid && !wake && kind != EV_CREATE)) {
		*fault = RING_BAD_CONTEXT;
		return 0;
	}
	if (kind && rings_args(kind) != r->n_args) {
		*fault = RING_BAD_ARGS;
		return 0;
	}
	return kind;
}

uint64_t ring_reader_next(struct ring_reader *r, const struct ring_shared *s)
{
	enum ring_fault fault = RING_BAD_ARGS;
	uint64_t ns;

	if (r->waiting)
		return r->ns;
	for (; r->at != r->written; r->at += RING_SLOT) {
		struct ring_copied slot = ring_reader_copy(r, r->at);
		enum slot_is is = take_other(r, s, &slot);

		if (is == SLOT_TAKEN)
			continue;
		uint8_t kind = is == SLOT_EVENT ? kind_of(r, s, slot.site, &fault) : 0;
		if (!kind) {
			fail(r, fault);
			break;
		}
		if (!find_ns(r, s, slot.clock, &ns))
			break;
		if (ns < r->last_ns) {
			bool late = ns < s->written_ns;

			/* Reported once for each goroutine and round. */
			r->late = late && r->late_goid != r->goid;
			r->n_late += late;
			r->n_backwards += !late;
			ns = r->last_ns;
		}
		r->site = slot.site & ~RING_WAKE;
		r->kind = kind;
		r->depth = slot.depth;
		r->has_args = rings_args(kind);
		r->waiting = true;
		return r->ns = r->last_ns = ns;
	}
	return UINT64_MAX;
}

uint64_t ring_reader_take_with_args(struct ring_reader *r, const struct ring_shared *s,
				    struct event_ext *ev)
{
	*ev = (struct event_ext){
		.h = { .ts_ns = r->ns,
		       .goid = r->goid,
		       .site = r->site,
		       .depth = r->depth - s->sites[r->site].to_frame_bytes,
		       .tid = r->tid,
		       .kind = r->kind,
		       .flags = RING_EVENT_FLAGS },
	};
	memcpy(ev->arg, r->args, r->n_args * sizeof(r->args[0]));
	if (r->kind == EV_CREATE) {
		ev->arg[1] += s->text_vaddr;
		ev->arg[2] += s->text_vaddr;
	} else if (r->kind == EV_STOP) {
		ev->arg[0] += s->text_vaddr;
	} else {
		ev->arg[2] = STOP_GROWTH;
	}
	r->n_args = 0;
	r->has_args = r->waiting = false;
	r->at += RING_SLOT;
	return ring_reader_next(r, s);
}

size_t ring_reader_take(struct ring_reader *r, const struct ring_shared *s, uint64_t limit_ns,
			struct event *ev, size_t room)
{
	/* What every event needs, where storing an event cannot change it. */
	struct tsc_segment seg = r->segment;
	uint64_t at = r->at, ns = r->ns;
	uint32_t number = r->site, depth = r->depth;
	struct ring_site site = s->sites[number];
	uint8_t kind = r->kind;
	size_t n = 0;

	for (;;) {
		ev[n++] = (struct event){
			.ts_ns = ns,
			.goid = r->goid,
			.site = number,
			.depth = depth - site.to_frame_bytes,
			.tid = r->tid,
			.kind = kind,
			.flags = RING_EVENT_FLAGS,
		};
		at += RING_SLOT;
		if (at == r->written) {
			r->waiting = false;
			break;
		}
		__builtin_prefetch(&r->slots[((at + RING_PREFETCH) & (r->size - 1)) / RING_SLOT]);
		struct ring_copied slot = ring_reader_copy(r, at);

		/* The common case, as ring_reader_next has all. */
		number = slot.site;
		depth = slot.depth;
		if (__builtin_expect(number < s->n_sites && slot.clock - seg.tsc < seg.ticks, 1)) {
			uint64_t before_ns = ns;

			site = s->sites[number];
			kind = site.kind;
			ns = tsc_segment_ns(&seg, slot.clock);
			if (__builtin_expect(kind && r->goid && ns >= before_ns, 1)) {
				if (ns < limit_ns && n < room)
					continue;
				r->waiting = true;
				break;
			}
			ns = before_ns;
		}
		r->at = at;
		r->last_ns = ns;
		r->waiting = false;
		ns = ring_reader_next(r, s);
		at = r->at;
		if (ns >= limit_ns || n == room || r->late || r->has_args)
			return n;
		seg = r->segment;
		number = r->site;
		depth = r->depth;
		kind = r->kind;
		site = s->sites[number];
	}
	r->at = at;
	r->ns = r->last_ns = ns;
	r->site = number, r->kind = kind, r->depth = depth;
	return n;
}

/* ---- losses */

static void set_loss(struct event_ext *loss, uint64_t written_ns, uint64_t first_ns,
		     uint64_t last_ns, uint64_t count)
{
	*loss = (struct event_ext){ .h = { .site = TRACE_NONE, .kind = EV_LOSS },
				    .arg = { last_ns, count } };
	loss->h.ts_ns = first_ns > written_ns ? first_ns : written_ns;
	if (loss->arg[0] < loss->h.ts_ns)
		loss->arg[0] = loss->h.ts_ns;
}

/* A counter that a stub left behind, as a time that is not earlier. Stubs go on while the clocks
 * and the rings are read: it may be later than all that is known. */
static uint64_t not_before(const struct ring_shared *s, uint64_t tsc)
{
	const struct tsc_pair *last = &s->clock->last;
	uint64_t after_ns = tsc > last->tsc ? tsc - last->tsc
					    : 0; /* no counter is slower than 1 GHz */

	if (after_ns > RINGS_PATIENCE_NS) /* nonsense */
		after_ns = RINGS_PATIENCE_NS;
	return tsc_clock_ns(s->clock, tsc) + after_ns;
}

/* The time of a counter that a stub left in the ring, limited to the times it can have. */
static uint64_t not_after(const struct ring_shared *s, uint64_t tsc, uint64_t now_ns)
{
	uint64_t ns = tsc_clock_ns(s->clock, tsc);

	return ns > now_ns ? now_ns : ns;
}

bool ring_reader_loss(struct ring_reader *r, const struct ring_shared *s, uint64_t now_ns,
		      struct event_ext *loss)
{
	/* `dropped` before what goes with it, which is then as new or newer (plan/ring.h). */
	uint64_t dropped = __atomic_load_n(&r->head->dropped, __ATOMIC_ACQUIRE);
	uint64_t count = dropped - r->dropped_seen;

	if (r->fault_lost) {
		/* Stubs wrote into it until it was disabled, and one that was at work then did so
		 * still: it is given as long as any other ring's. */
		set_loss(loss, s->written_ns, r->last_ns,
			 not_before(s, s->after_tsc) + RINGS_PATIENCE_NS, r->fault_lost);
		loss->h.flags = EVF_ALL;
		r->n_lost += r->fault_lost;
		r->fault_lost = 0;
		return true;
	}
	if (!count || r->fault)
		return false;
	uint64_t goid = __atomic_load_n(&r->head->dropped_goid, __ATOMIC_RELAXED);
	uint64_t first = __atomic_load_n(&r->head->dropped_first, __ATOMIC_RELAXED);
	uint64_t last = __atomic_load_n(&r->head->dropped_last, __ATOMIC_RELAXED);

	set_loss(loss, s->written_ns, not_after(s, first, now_ns), not_before(s, last), count);
	if (goid == RING_MANY_GOIDS || !goid)
		loss->h.flags = EVF_ALL;
	else
		loss->h.goid = goid;
	r->n_lost += count;
	r->dropped_seen = dropped;
	__atomic_store_n(&r->head->dropped_seen, dropped, __ATOMIC_RELEASE);
	return true;
}
