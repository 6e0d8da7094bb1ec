// SPDX-License-Identifier: BSD-2-Clause
#include "plan/inline_fuzz_fixture.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#define MOST_STEPS       400
#define ARITHMETIC_FLAGS 0x8d5ull
#define MUTABLE          (sizeof(struct world) - offsetof(struct world, table))

/* ---- the same without a stub: what may be seen, and how it ends */

struct reference {
	struct user_regs_struct states[32]; /* before each instruction, and at the end */
	unsigned n;
	enum world_end end; /* END_PANIC: the last state's instruction faults */
	uint64_t flags;     /* those that the window determines */
	uint64_t data;
	uint8_t stack[sizeof(((struct world *)0)->stack)];
};

/* A signal. */
struct shot {
	int sig, code;
	enum world_policy policy;
	const char *name;
};
static const struct shot shots[] = {
	{ 0, 0, 0, "nothing" },
	{ SIGURG, SI_TKILL, 0, "SIGURG" },
	{ SIGPROF, SI_KERNEL, 0, "SIGPROF" },
	{ SIGQUIT, SI_USER, 0, "SIGQUIT" },
	{ SIGSEGV, SI_USER, 0, "SIGSEGV sent" },
	{ SIGSEGV, SEGV_MAPERR, POLICY_PANIC, "SIGSEGV" },
	{ SIGSEGV, SEGV_MAPERR, POLICY_STAY, "SIGSEGV that the handler mends" },
	{ SIGBUS, BUS_ADRERR, POLICY_PANIC, "SIGBUS" },
};
#define N_SHOTS (sizeof(shots) / sizeof(*shots))

static bool of_kernel(const struct shot *s)
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

static void make_reference(struct child *k, struct reference *r)
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

/* ---- one run and what it must be like */

struct snapshot {
	struct user_regs_struct regs;
	uint64_t mask, data;
	unsigned traps;
	uint8_t memory[MUTABLE];
};

struct walk {
	struct fuzz *f;
	struct reference ref;
	struct snapshot at, hook; /* where a signal comes; where a second one does */
	enum fuzz_ring ring;
	struct world start; /* before the window */
	const struct shot *first, *second;
	uint64_t first_pc, second_pc;
};

static void take(const struct child *k, struct snapshot *s, unsigned traps)
{
	s->regs = child_get(k);
	s->traps = traps;
	ptrace(PTRACE_GETSIGMASK, k->pid, (void *)8, &s->mask);
	memcpy(&s->data, k->w->text + TEXT_DATA, 8);
	memcpy(s->memory, k->w->table, MUTABLE);
}

static void put_back(const struct child *k, const struct snapshot *s)
{
	child_set(k, &s->regs);
	ptrace(PTRACE_SETSIGMASK, k->pid, (void *)8, &s->mask);
	memcpy(k->w->text + TEXT_DATA, &s->data, 8);
	memcpy(k->w->table, s->memory, MUTABLE);
}

static bool wrong(struct walk *w, const char *what)
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

static bool same_registers(const struct child *k, struct user_regs_struct x,
			   struct user_regs_struct y, uint64_t flags)
{
	x.r12 = y.r12 = x.r13 = y.r13 = x.orig_rax = y.orig_rax = 0;
	if (k->c->entry)
		x.r15 = y.r15 = 0;
	else
		x.rdx = y.rdx = 0;
	x.eflags &= flags;
	y.eflags &= flags;
	return !memcmp(&x, &y, sizeof(x));
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
static bool check_seen(struct walk *w)
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

			found = same_registers(k, shown_regs(s, r), *r, 0);
		}
		if (!found)
			return wrong(w, "a handler sees a state that there is not without a stub");
	}
	return true;
}

static uint64_t total(const struct child *k, unsigned traps, unsigned n_events)
{
	return traps + n_events + k->w->rings[0].head.dropped + k->w->rings[1].head.dropped;
}

/* One more call, of another goroutine: its event is its own. */
static bool check_next(struct walk *w, unsigned traps)
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
	if (total(k, traps, n) != 2)
		return wrong(w, "the next call is not one event");
	for (unsigned i = 0; i < n; i++) {
		bool next = e[i].goid == goid;

		if (e[i].site != WORLD_SITE || !e[i].clock || e[i].goid != goid - !next ||
		    of[next]++)
			return wrong(w, "an event is another goroutine's");
		if (e[i].procid != WORLD_PROCID(e[i].ring))
			return wrong(w, "an event is another thread's");
	}
	return true;
}

static bool check_fault_of_program(struct walk *w, unsigned traps, uint64_t pc, unsigned before)
{
	const struct child *k = &w->f->k;
	struct world_event e[8];
	struct user_regs_struct r = child_get(k);
	uint64_t pushed;

	memcpy(&pushed, (void *)(uintptr_t)r.rsp, 8);
	if (pushed != pc)
		return wrong(w, "a panic comes from another instruction");
	r.rip = pushed;
	r.rsp += 8;
	for (unsigned j = 0; j < w->ref.n; j++)
		if (w->ref.states[j].rip == pc && same_registers(k, r, w->ref.states[j], 0) &&
		    total(k, traps, world_events(k, e)) == before)
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
static bool check_end(struct walk *w, enum world_end end, unsigned traps)
{
	const struct child *k = &w->f->k;
	const struct user_regs_struct *last = &w->ref.states[w->ref.n - 1];
	struct user_regs_struct r = child_get(k);
	struct world_event e[8];

	if (end != w->ref.end)
		return wrong(w, "it ends elsewhere");
	if (end == END_PANIC)
		return true; /* check_seen has compared the state */
	if (!same_registers(k, r, *last, w->ref.flags))
		return wrong(w, "registers or flags differ");
	if (!same_stack(w) || memcmp(k->w->text + TEXT_DATA, &w->ref.data, 8))
		return wrong(w, "memory differs");
	if (total(k, traps, world_events(k, e)) != 1)
		return wrong(w, "not one event");
	return same_scheduler(w) ? true : wrong(w, "Go's own memory differs");
}

/* ---- where a fault can come from */

enum place { OF_RECORD, OF_PROGRAM, OF_NONE };

static enum place place_of(const struct child *k, uint64_t pc, uint64_t *original)
{
	const struct inline_parts *o = &k->parts;
	uint64_t off = pc - world_at(k, k->w->stub);
	unsigned copied = k->c->len;

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
		return (off >= o->done && off < o->slow) ||
		       (off >= o->counted && off < o->end && k->c->drop);
	if (off >= o->tail && off < o->slow)
		return k->w->stub[off] == 0xe9;
	return off < o->done || (off >= o->slow && off <= o->slow_displaced) ||
	       (off >= o->context && off < o->counted);
}

static bool shoot(struct walk *w)
{
	struct child *k = &w->f->k;
	const struct shot *s = w->first;
	struct world_event e[8];
	uint64_t original = 0;
	enum place place = place_of(k, w->at.regs.rip, &original);
	unsigned traps = w->at.traps, before = 0;
	enum world_end end;

	if (of_kernel(s) && place == OF_NONE)
		return true;
	if (w->ref.end == END_PANIC && s->policy == POLICY_STAY && s->sig)
		return true; /* it would fault for ever */
	w->f->runs++;
	w->second = NULL;
	w->second_pc = 0;
	put_back(k, &w->at);
	k->w->policy = s->policy;
	if (place == OF_PROGRAM && of_kernel(s)) {
		uint64_t reserved = k->w->rings[0].head.reserved;

		before = k->w->rings[0].head.head == reserved ? total(k, traps, world_events(k, e))
							      : 0;
	}
	end = child_run(k, s->sig, s->code, &traps);
	if (!check_seen(w))
		return false;
	if (of_kernel(s) && place == OF_PROGRAM && s->policy == POLICY_PANIC)
		return end == END_PANIC ? check_fault_of_program(w, traps, original, before)
					: wrong(w, "no panic");
	if (!check_end(w, end, traps))
		return false;
	if (of_kernel(s) && place == OF_RECORD && (k->w->table[0] || k->w->table[1]))
		return wrong(w, "rings are still there");
	if (k->w->signals.faults != (of_kernel(s) && place == OF_RECORD))
		return wrong(w, "the record has faulted, or its fault was not seen");
	if (s->sig == SIGURG && preemptible(k, w->first_pc) && !k->w->preempted)
		return wrong(w, "it cannot be preempted");
	if (s->sig && place != OF_RECORD && !k->w->n_seen)
		return wrong(w, "no handler has seen it");
	if (of_kernel(s) && place == OF_RECORD && w->ref.end != END_PANIC && k->w->n_seen)
		return wrong(w, "a handler has seen a fault of the record");
	return check_next(w, traps);
}

/* ---- a second signal at each instruction of the hook */

static bool in_hook(const struct child *k, uint64_t pc)
{
	return pc - world_at(k, k->w->hook) < sizeof(k->w->hook) ||
	       pc - (world_at(k, k->w->text) + TEXT_SIGTRAMP) < 64;
}

static void shoot_twice(struct walk *w)
{
	struct child *k = &w->f->k;
	unsigned traps;

	put_back(k, &w->at);
	k->w->policy = POLICY_PANIC;
	if (!child_step(k, w->first->sig, w->first->code))
		return;
	for (unsigned i = 0; i < MOST_STEPS; i++) {
		take(k, &w->hook, w->at.traps);
		if (in_stub(k, w->hook.regs.rip) ||
		    at_end(k, w->hook.regs.rip, &(enum world_end){ 0 }))
			return;
		for (unsigned j = 1; in_hook(k, w->hook.regs.rip) && j < N_SHOTS; j++) {
			if (of_kernel(&shots[j]) || shots[j].sig == w->first->sig)
				continue;
			w->second = &shots[j];
			w->second_pc = w->hook.regs.rip;
			put_back(k, &w->hook);
			traps = w->hook.traps;
			w->f->runs++;
			if (check_end(w, child_run(k, shots[j].sig, shots[j].code, &traps),
				      traps) &&
			    check_seen(w))
				check_next(w, traps);
		}
		put_back(k, &w->hook);
		if (!child_step(k, 0, 0))
			return;
	}
}

/* ---- through the stub */

static void set_ring(struct child *k, enum fuzz_ring ring)
{
	struct ring_head *h = &k->w->rings[0].head;

	world_reset(k);
	h->head = h->reserved = h->tail = 3 * WORLD_SLOTS - RING_SLOT;
	if (ring == RING_SAME) {
		h->last_goid = WORLD_GOID;
		h->last_procid = WORLD_PROCID(0);
	} else if (ring == RING_FULL) {
		h->tail = h->head - WORLD_SLOTS + RING_SLOT;
	} else if (ring == RING_OFF) {
		h->tail = RING_DISABLED;
	} else if (ring == RING_STOPPED) {
		k->w->g[WORLD_G_STATUS] = 3;
	}
}

/* At a probed jump the kernel goes on at its target. */
static void pass_probe(const struct child *k, unsigned *traps)
{
	struct user_regs_struct r = child_get(k);
	int32_t distance;

	for (unsigned i = 0; i < k->parts.n_probes; i++) {
		if (r.rip != world_at(k, k->w->stub) + k->parts.probes[i])
			continue;
		memcpy(&distance, k->w->stub + k->parts.probes[i] + 1, 4);
		r.rip += 5 + (uint64_t)(int64_t)distance;
		child_set(k, &r);
		++*traps;
	}
}

static bool walkable(const struct child *k)
{
	uint64_t pc = child_get(k).rip, text = world_at(k, k->w->text);

	return in_stub(k, pc) || pc == text + TEXT_PADDING ||
	       (pc >= text + TEXT_WINDOW - k->c->compare_len && pc < text + TEXT_WINDOW + 3);
}

static void through_stub(struct walk *w)
{
	struct child *k = &w->f->k;
	struct user_regs_struct first = child_first_regs(k);
	unsigned traps = 0, step = 0;

	set_ring(k, w->ring);
	k->context_known = w->ring == RING_SAME;
	w->start = *k->w;
	child_set(k, &first);
	for (; step < MOST_STEPS && walkable(k); step++) {
		unsigned passed = traps;

		take(k, &w->at, traps);
		w->first_pc = w->at.regs.rip;
		for (unsigned i = 0; i < N_SHOTS; i++) {
			w->first = &shots[i];
			if (!shoot(w) && w->f->quiet)
				return; /* caught: that will do */
			if (w->f->nested && shots[i].sig == SIGPROF)
				shoot_twice(w);
		}
		put_back(k, &w->at);
		pass_probe(k, &traps);
		if (traps == passed && !child_step(k, 0, 0))
			return; /* a fault of the program */
	}
	if (!w->f->quiet)
		assert_true(step > 5 && step < MOST_STEPS);
}

void fuzz_case(struct fuzz *f, const struct world_case *c, enum fuzz_ring ring)
{
	fuzz_planted(f, c, ring, NULL, 0);
}

/* A run that does not end, as those with planted errors may. */
static pid_t running;

static void end_it(int sig)
{
	(void)sig;
	kill(running, SIGKILL); /* the run has not been waited for: it is still its number */
}

enum planted fuzz_planted(struct fuzz *f, const struct world_case *c, enum fuzz_ring ring,
			  fuzz_plant *plant, unsigned n)
{
	struct walk *w = calloc(1, sizeof(*w));
	enum planted planted = PLANTED;

	assert_non_null(w);
	child_start(&f->k, c, f->handlers);
	w->f = f;
	w->ring = ring;
	make_reference(&f->k, &w->ref);
	if (plant)
		planted = plant(&f->k, n);
	running = f->k.pid;
	signal(SIGALRM, end_it);
	alarm(plant ? 2 : 300);
	if (planted == PLANTED)
		through_stub(w);
	alarm(0);
	child_end(&f->k);
	free(w);
	return planted;
}
