// SPDX-License-Identifier: BSD-2-Clause
#include "attach/releasing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "attach/target/stub_switch.h"
#include "base/clock.h"
#include "base/log.h"

#define LOOK_APART_NS (RELEASING_LOOK_MS * 1000000ull)
/* Of the program, since the last judgement. */
#define ENOUGH_CPU_NS  40000000ull
#define FIRST_CPU_NS   5000000ull
#define STUCK_NS       1000000000ull
#define RECENT_NS      500000000ull
#define RUNTIME_CPU_NS 500000000ull
/* A leaf that is stepped traps as often as it can: no time is to be lost. */
#define TRAPS_LOOK_MS 10
#define ASKED_LOOK_MS 1
/* While nothing can trap. */
#define NO_TRAP_LOOK_MS 250

int releasing_open(struct releasing *r, const struct releasing_options *opt)
{
	const struct plan *plan = opt->attach.probing->plan;

	*r = (struct releasing){ .opt = *opt, .scale = 1 };
	r->releases = releases_new(plan);
	r->released = calloc(plan->n_funcs + 1, sizeof(*r->released));
	r->when = calloc(plan->n_funcs + 1, sizeof(*r->when));
	r->func_ns = calloc(plan->n_funcs + 1, sizeof(*r->func_ns));
	r->trap_ns = calloc(plan->n_funcs + 1, sizeof(*r->trap_ns));
	r->any_trap = true;
	int err = trap_limit_open(&r->traps, plan->n_funcs);

	return !err && r->releases && r->released && r->when && r->func_ns && r->trap_ns ? 0
											 : -ENOMEM;
}

static const struct plan *plan_of(const struct releasing *r)
{
	return r->opt.attach.probing->plan;
}

static void tell_news(struct releasing *r, uint64_t now_ns, bool last)
{
	char text[RELEASE_NEWS_BYTES];
	const char *line = r->opt.say ? release_news_text(&r->news, plan_of(r), r->opt.max_share,
							  now_ns, last, text)
				      : NULL;

	if (line)
		log_info("%s", line);
}

void releasing_close(struct releasing *r)
{
	releasing_finish(r);
	if (r->releases)
		tell_news(r, clock_monotonic_ns(), true);
	releases_free(r->releases);
	free(r->released);
	free(r->when);
	free(r->func_ns);
	free(r->trap_ns);
	trap_limit_close(&r->traps);
	*r = (struct releasing){ 0 };
}

/* ---- which */

/* What happened since the last judgement. */
struct window {
	struct cost_span span;
	uint64_t *func_ns;
	uint32_t *chosen;
	struct release *list;
	uint64_t all_ns;     /* of all sites */
	uint64_t runtime_ns; /* of sites inside the Go runtime, which every trace needs */
	uint64_t ever_ns;    /* of functions since the recording began, unscaled */
};

/*
 * What gotrace itself takes of the program's processor time, where no processor is free: of what
 * the machine has, all programs go without it, each in proportion to what it takes.
 */
static double taken_ns(const struct releasing *r, const struct host_time *now, double span_ns,
		       uint64_t cpu_ns)
{
	double idle_ns = (double)(now->idle_ns - r->host.idle_ns),
	       all_ns = idle_ns + (double)(now->busy_ns - r->host.busy_ns),
	       own_ns = (double)(clock_own_cpu_ns() - r->own_ns);

	return all_ns > 0 && idle_ns < span_ns
		       ? (1 - idle_ns / span_ns) * own_ns * (double)cpu_ns / all_ns
		       : 0;
}

/* What the samples of a window say. */
static void learn_scale(struct releasing *r, uint64_t now_ns, uint64_t cpu_ns, uint64_t all_ns)
{
	const struct cpu_samples_seen s = cpu_samples_seen(r->opt.samples), *was = &r->samples;
	const struct host_time host = host_time_now();

	if (r->cpu_ns && !r->fresh) {
		r->seen.cpu_ns += (double)cpu_ns;
		r->seen.estimated_ns += (double)all_ns;
		r->seen.sampled_ns += (double)(s.ns - was->ns);
		r->seen.sampled_probe_ns += (double)(s.probe_ns - was->probe_ns);
		r->seen.n_probes += s.n_probes - was->n_probes;
		r->seen.own_ns += taken_ns(r, &host, (double)(now_ns - r->looked_ns), cpu_ns);
		r->scale = cost_seen_scale(&r->seen, r->scale);
	}
	r->samples = s;
	r->own_ns = clock_own_cpu_ns();
	r->host = host;
}

static uint64_t scaled(const struct releasing *r, uint64_t ns)
{
	return (uint64_t)(r->scale * (double)ns);
}

static int open_window(struct window *w, struct releasing *r, const struct probe_load *l,
		       uint64_t now_ns, uint64_t cpu_ns)
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
	learn_scale(r, now_ns, w->span.cpu_ns, l->ns - r->all_ns);
	w->all_ns = w->runtime_ns = scaled(r, l->ns - r->all_ns);
	for (size_t i = 0; i < n; i++) {
		uint64_t ns = scaled(r, l->funcs[i].ns - r->func_ns[i]);

		w->ever_ns += l->funcs[i].ns;
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

static void say_runtime(struct releasing *r, const struct window *w, uint64_t cpu_ns)
{
	r->runtime_ns += w->runtime_ns;
	cpu_ns -= r->first.cpu_ns;
	if (r->said_runtime || !r->opt.say || cpu_ns < RUNTIME_CPU_NS ||
	    !cost_limit_exceeded(cpu_ns, r->runtime_ns, r->opt.max_share))
		return;
	r->said_runtime = true;
	log_warn("probes inside the Go runtime, which every trace needs, take about %.0f%% of the "
		 "processor time: more than --max-cost=%g%%",
		 percent(r->runtime_ns, cpu_ns), 100 * r->opt.max_share);
}

static void ask(struct releasing *r, const struct release *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		r->released[list[i].func] = true;
		r->when[list[i].func] = (struct released_func){
			clock_monotonic_ns(),
			(double)list[i].probe_ns / (double)(list[i].cpu_ns ? list[i].cpu_ns : 1),
		};
	}
	release_news_add(&r->news, list, n);
	r->n_released += n;
	releases_ask(r->releases, list, n);
	r->state = RELEASING_ASKED;
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
	}
	r->seen = (struct cost_seen){ 0 };
	ask(r, w->list, n);
}

/* Nothing is left to release, and the rest takes more than the share: sites in the runtime, stubs
 * of released functions. gotrace's own time does not count: it
 * costs the program nothing where a processor is free. */
static void note_stuck(struct releasing *r, const struct window *w, uint64_t now_ns)
{
	double share = cost_seen_share(&r->seen);

	if (share < 0)
		share = (double)w->all_ns / (double)(w->span.cpu_ns ? w->span.cpu_ns : 1);
	r->last_share = share;
	if (r->state != RELEASING_WATCH || share <= r->opt.max_share)
		r->stuck_ns = 0;
	else if (!r->stuck_ns)
		r->stuck_ns = now_ns;
	else if (now_ns - r->stuck_ns > STUCK_NS)
		r->hopeless = true;
}

/* Once it is known what to compare with. */
static void decide(struct releasing *r, struct window *w, uint64_t now_ns, uint64_t cpu_ns)
{
	say_runtime(r, w, cpu_ns);
	bool exceeded = cost_limit_exceeded(cpu_ns - r->first.cpu_ns,
					    scaled(r, w->ever_ns - r->first.ever_ns),
					    r->opt.max_share);

	if (now_ns - r->recent.at_ns >= RECENT_NS) {
		exceeded |= cost_limit_exceeded(cpu_ns - r->recent.cpu_ns,
						scaled(r, w->ever_ns - r->recent.ever_ns),
						r->opt.max_share);
		r->recent = (struct release_mark){ now_ns, cpu_ns, w->ever_ns };
	}
	if (exceeded)
		choose(r, w);
	note_stuck(r, w, now_ns);
}

/* The promise is about the whole recording and each second of it, what to release is seen best in
 * what happened last. */
static void judge(struct releasing *r, uint64_t now_ns, uint64_t cpu_ns)
{
	struct probe_load l;
	struct window w = { 0 };

	if (!load_watch_find(r->opt.load, &l) && !open_window(&w, r, &l, now_ns, cpu_ns)) {
		if (!r->cpu_ns) {
			r->first = r->recent = (struct release_mark){ now_ns, cpu_ns, w.ever_ns };
		} else if (!r->fresh) {
			decide(r, &w, now_ns, cpu_ns);
		}
		r->fresh = false;
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

static void judge_traps(struct releasing *r, uint64_t now_ns, uint64_t cpu_ns)
{
	const size_t n_funcs = plan_of(r)->n_funcs;
	struct release *list;
	size_t n = 0;

	r->any_trap = load_watch_traps(r->opt.load, r->trap_ns);
	list = r->any_trap ? calloc(n_funcs + 1, sizeof(*list)) : NULL;
	if (list)
		n = trap_limit_choose(&r->traps, now_ns, cpu_ns, r->trap_ns, r->opt.never, list);
	if (n)
		ask(r, list, n);
	free(list);
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
	const bool duplicates = r->opt.attach.kind == ATTACH_MULTI;

	r->state = RELEASING_WATCH;
	if (duplicates)
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
	if (duplicates)
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

int releasing_wait_ms(const struct releasing *r)
{
	if (!r->opt.traps_only)
		return RELEASING_LOOK_MS;
	if (r->state == RELEASING_ASKED)
		return ASKED_LOOK_MS;
	return r->any_trap ? TRAPS_LOOK_MS : NO_TRAP_LOOK_MS;
}

void releasing_look(struct releasing *r, uint64_t now_ns, uint64_t cpu_ns)
{
	if (r->state == RELEASING_ASKED && releases_all_done(r->releases)) {
		detach(r);
		r->fresh = true;
	} else if (r->state == RELEASING_DROP && r->dropped) {
		releasing_finish(r);
		silence(r);
		r->fresh = true;
	}
	tell_news(r, now_ns, false);
	if (r->opt.traps_only) {
		if (r->state == RELEASING_WATCH)
			judge_traps(r, now_ns, cpu_ns);
		return;
	}
	if (r->state != RELEASING_WATCH || now_ns - r->looked_ns < LOOK_APART_NS ||
	    cpu_ns < r->cpu_ns + (r->cpu_ns ? ENOUGH_CPU_NS : FIRST_CPU_NS))
		return;
	judge(r, now_ns, cpu_ns);
	r->looked_ns = now_ns;
}
