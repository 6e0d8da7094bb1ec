// SPDX-License-Identifier: BSD-2-Clause
#include "attach/probing.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "attach/kernel/costs.h"
#include "attach/target/left_behind.h"
#include "attach/target/moved_bytes.h"
#include "attach/host/shadow_stack.h"
#include "attach/target/springboard.h"
#include "attach/target/threads.h"
#include "base/log.h"
#include "trace/keys.h"

enum stub_kind probing_nop(const struct caps *caps)
{
	/* A nop that stays one traps like the jump, but leaves pc in the stub. */
	if (caps->nop5_call && caps->nop5_ns && caps->nop5_ns < caps->jump_ns)
		return STUB_NOP5;
	if (caps->nop10_call && caps->nop10_ns && caps->nop10_ns < caps->jump_ns)
		return STUB_NOP10;
	return STUB_JUMP;
}

/* Set-id bits and file capabilities do nothing for a program that is ptraced by
 * one that may not trace everything (security/commoncap.c, cap_bprm_creds_from_file). */
static bool gains_privileges(int exe_fd)
{
	struct stat st;
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", exe_fd);
	return fstat(exe_fd, &st) || (st.st_mode & (S_ISUID | S_ISGID)) ||
	       getxattr(path, "security.capability", NULL, 0) > 0;
}

/* Why this kind of command cannot be patched; NULL: it can. */
static const char *mode_obstacle(const struct probing_options *opt)
{
	if (!opt->launched)
		return "the process runs already, and was not patched at its exec";
	if (opt->other_command)
		return "COMMAND is not BINARY itself, and gotrace patches only at COMMAND's exec";
	return NULL;
}

/* Why this binary must not be patched; NULL: it may. */
static const char *binary_obstacle(const struct probing_options *opt, const struct plan *plan)
{
	if (plan->stubs.obstacle)
		return plan->stubs.obstacle;
	if (!plan->stubs.bytes)
		return "none of its sites can have a stub";
	if (opt->launched && gains_privileges(opt->exe_fd))
		return "it gains privileges when it is executed, which ptrace would prevent";
	return NULL;
}

static bool may_perform_ret(const struct probing_options *opt)
{
	return opt->caps->ret_performed && !opt->step_rets &&
	       !(opt->launched ? shadow_stack_of_file(opt->exe_fd)
			       : shadow_stack_of_process(opt->pid));
}

/* ---- which sites are in stubs */

static void set_costs(struct probing *p)
{
	for (size_t i = 0; i < p->plan->n_sites; i++)
		p->cost_class[i] = cost_class_of(&p->plan->sites[i], p->in_stub[i], p->perform_ret);
}

void probing_fall_back(struct probing *p, const char *why)
{
	const enum probe_strategy asked = p->plan->strategy;

	log_line(asked == PROBE_AUTO ? LOG_LEVEL_DEBUG : LOG_LEVEL_WARN,
		 "%s is not used: %s; using emulated",
		 asked == PROBE_INLINE ? "inline" : "springboard", why);
	p->strategy = PROBE_EMULATED;
	p->why = why;
	memset(p->in_stub, 0, p->plan->n_sites * sizeof(*p->in_stub));
	p->n_in_stub = 0;
	set_costs(p);
}

void probing_patched(struct probing *p, const char *why)
{
	size_t n = 0;

	for (size_t i = 0; i < p->plan->n_sites; i++)
		n += p->in_stub[i];
	if (why || !n) {
		probing_fall_back(p,
				  why ? why : "none of the bytes to displace were as in the file");
		return;
	}
	p->n_in_stub = n;
	set_costs(p);
}

void probing_new_image(struct probing *p)
{
	memset(p->in_stub, 0, p->plan->n_sites * sizeof(*p->in_stub));
	set_costs(p);
}

static void use_stubs(struct probing *p, const char *why)
{
	if (p->stub_fd < 0)
		p->stub_fd = springboard_file(p->plan);
	if (p->stub_fd < 0) {
		log_debug("memfd_create: %s", strerror(-p->stub_fd));
		probing_fall_back(p, "there is no file in memory for stubs");
		return;
	}
	if (p->lock_fd < 0)
		p->lock_fd = left_behind_claim(p->stub_fd);
	if (p->lock_fd < 0) {
		log_debug("the lock of the stubs: %s", strerror(-p->lock_fd));
		probing_fall_back(p, "the file of stubs cannot be locked");
		return;
	}
	p->strategy = p->rings.fd >= 0 ? PROBE_INLINE : PROBE_SPRINGBOARD;
	p->why = why;
	for (size_t i = 0; i < p->plan->n_sites; i++)
		p->in_stub[i] = site_has_stub(&p->plan->sites[i]);
	p->n_in_stub = p->plan->stubs.n_sites;
}

/* Why no stub of the plan writes events; NULL: some do. */
static const char *no_inline(const struct probing *p)
{
	const struct plan_inline *inl = &p->plan->stubs.inl;

	if (inl->n_sites)
		return NULL;
	return inl->obstacle ? inl->obstacle
			     : "no event of these functions can be written by a stub";
}

/* Stubs that write events themselves; the plan has some. */
static void use_inline(struct probing *p, const struct probing_options *opt, const char *why)
{
	int err = 0;

	if (opt->rings && opt->rings->fd >= 0) {
		p->rings = *opt->rings;
		opt->rings->fd = -1;
	} else {
		err = ring_area_make(&p->rings, opt->n_rings,
				     p->plan->stubs.inl.options.ring_bytes);
	}
	if (!err) {
		use_stubs(p, why);
		return;
	}
	log_debug("rings: %s", strerror(-err));
	ring_area_close(&p->rings);
	probing_fall_back(p, "there is no memory for the rings (--ring makes them smaller)");
}

/* Uses stubs that trap, because none can write events. Traps cost far more, so a warning says why.
 */
static void use_traps(struct probing *p, const char *why)
{
	log_warn("inline is not used: %s; using springboard", why);
	use_stubs(p, why);
}

/* The same where it is asked for. */
static void use_inline_if_any(struct probing *p, const struct probing_options *opt)
{
	const char *why = no_inline(p);

	if (why)
		use_traps(p, why);
	else
		use_inline(p, opt, PROBE_WHY_ASKED);
}

static void take_stops(struct probing *p)
{
	p->stops_in = p->running->in;
	p->stops_out = p->running->out;
}

static void forget_running(struct probing *p)
{
	if (p->running)
		running_close(p->running);
	free(p->running);
	p->running = NULL;
}

/* ---- a process that runs already */

/* It must not become many times slower because something came in the way: that is the user's
 * choice. The end of the process, at any step, comes in the way too, and is the reason then. */
static int refuse(pid_t pid, const char *why)
{
	if (threads_end_soon(pid)) {
		log_error("process %d has ended", pid);
		return -ESRCH;
	}
	log_error("process %d cannot be recorded without traps: %s", pid, why);
	log_info("--probe=emulated records it with traps. Each call then costs microseconds, and "
		 "a busy server becomes many times slower");
	log_info("to see where its time goes without any probe: gotrace sample --wall --pid %d",
		 pid);
	return -ENOTSUP;
}

/* There is no springboard to fall back to: its stubs need no less, and cost more. */
static int use_inline_running(struct probing *p, const struct probing_options *opt)
{
	const struct running_options how = {
		.pid = opt->pid,
		.plan = p->plan,
		.exe_fd = opt->exe_fd,
		.n_rings = opt->n_rings,
		.traps = opt->traps,
	};
	const char *why = no_inline(p);

	if (!why)
		why = binary_obstacle(opt, p->plan);
	if (!why) {
		p->running = calloc(1, sizeof(*p->running));
		why = p->running
			      ? running_map(p->running, &how, &p->stub_fd, &p->lock_fd, &p->rings)
			      : "there is no memory for it";
	}
	if (why) {
		int err = refuse(opt->pid, why);

		forget_running(p);
		return err;
	}
	use_stubs(p, p->plan->strategy == PROBE_AUTO ? "stubs write the events" : PROBE_WHY_ASKED);
	for (size_t i = 0; i < p->plan->n_sites; i++)
		if (p->in_stub[i] && !plan_can_join(&p->plan->sites[i])) {
			p->in_stub[i] = false;
			p->n_in_stub--;
		}
	return 0;
}

/* With --traps a selection without any stub is one that the user wants to trap. So is a library: it
 * can have none. */
static int choose_for_running(struct probing *p, const struct probing_options *opt)
{
	const struct plan_inline *inl = &p->plan->stubs.inl;

	if (!opt->traps || (!opt->other_command && (inl->n_sites || inl->obstacle)))
		return use_inline_running(p, opt);
	p->strategy = PROBE_EMULATED;
	p->why = no_inline(p);
	return 0;
}

int probing_joined(struct probing *p, const char *why)
{
	const struct plan *plan = p->plan;
	const struct running *r = p->running;
	uint32_t last = PLAN_NO_FUNC;
	size_t n = 0;

	take_stops(p);
	for (size_t i = 0; i < plan->n_sites; i++)
		n += p->in_stub[i];
	if (why || !n)
		return refuse(r->opt.pid,
			      why ? why : "none of the bytes to displace were as in the file");
	p->n_in_stub = n;
	for (size_t i = 0; i < plan->n_sites; i++) {
		if (!r->whole[i] || p->in_stub[i])
			continue;
		p->left_alone[i] = true;
		p->n_left_out += plan->sites[i].func != last;
		last = plan->sites[i].func;
	}
	set_costs(p);
	return 0;
}

void probing_unmap(struct probing *p, bool ended)
{
	if (!p->running || p->kept_maps)
		return;
	const bool unmapped = ended || running_unmap(p->running);

	take_stops(p);
	if (unmapped) {
		forget_running(p);
		return;
	}
	p->kept_maps = true;
	log_warn(
		"process %d keeps its stubs: %zu jumps to them could not be taken out, or a thread stays inside. "
		"They cost nanoseconds, and the next 'gotrace record --pid' takes them out",
		p->running->opt.pid, p->running->n_patched);
}

/* ---- deciding */

static void choose_best(struct probing *p, const struct probing_options *opt, const char *obstacle)
{
	const char *why = no_inline(p);

	p->strategy = PROBE_EMULATED;
	if (!obstacle && !opt->caps->jump_ns)
		obstacle = "probes on a stub's jump were not seen to work here";
	if (!obstacle && !why)
		use_inline(p, opt, "stubs write the events");
	else if (p->perform_ret)
		p->why = "BPF programs perform the RETs: one trap each, nothing is patched";
	else if (obstacle)
		p->why = obstacle;
	else
		use_traps(p, why);
}

static void warn_of_runtime(const struct probing *p)
{
	for (size_t i = 0; i < p->plan->n_sites; i++)
		if (p->plan->sites[i].func == PLAN_NO_FUNC && p->left_alone[i])
			log_warn("%s is not seen, for the same reason: %s",
				 p->plan->sites[i].runtime_func,
				 p->plan->sites[i].kind == EV_CREATE
					 ? "who starts a goroutine is not recorded"
					 : "the runtime's work there is not recorded");
}

/* What another gotrace has moved in a process that runs. */
static int leave_alone(struct probing *p, pid_t pid, int exe_fd)
{
	int any = p->running ? 0 : moved_bytes_any(pid);

	if (any < 0) {
		log_error(
			"gotrace cannot read the memory map of process %d to look for another gotrace's stubs: %s",
			pid, strerror(-any));
		return any;
	}
	int n = any ? moved_bytes_find(pid, exe_fd, p->plan, p->left_alone) : 0;
	if (n < 0) {
		log_error(
			"another gotrace's stubs are in process %d, and which of its code they replace cannot "
			"be read: %s",
			pid, strerror(-n));
		return n;
	}
	if (n)
		log_warn(
			"%d of the selected functions are not probed: another gotrace has stubs in their code, or "
			"has left them there",
			n);
	p->n_left_alone = (size_t)n;
	warn_of_runtime(p);
	return 0;
}

static bool takes_inline(const struct plan *plan)
{
	return plan->strategy == PROBE_INLINE || plan->strategy == PROBE_AUTO;
}

int probing_choose(struct probing *p, const struct probing_options *opt, const struct plan *plan)
{
	const char *obstacle = mode_obstacle(opt);
	int err = 0;

	*p = (struct probing){
		.plan = plan,
		.strategy = plan->strategy,
		.why = PROBE_WHY_ASKED,
		/* thesis is the baseline: two traps a RET. */
		.perform_ret = plan->strategy != PROBE_THESIS && may_perform_ret(opt),
		.stub_fd = -1,
		.lock_fd = -1,
		.rings.fd = -1,
		.in_stub = calloc(plan->n_sites + 1, sizeof(*p->in_stub)),
		.left_alone = calloc(plan->n_sites + 1, sizeof(*p->left_alone)),
		.cost_class = calloc(plan->n_sites + 1, sizeof(*p->cost_class)),
	};
	if (!p->in_stub || !p->left_alone || !p->cost_class) {
		log_no_memory("no memory for %zu sites", plan->n_sites);
		return -ENOMEM;
	}
	const bool patches = plan->strategy == PROBE_SPRINGBOARD || plan->strategy == PROBE_INLINE;
	const bool joins = !opt->launched && takes_inline(plan);
	if (patches && obstacle && !joins) {
		log_error("--probe=%s cannot be used: %s; use --probe=auto",
			  probe_strategy_name(plan->strategy), obstacle);
		return -ENOTSUP;
	}
	if (!obstacle)
		obstacle = binary_obstacle(opt, plan);
	if (joins)
		err = choose_for_running(p, opt);
	else if (plan->strategy == PROBE_AUTO)
		choose_best(p, opt, obstacle);
	else if (patches && obstacle)
		probing_fall_back(p, obstacle);
	else if (plan->strategy == PROBE_INLINE)
		use_inline_if_any(p, opt);
	else if (plan->strategy == PROBE_SPRINGBOARD)
		use_stubs(p, PROBE_WHY_ASKED);
	set_costs(p);
	return err || opt->launched ? err : leave_alone(p, opt->pid, opt->exe_fd);
}

struct ring_site *probing_ring_sites(const struct probing *p)
{
	const struct plan *plan = p->plan;
	struct ring_site *sites = calloc(plan->n_sites + 1, sizeof(*sites));

	for (size_t i = 0; sites && i < plan->n_sites; i++)
		if (site_is_inline(&plan->sites[i]))
			sites[i] = rings_site(plan->sites[i].kind,
					      plan->sites[i].stub.ring_to_frame_bytes);
	return sites;
}

void probing_close(struct probing *p)
{
	probing_unmap(p, false);
	if (p->kept_maps)
		running_give_rings_back(p->running, &p->rings);
	forget_running(p);
	if (p->stub_fd >= 0)
		close(p->stub_fd);
	if (p->lock_fd >= 0)
		close(p->lock_fd);
	ring_area_close(&p->rings);
	free(p->in_stub);
	free(p->left_alone);
	free(p->cost_class);
	*p = (struct probing){ .stub_fd = -1, .lock_fd = -1, .rings.fd = -1 };
}
