// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/kernel/memory_cap.h"
#include "attach/target/ring_area.h"
#include "attach/target/mappings.h"
#include "attach/host/shadow_stack.h"
#include "base/foreign_file.h"
#include "base/log.h"
#include "binary/gostack.h"
#include "base/go_command.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "cli/record_run.h"
#include "plan/func_glob.h"

/* ---- which binary */

/* Where a C program has loaded Go code: how to trace that. */
static void say_which_library(pid_t pid)
{
	const struct foreign_rule rule = { .most_bytes = FOREIGN_BINARY_BYTES };
	char path[PATH_MAX + 32];
	struct mappings all;
	struct mapping m;
	bool found = false;

	if (mappings_open(&all, pid))
		return;
	while (!found && mappings_next(&all, &m)) {
		if (!m.executable || m.path[0] != '/')
			continue;
		snprintf(path, sizeof(path), "/proc/%d/root%s", pid, m.path);
		int fd = foreign_file_open(path, &rule);
		found = fd >= 0 && gostack_is_go(fd, path, 0);
		if (fd >= 0)
			close(fd);
		if (found)
			log_info("to trace the Go library that the process has loaded: "
				 "gotrace record --pid %d --exe %s --traps",
				 pid, m.path);
	}
	mappings_close(&all);
}

static bool starts_with_elf_magic(int fd)
{
	char magic[4];

	return pread(fd, magic, 4, 0) == 4 && memcmp(magic, "\177ELF", 4) == 0;
}

/* Refuses commands that build a program and run it as a child. */
static int refuse_launchers(const struct record_options *opt)
{
	char *instead = go_command_instead(opt->command);

	if (!instead)
		return 0;
	log_error("'go %s' starts the program as a child of its own; use: %s", opt->command[1],
		  instead);
	free(instead);
	return STATUS_FAILED;
}

static int find_command(const struct record_options *opt, struct record_chosen *c)
{
	const char *name = opt->command[0];
	int err = target_resolve(name, &c->user, c->command_path);

	if (err == -ENOENT) {
		log_error("%s: not found", name);
		return STATUS_NOT_FOUND;
	}
	if (err) {
		log_error("%s: cannot be run: %s", name, strerror(-err));
		return STATUS_CANNOT_RUN;
	}
	return 0;
}

/* Begins the part of the BPF programs for which nothing of the binary need be known, beside the
 * reading of it. The process keeps its user from here on until they are loaded; it does not where a
 * library is looked for. */
static void begin_bpf(struct run *r)
{
	if ((r->host && r->host->untraced) || (r->opt->pid && r->opt->exe))
		return;
	if (!r->opt->pid)
		signals_watch_early(&r->signals, gate_args_signals(&r->opt->gate) |
							 flight_args_signals(&r->opt->flight));
	record_early_cpu_rings(&r->early, r->opt->ring_bytes, memory_cap_bytes());
}

static int open_binary(struct run *r)
{
	const char *path = r->chosen.binary_path;

	/* What the command's user may only execute is not for the trace to show. What another
	 * process executes can be opened with the rights to trace it only, then asked for. */
	const bool of_process = r->opt->pid && !r->opt->exe;
	int err = of_process ? 0 : user_enter(&r->chosen.user);

	if (!err) {
		r->chosen.exe_fd = open(path, O_RDONLY | O_CLOEXEC);
		err = r->chosen.exe_fd < 0 ? -errno : 0;
	}
	if (!of_process)
		user_leave(&r->chosen.user);
	if (err) {
		log_error("%s: cannot be opened: %s%s", path, strerror(-err),
			  of_process ? "; is the process running, and is it yours?" : "");
		return STATUS_FAILED;
	}
	if (of_process && refuse_unreadable(&r->chosen.invoker, r->chosen.exe_fd, r->opt->pid))
		return STATUS_FAILED;
	if (!r->opt->exe && !r->opt->pid && !starts_with_elf_magic(r->chosen.exe_fd)) {
		log_error("%s is a script, not a Go binary; trace what it starts: "
			  "gotrace record --exe BINARY -- %s",
			  r->opt->command[0], r->opt->command[0]);
		return STATUS_FAILED;
	}
	begin_bpf(r);
	r->chosen.binary = gobin_open(r->chosen.exe_fd, path);
	if (!r->chosen.binary && errno == ENOMEM)
		log_no_memory("no memory for the functions of %s", path);
	if (!r->chosen.binary && !r->opt->exe && !r->opt->pid && errno == ENOEXEC)
		log_info("to trace a Go binary that %s executes, or a Go library that it loads: "
			 "gotrace record --exe BINARY -- %s",
			 r->opt->command[0], r->opt->command[0]);
	if (!r->chosen.binary && of_process && errno == ENOEXEC)
		say_which_library(r->opt->pid);
	if (!r->chosen.binary || gobin_refuse_foreign(r->chosen.binary) ||
	    gobin_layout(r->chosen.binary, &r->chosen.layout))
		return STATUS_FAILED;
	return 0;
}

/* A library that a running process has loaded. */
static int find_library(struct run *r)
{
	const struct gofunc *funcs;
	uint64_t bias;

	if (!memccpy(r->chosen.binary_path, r->opt->exe, '\0', sizeof(r->chosen.binary_path))) {
		log_error("--exe: the name is too long");
		return STATUS_FAILED;
	}
	if (target_attach(&r->target, r->opt->pid) || open_binary(r))
		return STATUS_FAILED;
	if (target_executes(r->opt->pid, r->chosen.exe_fd)) { /* it is no library */
		r->chosen.other_command = false;
		return refuse_unreadable(&r->chosen.invoker, r->chosen.exe_fd, r->opt->pid)
			       ? STATUS_FAILED
			       : 0;
	}
	if (!gobin_funcs(r->chosen.binary, &funcs) ||
	    target_text_bias(r->opt->pid, r->chosen.exe_fd, funcs[0].vaddr, funcs[0].file_off,
			     &bias)) {
		log_error(
			"--exe %s: process %d has not loaded this file; /proc/%d/maps names those "
			"that it has",
			r->opt->exe, r->opt->pid, r->opt->pid);
		return STATUS_FAILED;
	}
	return 0;
}

int record_find_binary(struct run *r)
{
	int status = 0;

	r->chosen.other_command = r->opt->exe;
	if (r->opt->pid && r->opt->exe)
		return find_library(r);
	if (r->opt->pid) {
		snprintf(r->chosen.binary_path, sizeof(r->chosen.binary_path), "/proc/%d/exe",
			 r->opt->pid);
		/* From here on it is known whether the process is still that one. */
		return target_attach(&r->target, r->opt->pid) ? STATUS_FAILED : open_binary(r);
	}
	status = refuse_launchers(r->opt);
	if (!status)
		status = find_command(r->opt, &r->chosen);
	if (!status && r->opt->exe) {
		int err = target_resolve(r->opt->exe, &r->chosen.user, r->chosen.binary_path);

		if (err == -EACCES && strchr(r->opt->exe, '/'))
			err = 0; /* a shared library need not be executable, only readable */
		if (err) {
			log_error("--exe %s: %s", r->opt->exe, strerror(-err));
			return STATUS_FAILED;
		}
	} else if (!status) {
		memcpy(r->chosen.binary_path, r->chosen.command_path,
		       sizeof(r->chosen.binary_path));
	}
	return status ? status : open_binary(r);
}

/* ---- where and how */

/* The kind of stub that was asked for, if this kernel makes it cheaper than a jump, for which it
 * must be known what the kernel can do. */
static enum stub_kind stub_kind(struct run *r)
{
	if (r->opt->selection.stub == CHOICE_JUMP)
		return STUB_JUMP;
	caps_try_end(&r->early.caps, &r->chosen.caps);
	r->caps_known = true;
	enum stub_kind nop = probing_nop(&r->chosen.caps);

	if (r->opt->selection.stub == CHOICE_NOP && nop == STUB_JUMP)
		log_warn(
			"--stub=nop: this kernel turns no nop into a system call, so a nop is no cheaper than a jump; using --stub=jump");
	return nop;
}

/* ---- inline stubs */

/* Why no stub may write events here, a clause; NULL: they may. */
static const char *inline_obstacle(struct run *r, unsigned n_rings, uint32_t ring_bytes)
{
	const struct plan_options *opt = &r->chosen.plan_options;

	if (r->opt->pid && r->chosen.other_command)
		return "BINARY is a library there, and only a program itself is given stubs while "
		       "it runs";
	if (opt->strategy == PROBE_AUTO && r->chosen.other_command)
		return "COMMAND is not BINARY itself, and gotrace patches only at COMMAND's exec";
	if (opt->strategy == PROBE_AUTO && r->opt->selection.stub != CHOICE_JUMP)
		return "--stub asks for springboard's stubs";
	r->chosen.clock = record_early_clock(&r->early);
	if (!r->chosen.clock.usable)
		return r->chosen.clock.why;
	return r->opt->pid ? NULL /* it makes them itself */
			   : ring_area_obstacle(n_rings, ring_bytes);
}

/* Inline stubs stamp their events with the processor's counter, and need their rings: where one
 * cannot be had they are springboard's, or there are none. */
static void prepare_inline(struct run *r, struct plan_options *opt)
{
	const unsigned n_rings = record_rings(r->opt);
	const uint32_t ring_bytes = record_ring_bytes(r->opt, n_rings);
	const char *why = inline_obstacle(r, n_rings, ring_bytes);

	if (!why && !r->opt->pid) /* such a process makes them itself */
		record_early_rings(&r->early, n_rings, ring_bytes);
	opt->inline_stubs = (struct plan_inline_options){
		.obstacle = why,
		.layout = &r->chosen.layout,
		.ring_bytes = ring_bytes,
		.drop = r->opt->drop,
		.shadow_stack = shadow_stack_of_file(r->chosen.exe_fd),
	};
}

/* Functions that --trigger and --when name are probed. */
static int add_also(const struct record_options *opt, struct record_chosen *c)
{
	const struct gate_args *gate = &opt->gate;
	struct plan_options *plan = &c->plan_options;

	c->also = calloc(gate->n_triggers + 1, sizeof(*c->also));
	if (!c->also) {
		log_no_memory("no memory for the selection");
		return -ENOMEM;
	}
	for (size_t i = 0; i < gate->n_triggers; i++)
		c->also[plan->n_also++] = gate->triggers[i];
	if (opt->flight.when_func)
		c->also[plan->n_also++] = opt->flight.when_func;
	plan->also = c->also;
	return 0;
}

/* Values of a call are read in a trap: whoever asks for them wants the trap. */
static bool is_asked_for(const struct record_options *opt, const struct plan_func *f)
{
	return opt->max_cost_traps && (f->n_args || f->n_results);
}

/* Without these nothing could be told: --max-cost does not release them. */
static int mark_named(const struct record_options *opt, struct record_chosen *c)
{
	c->named = calloc(c->plan->n_funcs + 1, sizeof(*c->named));
	if (!c->named) {
		log_no_memory("no memory for the selection");
		return -ENOMEM;
	}
	for (size_t i = 0; i < c->plan->n_funcs; i++) {
		c->named[i] = is_asked_for(opt, &c->plan->funcs[i]);
		for (size_t k = 0; k < c->plan_options.n_also && !c->named[i]; k++) {
			int hit = func_glob_hits(c->also[k], c->plan->funcs[i].name);

			if (hit < 0)
				return hit;
			c->named[i] = hit;
		}
	}
	return 0;
}

static int check_also(const struct record_options *opt, struct record_chosen *c)
{
	const char *when = opt->flight.when_func;
	int err = gate_args_check_plan(&opt->gate, c->plan, c->binary);

	if (!err && when)
		err = gate_args_check_glob("--when", when, c->plan, c->binary);
	return err ? err : mark_named(opt, c);
}

/* Why states of goroutines cannot be had, a clause; NULL: they can, or are not wanted. */
static const char *states_obstacle(const struct record_chosen *c)
{
	const struct plan_states *s = c->plan->states;

	if (s && !s->obstacle && (c->layout.g_waitreason < 0 || c->layout.g_atomicstatus < 0))
		return "where this runtime keeps a goroutine's state is not known";
	return s ? s->obstacle : NULL;
}

/* The heap of a C library may have grown to where stubs lie. */
static bool is_taken_above(const struct record_options *opt, const struct record_chosen *c)
{
	const struct gofunc *funcs;
	uint64_t bias;

	if (!opt->pid || !gobin_funcs(c->binary, &funcs) ||
	    target_text_bias(opt->pid, c->exe_fd, funcs[0].vaddr, funcs[0].file_off, &bias))
		return false;
	return target_has_mapped(opt->pid, bias + PLAN_STUBS_VADDR,
				 bias + PLAN_STUBS_VADDR + PLAN_STUBS_ROOM);
}

static int build_plan(const struct record_options *opt, struct record_chosen *c)
{
	c->plan_options.stubs_below = is_taken_above(opt, c);
	c->plan = plan_build(c->binary, &c->plan_options);
	if (!c->plan && errno == ENOMEM)
		log_no_memory("no memory for the plan");
	return c->plan ? 0 : -errno;
}

/* A command that can execute itself anew has stubs only where the kernel tells when it does
 * (patching_hold). */
static bool will_trap(const struct record_options *opt, const struct record_chosen *c)
{
	return !opt->pid && !caps_has_btf() && gobin_func_named(c->binary, "syscall.Exec");
}

/* States cost little where stubs write them: they are recorded there unless it is refused. */
static int plan_with_states(const struct record_options *opt, struct record_chosen *c)
{
	struct plan_options *plan = &c->plan_options;
	const bool asked = opt->states == STATES_ON;

	plan->states = asked ||
		       (opt->states == STATES_AUTO && !opt->trial_ns && !will_trap(opt, c));
	plan->states_if_inline = !asked;
	int err = build_plan(opt, c);
	const char *why = err ? NULL : states_obstacle(c);

	if (!why)
		return err;
	if (asked) {
		log_error("--states: %s; record without it", why);
		return -ENOTSUP;
	}
	log_debug("states of goroutines are not recorded: %s", why);
	plan_free(c->plan);
	plan->states = false;
	return build_plan(opt, c);
}

/* Before anything is attached: what is not recorded, and how it can be. */
static int say_what_is_left_out(const struct plan *p)
{
	const size_t n = p->n_fate[PLAN_TRAPS], rewritten = p->n_fate[PLAN_REWRITTEN];

	if (!p->n_probed && n) {
		log_error(
			"none of the %zu selected functions can be probed without a trap in a process "
			"that runs; --traps takes them, at microseconds a call",
			p->n_funcs);
		return -ENOTSUP;
	}
	if (!p->n_probed) {
		log_error(
			"none of the %zu selected functions can be probed; 'gotrace plan' says why",
			p->n_funcs);
		return -ENOTSUP;
	}
	if (n)
		log_info(
			"%zu of %zu selected functions are left out, because their calls would trap; --traps "
			"records them, at microseconds a call",
			n, p->n_funcs);
	if (rewritten)
		log_info(
			"%zu of %zu selected functions are left out: %s makes the program's text "
			"writable, and a copy of a probed function crashes; -f NAME takes one all the "
			"same",
			rewritten, p->n_funcs, p->text_writer);
	return 0;
}

int record_plan(struct run *r)
{
	struct plan_options *opt = &r->chosen.plan_options;

	opt->stub = stub_kind(r);
	phases_done(&r->phases, PHASE_KERNEL);
	opt->running = r->opt->pid;
	if (opt->strategy == PROBE_INLINE || opt->strategy == PROBE_AUTO)
		prepare_inline(r, opt);
	phases_done(&r->phases, PHASE_CLOCK);
	if (add_also(r->opt, &r->chosen) || plan_with_states(r->opt, &r->chosen) ||
	    check_also(r->opt, &r->chosen))
		return STATUS_FAILED;
	if (say_what_is_left_out(r->chosen.plan))
		return STATUS_FAILED;
	phases_done(&r->phases, PHASE_PLAN);
	if (!r->caps_known)
		caps_try_end(&r->early.caps, &r->chosen.caps);
	phases_done(&r->phases, PHASE_KERNEL);
	const struct probing_options how = {
		.caps = &r->chosen.caps,
		.step_rets = r->opt->selection.step_rets,
		.launched = !r->opt->pid,
		.traps = opt->traps,
		.other_command = r->chosen.other_command,
		.exe_fd = r->chosen.exe_fd,
		.pid = r->opt->pid,
		.n_rings = record_rings(r->opt),
		.rings = record_early_take_rings(&r->early),
	};
	int err = probing_choose(&r->probing, &how, r->chosen.plan);

	phases_done(&r->phases, PHASE_STUBS);
	return err ? STATUS_FAILED : 0;
}
