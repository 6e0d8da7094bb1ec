// SPDX-License-Identifier: BSD-2-Clause
/* Checks of a run: it must do what the window does without a stub. */
#include "plan/inline_fuzz_fixture.h"

#include <signal.h>
#include <string.h>
#include <ucontext.h>

#define ARITHMETIC_FLAGS 0x8d5ull

/* ---- the same without a stub: what may be seen, and how it ends */

bool of_kernel(const struct shot *s)
{
	return (s->sig == SIGSEGV || s->sig == SIGBUS) && s->code > 0;
}

static void walk_reference(struct child *k, struct reference *r, uint64_t flags)
{
	struct user_regs_struct regs = child_first_regs(k);

	world_reset(k);
	regs.eflags |= flags;
	child_set(k, &regs);
	for (r->n = 0; r->n < 31; r->n++) {
		r->states[r->n] = child_get(k);
		if (at_end(k, r->states[r->n].rip, &r->end))
			break;
		if (!child_step(k, 0, 0)) {
			r->end = END_PANIC;
			break;
		}
	}
	r->n++;
	memcpy(&r->data, k->w->text + TEXT_DATA, 8);
	memcpy(r->stack, k->w->stack, sizeof(r->stack));
}

void make_reference(struct child *k, struct reference *r)
{
	struct reference other;

	world_unpatch(k);
	walk_reference(k, &other, ARITHMETIC_FLAGS);
	walk_reference(k, r, 0);
	r->flags = ARITHMETIC_FLAGS &
		   ~(r->states[r->n - 1].eflags ^ other.states[other.n - 1].eflags);
	if (k->c->late)
		r->flags = 0; /* recorded last, where flags are dead */
	world_patch(k);
}

/* ---- checks */

bool wrong(struct walk *w, const char *what)
{
	const struct child *k = &w->f->k;
	uint64_t stub = world_at(k, k->w->stub), hook = world_at(k, k->w->hook);

	w->f->failures++;
	if (!w->f->quiet)
		print_message(
			"%s, ring %d, handlers %d: %s at stub+0x%lx, then %s at hook+0x%lx: %s\n",
			k->c->name, w->ring, w->f->handlers, w->first->name,
			(long)(w->first_pc - stub), w->second ? w->second->name : "nothing",
			(long)(w->second_pc - hook), what);
	return false;
}

static struct user_regs_struct shown_regs(const struct world_signal *s,
					  const struct user_regs_struct *rest)
{
	const uint64_t *g = s->regs;
	struct user_regs_struct r = *rest;

	r.rip = g[REG_RIP];
	r.rsp = g[REG_RSP];
	r.rax = g[REG_RAX];
	r.rbx = g[REG_RBX];
	r.rcx = g[REG_RCX];
	r.rdx = g[REG_RDX];
	r.rsi = g[REG_RSI];
	r.rdi = g[REG_RDI];
	r.rbp = g[REG_RBP];
	r.r8 = g[REG_R8];
	r.r9 = g[REG_R9];
	r.r10 = g[REG_R10];
	r.r11 = g[REG_R11];
	r.r14 = g[REG_R14];
	r.r15 = g[REG_R15];
	return r;
}

/* Handlers see states that there are without a stub. SIGURG may see a pc that Go refuses. */
bool check_seen(struct walk *w)
{
	const struct child *k = &w->f->k;

	for (unsigned i = 0; i < k->w->n_seen; i++) {
		const struct world_signal *s = &k->w->seen[i];
		bool found = s->sig == SIGURG && in_stub(k, s->regs[REG_RIP]);

		/* That of a signal in the hook or in a handler is no place of the window. */
		if (w->second && s->sig == w->second->sig && s->code == w->second->code)
			continue;
		for (unsigned j = 0; !found && j < w->ref.n; j++) {
			const struct user_regs_struct *r = &w->ref.states[j];

			found = child_same_registers(k, shown_regs(s, r), *r, 0);
		}
		if (!found)
			return wrong(w, "a handler sees a state that there is not without a stub");
	}
	return true;
}

uint64_t total_events(const struct child *k, unsigned traps)
{
	struct world_event e[8];

	return traps + world_events(k, e) + k->w->rings[0].head.dropped +
	       k->w->rings[1].head.dropped;
}

/* That a call is `calls` events: none when recording is off, but that a fault of the record ends in
 * the slow path, which the program behind the probe does not record. */
static bool right_events(const struct walk *w, unsigned traps, unsigned calls)
{
	const struct world_case *c = w->f->k.c;

	if (w->ring == RING_RESTS && !c->bare && c->what <= INLINE_STATUS)
		return traps <= calls && total_events(&w->f->k, 0) == 0;
	return total_events(&w->f->k, traps) == calls;
}

/* One more call, of another goroutine: its event is its own. */
bool check_next(struct walk *w, unsigned traps)
{
	struct child *k = &w->f->k;
	struct user_regs_struct first = child_first_regs(k);
	struct world_event e[8] = { 0 };
	uint64_t goid = WORLD_GOID + 1;
	unsigned n, of[2] = { 0 };

	if (w->ref.end == END_PANIC)
		return true;
	memcpy(k->w->g + WORLD_G_GOID, &goid, 8);
	child_set(k, &first);
	if (child_run(k, 0, 0, &traps) != w->ref.end)
		return wrong(w, "the next call ends elsewhere");
	n = world_events(k, e);
	if (!right_events(w, traps, 2))
		return wrong(w, "the next call is not one event");
	for (unsigned i = 0; i < n; i++) {
		bool next = e[i].goid == goid;

		if ((e[i].site & ~RING_WAKE) != WORLD_SITE || !e[i].clock ||
		    e[i].goid != goid - !next || of[next]++)
			return wrong(w, "an event is another goroutine's");
		if (e[i].procid != WORLD_PROCID(e[i].ring))
			return wrong(w, "an event is another thread's");
	}
	return true;
}

bool check_fault(struct walk *w, enum world_end end, unsigned traps, uint64_t pc, unsigned before)
{
	const struct child *k = &w->f->k;
	struct user_regs_struct r = child_get(k);
	uint64_t pushed;

	if (end != END_PANIC)
		return wrong(w, "no panic");
	memcpy(&pushed, (void *)(uintptr_t)r.rsp, 8);
	if (pushed != pc)
		return wrong(w, "a panic comes from another instruction");
	r.rip = pushed;
	r.rsp += 8;
	for (unsigned j = 0; j < w->ref.n; j++)
		if (w->ref.states[j].rip == pc && child_same_registers(k, r, w->ref.states[j], 0) &&
		    total_events(k, traps) == before)
			return true;
	return wrong(w, "a panic has other registers or events");
}

/* What the window has written, and what was in use before. The rest of a new frame holds anything:
 * a goroutine preempted has made calls there. */
static bool same_stack(const struct walk *w)
{
	const struct world *world = w->f->k.w;
	uint64_t highest = 0, used;

	for (unsigned i = 0; i < w->ref.n; i++)
		if (w->ref.states[i].rsp > highest)
			highest = w->ref.states[i].rsp;
	used = highest - world_at(&w->f->k, world->stack);

	for (unsigned i = 0; i < sizeof(world->stack); i++)
		if ((i >= used || w->ref.stack[i] != WORLD_STACK_BYTE(i)) &&
		    world->stack[i] != w->ref.stack[i])
			return false;
	return true;
}

/* Nothing but events is written; being preempted exchanges g's two threads. */
static bool same_scheduler(const struct walk *w)
{
	const struct world *now = w->f->k.w, *then = &w->start;
	uint8_t g[sizeof(now->g)];

	memcpy(g, then->g, sizeof(g));
	if (now->preempted % 2) {
		memcpy(g + WORLD_G_M, then->g + WORLD_G_OTHER_M, 8);
		memcpy(g + WORLD_G_OTHER_M, then->g + WORLD_G_M, 8);
	}
	return !memcmp(now->g, g, sizeof(g)) && !memcmp(now->m, then->m, sizeof(now->m)) &&
	       !memcmp(now->p, then->p, sizeof(now->p));
}

/* As without a stub and a signal. */
bool check_end(struct walk *w, enum world_end end, unsigned traps)
{
	const struct child *k = &w->f->k;
	const struct user_regs_struct *last = &w->ref.states[w->ref.n - 1];
	struct user_regs_struct r = child_get(k);

	if (end != w->ref.end)
		return wrong(w, "it ends elsewhere");
	if (end == END_PANIC)
		return true; /* check_seen has compared the state */
	if (!child_same_registers(k, r, *last, w->ref.flags))
		return wrong(w, "registers or flags differ");
	if (!same_stack(w) || memcmp(k->w->text + TEXT_DATA, &w->ref.data, 8))
		return wrong(w, "memory differs");
	if (!right_events(w, traps, 1))
		return wrong(w, "not one event");
	return same_scheduler(w) ? true : wrong(w, "Go's own memory differs");
}

/* ---- where a fault can come from */

enum place place_of(const struct child *k, uint64_t pc, uint64_t *original)
{
	const struct inline_parts *o = &k->parts;
	uint64_t off = pc - world_at(k, k->w->stub);
	unsigned copied = k->c->returns ? 0 : k->c->len;

	for (unsigned i = 0; i < k->c->n_fixes; i++)
		if (k->c->fixes[i].kind == INLINE_FIX_CALL)
			copied -= 5;
	if (off - o->displaced < copied || off - o->slow_displaced < copied) {
		if (k->c->late && off >= o->record)
			return OF_NONE;
		*original = world_at(k, k->w->text) + TEXT_WINDOW + off -
			    (off - o->displaced < copied ? o->displaced : o->slow_displaced);
		return OF_PROGRAM;
	}
	if ((off >= o->saved && off < o->done) || (off >= o->context && off < o->counted) ||
	    (off >= o->context && off < o->drop))
		return OF_RECORD;
	return OF_NONE;
}

/* Where Go can preempt, though pc is in the stub: a loop of short calls must not go on for ever. */
static bool preemptible(const struct child *k, uint64_t pc)
{
	const struct inline_parts *o = &k->parts;
	uint64_t off = pc - world_at(k, k->w->stub);

	if (k->c->late)
		return (!off && k->c->len) || (off >= o->done && off < o->slow) ||
		       (off >= o->counted && off < o->end && k->c->drop);
	if (off >= o->tail && off < o->slow)
		return k->w->stub[off] == 0xe9;
	return off < o->done || (off >= o->slow && off <= o->slow_displaced) ||
	       (off >= o->context && off < o->counted);
}

bool check_signal(struct walk *w, enum place place)
{
	const struct child *k = &w->f->k;
	bool ours = of_kernel(w->first) && place == OF_RECORD;

	if (ours && (k->w->table[0] || k->w->table[1]))
		return wrong(w, "rings are still there");
	if (k->w->signals.faults != ours)
		return wrong(w, "the record has faulted, or its fault was not seen");
	if (w->first->sig == SIGURG && preemptible(k, w->first_pc) && !k->w->preempted)
		return wrong(w, "it cannot be preempted");
	if (w->first->sig && place != OF_RECORD && !k->w->n_seen)
		return wrong(w, "no handler has seen it");
	if (ours && w->ref.end != END_PANIC && k->w->n_seen)
		return wrong(w, "a handler has seen a fault of the record");
	return true;
}
