// SPDX-License-Identifier: BSD-2-Clause
#include "plan/inline_stub.h"

#include <errno.h>
#include <string.h>

#include "plan/inline_asm.h"
#include "plan/ring.h"

#define JMP_BYTES   5
#define PUSH_RETURN 9 /* bytes of lea, push */
#define RET         0xc3
#define RET_BYTES   1

/* inline_stub_code.S */
#define RECORD_LABELS(name)                                                          \
	extern const uint8_t name[], name##_saved[], name##_switch[], name##_ring[], \
		name##_write[], name##_done[], name##_end[]
RECORD_LABELS(inline_entry);
RECORD_LABELS(inline_exit);
RECORD_LABELS(inline_state_entry);
RECORD_LABELS(inline_state_exit);
#define RUNTIME_LABELS(name)                                                                       \
	extern const uint8_t name[], name##_saved[], name##_ring[], name##_write[], name##_done[], \
		name##_end[]
RUNTIME_LABELS(inline_status);
RUNTIME_LABELS(inline_ended);
RUNTIME_LABELS(inline_create);
RUNTIME_LABELS(inline_stopped);
RUNTIME_LABELS(inline_grown);
extern const uint8_t inline_code[], inline_context[], inline_context_end[], inline_off[],
	inline_off_else[], inline_off_end[], inline_drop[], inline_drop_counted[],
	inline_drop_end[];
struct patch {
	uint16_t at; /* from inline_code */
	uint16_t what;
};
extern const struct patch inline_patches[], inline_patches_end[];

#define SAME(field, offset)                                           \
	_Static_assert(offsetof(struct ring_head, field) == (offset), \
		       "inline_stub_code.S has it so")
SAME(head, HEAD);
SAME(reserved, RESERVED);
SAME(last_goid, LAST_GOID);
SAME(last_procid, LAST_PROCID);
SAME(dropped, DROPPED);
SAME(dropped_first, DROPPED_FIRST);
SAME(dropped_last, DROPPED_LAST);
SAME(dropped_goid, DROPPED_GOID);
SAME(tail, TAIL);
SAME(dropped_seen, DROPPED_SEEN);
_Static_assert(offsetof(struct ring_slot, clock) == SLOT_CLOCK, "likewise");
_Static_assert(offsetof(struct ring_slot, depth) == SLOT_DEPTH, "likewise");
_Static_assert(offsetof(struct ring_slot, site) == SLOT_SITE, "likewise");
_Static_assert(RING_CONTEXT == UINT32_MAX && RING_MANY_GOIDS == UINT64_MAX, "-1 in both sizes");

/* ---- the record's templates */

struct record {
	const uint8_t *start, *saved, *after_switch, *ring, *write, *done, *end;
};
#define RECORD(name)                                                                       \
	{                                                                                  \
		name, name##_saved, name##_switch, name##_ring, name##_write, name##_done, \
			name##_end                                                         \
	}

#define RUNTIME(name)                                                                        \
	{                                                                                    \
		name, name##_saved, NULL, name##_ring, name##_write, name##_done, name##_end \
	}

static const struct record *record_of(const struct inline_stub *s)
{
	static const struct record entry = RECORD(inline_entry), exit = RECORD(inline_exit),
				   state_entry = RECORD(inline_state_entry),
				   state_exit = RECORD(inline_state_exit);
	static const struct record runtime[] = { [INLINE_STATUS] = RUNTIME(inline_status),
						 [INLINE_END] = RUNTIME(inline_ended),
						 [INLINE_CREATE] = RUNTIME(inline_create),
						 [INLINE_STOP] = RUNTIME(inline_stopped),
						 [INLINE_GROWTH] = RUNTIME(inline_grown) };

	if (s->tells >= INLINE_STATUS)
		return &runtime[s->tells];
	if (s->tells == INLINE_STATE)
		return s->keeps_rdx ? &state_entry : &state_exit;
	return s->keeps_rdx ? &entry : &exit;
}

/* ---- where its parts lie */

static bool is_branch(const struct inline_fix *f)
{
	return f->kind == INLINE_FIX_BRANCH8 || f->kind == INLINE_FIX_BRANCH32;
}

static unsigned fix_bytes(const struct inline_fix *f)
{
	return f->kind == INLINE_FIX_BRANCH8 ? 1 : 4;
}

static bool has_call(const struct inline_stub *s)
{
	return s->n_fixes && s->fixes[s->n_fixes - 1].kind == INLINE_FIX_CALL;
}

static unsigned n_branches(const struct inline_stub *s)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->n_fixes; i++)
		n += is_branch(&s->fixes[i]);
	return n;
}

static bool well_formed(const struct inline_stub *s)
{
	unsigned from = 0;

	if ((!s->len && !s->late) || s->len > INLINE_WINDOW || s->compare_len > INLINE_COMPARE ||
	    s->n_fixes > INLINE_FIXES || 1 + n_branches(s) > INLINE_PROBES)
		return false;
	if ((s->late && (n_branches(s) || has_call(s))) ||
	    ((s->late || s->bare) && s->compare_len) || (s->late && s->bare))
		return false;
	/* Registers are to be as they were where it looks at them. */
	if (s->tells >= INLINE_STATUS &&
	    (s->late || s->bare || s->returns || s->n_fixes || s->compare_len ||
	     s->keeps_rdx == (s->tells == INLINE_CREATE)))
		return false;
	if (s->returns && (s->late || s->bare || s->compare_len || s->n_fixes))
		return false;
	for (unsigned i = 0; i < s->n_fixes; i++) {
		const struct inline_fix *f = &s->fixes[i];

		if (f->off <= from || f->off + fix_bytes(f) > s->len)
			return false;
		if (f->kind == INLINE_FIX_CALL && (f->off + 4 != s->len || i + 1 < s->n_fixes))
			return false;
		from = f->off + fix_bytes(f) - 1;
	}
	return true;
}

/* The displaced bytes that are copied. */
static unsigned copied_bytes(const struct inline_stub *s)
{
	return s->returns ? 0 : has_call(s) ? s->len - JMP_BYTES : s->len;
}

static unsigned tail_bytes(const struct inline_stub *s)
{
	if (s->returns)
		return RET_BYTES;
	return (has_call(s) ? PUSH_RETURN : 0) + JMP_BYTES * (1 + n_branches(s));
}

static uint16_t lay_out_record(const struct inline_stub *s, unsigned at, struct inline_parts *o)
{
	const struct record *r = record_of(s);

	o->record = at;
	o->saved = at + (r->saved - r->start);
	o->record_switch = r->after_switch ? at + (r->after_switch - r->start) - 1 : 0;
	o->ring = at + (r->ring - r->start);
	o->write = at + (r->write - r->start);
	o->done = at + (r->done - r->start);
	o->record_end = at + (r->end - r->start);
	return o->record_end;
}

static unsigned lay_out_cold(const struct inline_program *p, const struct inline_stub *s,
			     unsigned at, struct inline_parts *o)
{
	o->context = at;
	at += inline_context_end - inline_context;
	o->off = o->drop = o->counted = at;
	if (inline_is_needed(s))
		return at;
	at += (p->drop ? inline_off_else : inline_off_end) - inline_off;
	o->drop = o->counted = at;
	if (!p->drop)
		return at;
	o->counted = at + (inline_drop_counted - inline_drop);
	return at + (inline_drop_end - inline_drop);
}

int inline_stub_parts(const struct inline_program *p, const struct inline_stub *s,
		      struct inline_parts *out)
{
	struct inline_parts o = { 0 };
	unsigned restore = s->keeps_rdx ? 6 : 3, push = has_call(s) ? PUSH_RETURN : 0;

	if (!well_formed(s))
		return -EINVAL;
	if (s->bare) {
		o.slow_tail = copied_bytes(s);
	} else if (s->late) {
		o.tail = lay_out_record(s, s->len, &o);
		o.slow = o.tail + JMP_BYTES;
		o.slow_displaced = o.slow_tail = o.slow + restore;
	} else {
		o.compare = lay_out_record(s, 0, &o);
		o.displaced = o.compare + s->compare_len;
		o.tail = o.displaced + copied_bytes(s);
		o.slow = o.tail + tail_bytes(s);
		o.slow_displaced = o.slow + restore + s->compare_len;
		o.slow_tail = o.slow_displaced + copied_bytes(s);
	}
	o.n_probes = 1 + n_branches(s);
	for (unsigned i = 0; i < o.n_probes; i++)
		o.probes[i] = o.slow_tail + push + JMP_BYTES * i;
	o.context = o.off = o.drop = o.counted = o.end = o.probes[o.n_probes - 1] + JMP_BYTES;
	if (!s->bare)
		o.end = lay_out_cold(p, s, o.end, &o);
	*out = o;
	return 0;
}

/* ---- writing it */

struct writer {
	const struct inline_program *p;
	const struct inline_stub *s;
	struct inline_parts parts;
	uint64_t addr;
	uint8_t *to;
	bool too_far;
};

static void put(struct writer *w, unsigned at, const void *bytes, size_t n)
{
	if (n)
		memcpy(w->to + at, bytes, n);
}

static void put32(struct writer *w, unsigned at, uint32_t value)
{
	put(w, at, &value, 4);
}

/* The distance to `target` for an instruction that ends right after these four bytes. */
static void put_distance(struct writer *w, unsigned at, uint64_t target)
{
	int64_t distance = (int64_t)(target - (w->addr + at + 4));

	if (distance != (int32_t)distance)
		w->too_far = true;
	put32(w, at, (uint32_t)distance);
}

static void put_jump(struct writer *w, unsigned at, uint64_t target)
{
	w->to[at] = 0xe9;
	put_distance(w, at + 1, target);
}

static uint32_t value_of(const struct writer *w, unsigned what)
{
	const struct inline_program *p = w->p;
	const uint32_t values[PATCH_VALUES] = {
		[PATCH_G_M] = p->g_m,
		[PATCH_G_GOID] = p->g_goid,
		[PATCH_G_STATUS] = p->g_atomicstatus,
		[PATCH_M_P] = p->m_p,
		[PATCH_M_PROCID] = p->m_procid,
		[PATCH_FILL] = p->ring_size - RING_ROOM,
		[PATCH_MASK] = p->ring_size - 1,
		[PATCH_SLOT_SITE] = w->s->site,
		[PATCH_STATE] = w->s->state,
		[PATCH_M_CURG] = p->m_curg,
		[PATCH_G_REASON] = p->g_waitreason,
		[PATCH_G_GOPC] = p->g_gopc,
		[PATCH_G_STARTPC] = p->g_startpc,
		[PATCH_SCHED_PC] = p->g_sched_pc,
		[PATCH_MOREBUF] = p->m_morebuf_sp,
		[PATCH_SPAN] = p->p_is_given_up ? G_SYSCALL - G_RUNNING : 0,
	};

	return values[what];
}

static uint64_t target_of(const struct writer *w, unsigned what)
{
	const struct inline_parts *o = &w->parts;

	switch (what) {
	case PATCH_TABLE:
		return w->p->table;
	case PATCH_TEXT:
		return w->p->text;
	case PATCH_FULL:
		return w->addr + (inline_is_needed(w->s) ? o->slow : o->off);
	case PATCH_CONTEXT:
		return w->addr + o->context;
	case PATCH_WRITE:
		return w->addr + o->write;
	case PATCH_DONE:
		return w->addr + o->done;
	default:
		return w->addr + o->slow;
	}
}

/* Copies a part of the templates and fills it in. */
/* The first patch of the code from there on: they are in the order of the code. */
static const struct patch *first_patch(const uint8_t *from)
{
	const struct patch *lo = inline_patches, *hi = inline_patches_end;

	while (lo < hi) {
		const struct patch *mid = lo + (hi - lo) / 2;

		if (inline_code + mid->at < from)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void put_template(struct writer *w, unsigned at, const uint8_t *from, const uint8_t *end)
{
	put(w, at, from, end - from);
	for (const struct patch *t = first_patch(from); t < inline_patches_end; t++) {
		const uint8_t *field = inline_code + t->at;

		if (field >= end)
			break;
		unsigned where = at + (unsigned)(field - from);
		if (t->what < PATCH_VALUES)
			put32(w, where, value_of(w, t->what));
		else
			put_distance(w, where, target_of(w, t->what));
	}
}

static int64_t distance_at(const struct inline_stub *s, const struct inline_fix *f)
{
	int32_t d;

	if (f->kind == INLINE_FIX_BRANCH8)
		return (int8_t)s->displaced[f->off];
	memcpy(&d, s->displaced + f->off, 4);
	return d;
}

/* The displaced bytes at `at`, and at `tail` what is jumped to from there: first the way back, or
 * the function called, then the targets of branches. */
static void put_displaced(struct writer *w, unsigned at, unsigned tail)
{
	const struct inline_stub *s = w->s;
	uint64_t after = s->back;

	put(w, at, s->displaced, copied_bytes(s));
	if (has_call(s)) {
		const struct inline_fix *f = &s->fixes[s->n_fixes - 1];

		after = s->window + s->len + (uint64_t)distance_at(s, f);
		put(w, tail, "\x4c\x8d\x25", 3); /* lea return(%rip),%r12: free at every call */
		put_distance(w, tail + 3, s->window + s->len);
		put(w, tail + 7, "\x41\x54", 2); /* push %r12 */
		tail += PUSH_RETURN;
	}
	put_jump(w, tail, after);
	for (unsigned i = 0; i < s->n_fixes; i++) {
		const struct inline_fix *f = &s->fixes[i];
		uint64_t next = s->window + f->off + fix_bytes(f);
		int64_t distance = distance_at(s, f);

		if (f->kind == INLINE_FIX_MEMORY) {
			/* As far from the copy as it is from the text: an immediate operand that
			 * follows counts alike in both. */
			put_distance(w, at + f->off, next + (uint64_t)distance);
		} else if (is_branch(f)) {
			tail += JMP_BYTES;
			put_jump(w, tail, next + (uint64_t)distance);
			if (f->kind == INLINE_FIX_BRANCH8)
				w->to[at + f->off] = (uint8_t)(tail - (at + f->off + 1));
			else
				put32(w, at + f->off, tail - (at + f->off + 4));
		}
	}
}

/* mov %r13,%rax; mov %r15,%rdx */
static unsigned put_restore(struct writer *w, unsigned at)
{
	put(w, at, "\x4c\x89\xe8\x4c\x89\xfa", w->s->keeps_rdx ? 6 : 3);
	return at + (w->s->keeps_rdx ? 6 : 3);
}

static void put_record(struct writer *w)
{
	const struct inline_parts *o = &w->parts;

	put_template(w, o->record, record_of(w->s)->start, record_of(w->s)->end);
	put_template(w, o->context, inline_context, inline_context_end);
	if (inline_is_needed(w->s))
		return;
	put_template(w, o->off, inline_off, w->p->drop ? inline_off_else : inline_off_end);
	if (w->p->drop)
		put_template(w, o->drop, inline_drop, inline_drop_end);
}

int inline_stub_write(const struct inline_program *p, const struct inline_stub *s, uint64_t addr,
		      uint8_t *to)
{
	struct writer w = { .p = p, .s = s, .addr = addr, .to = to };
	int err = inline_stub_parts(p, s, &w.parts);
	const struct inline_parts *o = &w.parts;

	if (err || addr % INLINE_ALIGN)
		return -EINVAL;
	if (!s->bare)
		put_record(&w);
	if (s->bare) {
		put_displaced(&w, 0, o->slow_tail);
	} else if (s->late) {
		put_displaced(&w, o->displaced, o->tail);
		put_restore(&w, o->slow);
		put_jump(&w, o->slow_tail, s->back);
	} else if (s->returns) {
		to[o->tail] = RET;
		put_restore(&w, o->slow);
		put_jump(&w, o->slow_tail, addr + o->tail);
	} else {
		put(&w, o->compare, s->compare, s->compare_len);
		put_displaced(&w, o->displaced, o->tail);
		put(&w, put_restore(&w, o->slow), s->compare, s->compare_len);
		put_displaced(&w, o->slow_displaced, o->slow_tail);
	}
	return w.too_far ? -ERANGE : 0;
}
