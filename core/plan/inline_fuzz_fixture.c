// SPDX-License-Identifier: BSD-2-Clause
#include "plan/inline_fuzz_fixture.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plan/inline_asm.h"

#define MOST_STEPS 400

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

static void take(const struct child *k, struct snapshot *s, unsigned traps)
{
	s->regs = child_get(k);
	s->traps = traps;
	ptrace(PTRACE_GETSIGMASK, k->pid, (void *)8, &s->mask);
	memcpy(&s->data, k->w->text + TEXT_DATA, 8);
	memcpy(s->memory, k->w->table, WORLD_MUTABLE);
}

static void put_back(const struct child *k, const struct snapshot *s)
{
	child_set(k, &s->regs);
	ptrace(PTRACE_SETSIGMASK, k->pid, (void *)8, &s->mask);
	memcpy(k->w->text + TEXT_DATA, &s->data, 8);
	memcpy(k->w->table, s->memory, WORLD_MUTABLE);
}

/* Whether the stub records. */
static void set_switch(const struct child *k, bool records)
{
	if (k->parts.record_switch)
		k->w->stub[k->parts.record_switch] = records ? INLINE_RECORDS : INLINE_SILENT;
}

static bool shoot(struct walk *w)
{
	struct child *k = &w->f->k;
	const struct shot *s = w->first;
	uint64_t original = 0;
	enum place place = place_of(k, w->at.regs.rip, &original);
	unsigned traps = w->at.traps, before;
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
	before = (unsigned)total_events(k, traps);
	end = child_run(k, s->sig, s->code, &traps);
	if (!check_seen(w))
		return false;
	if (of_kernel(s) && place == OF_PROGRAM && s->policy == POLICY_PANIC)
		return check_fault(w, end, traps, original, before);
	return check_end(w, end, traps) && check_signal(w, place) && check_next(w, traps);
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
	enum world_end end;
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
			end = child_run(k, shots[j].sig, shots[j].code, &traps);
			if (check_end(w, end, traps) && check_seen(w))
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
	} else if (ring == RING_RESTS) {
		h->tail = k->w->rings[1].head.tail = RING_PAUSED;
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

	return in_stub(k, pc) || pc == text + TEXT_PADDING || pc == text + TEXT_TO_WINDOW ||
	       (!k->c->branch && pc >= text + TEXT_WINDOW - k->c->compare_len &&
		pc < text + TEXT_WINDOW + 3);
}

static void through_stub(struct walk *w)
{
	struct child *k = &w->f->k;
	struct user_regs_struct first = child_first_regs(k);
	unsigned traps = 0, step = 0;

	set_ring(k, w->ring);
	set_switch(k, w->ring != RING_SILENT);
	k->context_known = w->ring == RING_SAME;
	w->start = *k->w;
	child_set(k, &first);
	for (; step < MOST_STEPS && walkable(k); step++) {
		unsigned passed = traps;

		take(k, &w->at, traps);
		w->first_pc = w->at.regs.rip;
		set_switch(k, w->ring != RING_SILENT && w->ring != RING_TOLD);
		for (unsigned i = 0; i < N_SHOTS; i++) {
			w->first = &shots[i];
			if (!shoot(w) && w->f->quiet)
				return; /* caught: that will do */
			if (w->f->nested && shots[i].sig == SIGPROF)
				shoot_twice(w);
		}
		put_back(k, &w->at);
		set_switch(k, w->ring != RING_SILENT);
		pass_probe(k, &traps);
		if (traps == passed && !child_step(k, 0, 0))
			return; /* a fault of the program */
	}
	if (!w->f->quiet)
		assert_true(step > 2 && step < MOST_STEPS);
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
