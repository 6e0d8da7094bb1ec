// SPDX-License-Identifier: BSD-2-Clause
#include "attach/releasing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "attach/cost_limit.h"
#include "attach/target/stub_switch.h"
#include "base/clock.h"
#include "base/log.h"

#define LOOK_APART_NS (RELEASING_LOOK_MS * 1000000ull)
/* Of the program, since the last judgement. */
#define ENOUGH_CPU_NS 40000000ull
#define FIRST_CPU_NS  5000000ull

int releasing_open(struct releasing *r, const struct releasing_options *opt)
{
	const struct plan *plan = opt->attach.probing->plan;

	*r = (struct releasing){ .opt = *opt, .scale = 1 };
	r->releases = releases_new(plan);
	r->released = calloc(plan->n_funcs + 1, sizeof(*r->released));
	r->when = calloc(plan->n_funcs + 1, sizeof(*r->when));
	r->func_ns = calloc(plan->n_funcs + 1, sizeof(*r->func_ns));
	return r->releases && r->released && r->when && r->func_ns ? 0 : -ENOMEM;
}

void releasing_close(struct releasing *r)
{
	releasing_finish(r);
	releases_free(r->releases);
	free(r->released);
	free(r->when);
	free(r->func_ns);
	*r = (struct releasing){ 0 };
}

static const struct plan *plan_of(const struct releasing *r)
{
	return r->opt.attach.probing->plan;
}

/* ---- which */

/* What happened since the last judgement. */
struct window {
	struct cost_span span;
	uint64_t *func_ns;
	uint32_t *chosen;
	struct release *list;
	uint64_t runtime_ns; /* of sites inside the Go runtime, which every trace needs */
	uint64_t ever_ns;    /* of functions since the recording began */
};

/* What an event costs was measured while others may have used the machine as well: the probes
 * cannot have taken more time than there was. */
static void learn_scale(struct releasing *r, uint64_t cpu_ns, uint64_t all_ns)
{
	if (r->cpu_ns && r->scale * (double)all_ns > (double)cpu_ns)
		r->scale = (double)cpu_ns / (double)all_ns;
}

static uint64_t scaled(const struct releasing *r, uint64_t ns)
{
	return (uint64_t)(r->scale * (double)ns);
}

static int open_window(struct window *w, struct releasing *r, const struct probe_load *l,
		       uint64_t cpu_ns)
{
	const size_t n = plan_of(r)->n_funcs;

	*w = (struct window){
		.func_ns = calloc(n + 1, sizeof(*w->func_ns)),
		.chosen = calloc(n + 1, sizeof(*w->chosen)),
		.list = calloc(n + 1, sizeof(*w->list)),
	};
	if (!w->func_ns || !w->chosen || !w->list)
		return -ENOMEM;
	w->span = (struct cost_span){ .cpu_ns = cpu_ns - r->cpu_ns,
				      .func_ns = w->func_ns,
				      .n_funcs = n };
	learn_scale(r, w->span.cpu_ns, l->ns - r->all_ns);
	w->runtime_ns = scaled(r, l->ns - r->all_ns);
	for (size_t i = 0; i < n; i++) {
		uint64_t ns = scaled(r, l->funcs[i].ns - r->func_ns[i]);

		w->ever_ns += scaled(r, l->funcs[i].ns);
		w->runtime_ns -= ns < w->runtime_ns ? ns : w->runtime_ns;
		w->func_ns[i] = r->released[i] || (r->opt.never && r->opt.never[i]) ? 0 : ns;
		w->span.all_ns += w->func_ns[i];
	}
	return 0;
}

static void close_window(struct window *w)
{
	free(w->func_ns);
	free(w->chosen);
	free(w->list);
}

static double percent(uint64_t part, uint64_t whole)
{
	double share = 100.0 * (double)part / (double)(whole ? whole : 1);

	return share < 100 ? share : 100;
}

static void say(const struct releasing *r, const struct release *x)
{
	if (r->opt.say)
		log_info("released %s: its probes took about %.0f%% of the processor time "
			 "(--max-cost=%g%%); calls from here on are not recorded",
			 plan_of(r)->funcs[x->func].name, percent(x->probe_ns, x->cpu_ns),
			 100 * r->opt.max_share);
}

static void say_runtime(struct releasing *r, const struct window *w)
{
	if (r->said_runtime || !r->opt.say ||
	    !cost_limit_exceeded(w->span.cpu_ns, w->runtime_ns, r->opt.max_share))
		return;
	r->said_runtime = true;
	log_warn("probes inside the Go runtime, which every trace needs, take about %.0f%% of the "
		 "processor time: more than --max-cost=%g%%",
		 percent(w->runtime_ns, w->span.cpu_ns), 100 * r->opt.max_share);
}

static void choose(struct releasing *r, struct window *w)
{
	uint64_t left_ns;
	size_t n = cost_limit_choose(&w->span, r->opt.max_share, w->chosen, &left_ns);

	if (!n)
		return;
	for (size_t i = 0; i < n; i++) {
		const uint32_t func = w->chosen[i];

		w->list[i] = (struct release){ func, w->func_ns[func], w->span.cpu_ns };
		r->released[func] = true;
		r->when[func] = (struct released_func){
			clock_monotonic_ns(),
			(double)w->func_ns[func] / (double)w->span.cpu_ns,
		};
		say(r, &w->list[i]);
	}
	r->n_released += n;
	releases_ask(r->releases, w->list, n);
	r->state = RELEASING_ASKED;
}

/* The promise is about the whole recording, what to release is seen best in what happened last. */
static void judge(struct releasing *r, uint64_t cpu_ns)
{
	struct probe_load l;
	struct window w = { 0 };

	if (!load_watch_find(r->opt.load, &l) && !open_window(&w, r, &l, cpu_ns)) {
		uint64_t first_ns = scaled(r, r->cpu_ns ? r->first_ever_ns : l.ns);

		if (!r->cpu_ns) {
			r->first_cpu_ns = cpu_ns;
			r->first_ever_ns = w.ever_ns;
		} else {
			say_runtime(r, &w);
		}
		if (w.ever_ns > first_ns &&
		    cost_limit_exceeded(cpu_ns - r->first_cpu_ns, w.ever_ns - first_ns,
					r->opt.max_share))
			choose(r, &w);
		if (r->state == RELEASING_ASKED || !r->cpu_ns) {
			r->rest_cpu_ns = cpu_ns;
			r->rest_ns = l.ns;
		}
		for (size_t i = 0; i < plan_of(r)->n_funcs; i++)
			r->func_ns[i] = l.funcs[i].ns;
		r->all_ns = l.ns;
		r->cpu_ns = cpu_ns;
	}
	close_window(&w);
	probe_load_free(&l);
}

/* ---- their probes */

static void *drop(void *arg)
{
	struct releasing *r = arg;

	links_drop(&r->gone);
	r->dropped = true;
	return NULL;
}

/* Their inline stubs have no probe any more: they are to write no events either. */
static void silence(struct releasing *r)
{
	const struct probing *probing = r->opt.attach.probing;
	size_t n_left = 0;
	int err;

	if (probing->strategy != PROBE_INLINE || r->links_stuck)
		return;
	err = stub_switch_off(r->opt.pid, probing->plan, r->opt.probes->state->text_bias,
			      probing->in_stub, r->released, &n_left);
	if ((err || n_left) && err != -ENOENT && err != -ESRCH && !r->stubs_stuck) {
		log_warn("inline stubs of released functions still write events, which are "
			 "dropped: %s; they cost what they did",
			 err ? strerror(-err) : "the process has something else there");
		r->stubs_stuck = true;
	}
}

static void detach(struct releasing *r)
{
	const bool doubles = r->opt.attach.kind == ATTACH_MULTI;

	r->state = RELEASING_WATCH;
	if (doubles)
		releases_double(r->releases, r->opt.links->second);
	int err = links_release(r->opt.links, r->opt.probes, &r->opt.attach, r->released, &r->gone);

	if (err && !r->links_stuck)
		log_warn("the probes of released functions stay: %s; they cost what they did",
			 strerror(-err));
	r->links_stuck |= err != 0;
	r->dropped = false;
	if (!err && !pthread_create(&r->thread, NULL, drop, r)) {
		r->state = RELEASING_DROP;
		return;
	}
	if (!err) {
		links_drop(&r->gone);
		silence(r);
	}
	if (doubles)
		releases_single(r->releases, clock_monotonic_ns());
}

void releasing_finish(struct releasing *r)
{
	if (r->state != RELEASING_DROP)
		return;
	pthread_join(r->thread, NULL);
	releases_single(r->releases, clock_monotonic_ns());
	r->state = RELEASING_WATCH;
}

void releasing_look(struct releasing *r, uint64_t now_ns, uint64_t cpu_ns)
{
	if (r->state == RELEASING_ASKED && releases_all_done(r->releases)) {
		detach(r);
	} else if (r->state == RELEASING_DROP && r->dropped) {
		releasing_finish(r);
		silence(r);
	}
	if (r->state != RELEASING_WATCH || now_ns - r->looked_ns < LOOK_APART_NS ||
	    cpu_ns < r->cpu_ns + (r->cpu_ns ? ENOUGH_CPU_NS : FIRST_CPU_NS))
		return;
	r->looked_ns = now_ns;
	judge(r, cpu_ns);
}
