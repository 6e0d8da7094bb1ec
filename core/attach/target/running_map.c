// SPDX-License-Identifier: BSD-2-Clause
/* Stubs and rings get into a process that runs already. */
#include "attach/target/running_map.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach/target/left_behind.h"
#include "attach/target/running_why.h"
#include "attach/host/shadow_stack.h"
#include "attach/target/springboard.h"
#include "attach/target/threads.h"
#include "base/log.h"
#include "plan/inline_hook.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008u /* 105ff5339f49, Linux 6.3 */
#endif

/* ---- whether it can be */

static const char *obstacle_in(const char *line)
{
	if (strncmp(line, "Seccomp:", 8) == 0 && atoi(line + 8) != 0)
		return "a seccomp filter may forbid the system calls that it takes";
	if (strncmp(line, "TracerPid:", 10) == 0 && atoi(line + 10) != 0)
		return "something else traces it";
	if (strncmp(line, "State:", 6) == 0 && strpbrk(line + 6, "Tt"))
		return "it is stopped";
	return NULL;
}

static const char *thread_obstacle(pid_t pid, pid_t tid)
{
	const char *why = NULL;
	char path[64], line[256];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", pid, tid);
	FILE *f = fopen(path, "re");
	if (!f) /* ENOENT: the thread has ended */
		return errno == ENOENT ? NULL : "the state of its threads cannot be read";
	errno = 0;
	while (!why && fgets(line, sizeof(line), f))
		why = obstacle_in(line);
	if (!why && ferror(f) && errno != ESRCH)
		why = "the state of its threads cannot be read";
	fclose(f);
	return why;
}

static const char *process_obstacle(pid_t pid)
{
	const char *why = NULL;
	char path[32];
	pid_t tid;

	if (shadow_stack_of_process(pid))
		return "it runs with a shadow stack";
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	DIR *d = opendir(path);
	if (!d)
		return "its threads cannot be listed";
	while (!why && (errno = 0, tid = threads_next(d)))
		why = thread_obstacle(pid, tid);
	if (!why && errno && errno != ENOENT)
		why = "its threads cannot be listed";
	closedir(d);
	return why;
}

/* Where its runtime keeps what has to be known, and code that never runs again. */
static const char *find_runtime(struct running *r)
{
	const struct plan *plan = r->opt.plan;
	const struct golayout *layout = plan->stubs.inl.options.layout;
	const struct gofunc *preempt = gobin_func_named(plan->binary, "runtime.asyncPreempt"),
			    *preempt2 = gobin_func_named(plan->binary, "runtime.asyncPreempt2"),
			    *start = gobin_func_named(plan->binary, "runtime.rt0_go");
	const uint64_t bias = r->text.bias;

	if (!preempt || !preempt2 || !layout || layout->g_sched_pc < 0 || layout->g_sched_sp < 0 ||
	    layout->g_stack_hi < 0 || gobin_allgs(plan->binary, &r->look.allgs))
		return "where this runtime keeps its goroutines is not known";
	if (!start || start->size < REMOTE_CODE_BYTES)
		return "how this runtime starts is not known";
	r->look.layout = layout;
	r->look.allgs += bias;
	r->look.preempt = (struct code_range){ preempt->vaddr + bias, preempt->size };
	r->look.preempt2 = (struct code_range){ preempt2->vaddr + bias, preempt2->size };
	r->code_at = start->vaddr + bias;
	return NULL;
}

static const char *make_marks(struct running *r)
{
	const struct plan *plan = r->opt.plan;
	const struct gofunc *funcs;
	size_t n = gobin_funcs(plan->binary, &funcs);
	/* padding after the last one included */
	const uint64_t end = funcs[n - 1].vaddr + funcs[n - 1].size + INLINE_ALIGN;

	r->look.text = funcs[0].vaddr + r->text.bias;
	r->look.text_bytes = end - funcs[0].vaddr;
	r->look.stubs = plan->stubs.vaddr + r->text.bias;
	r->look.stubs_bytes = plan->stubs.bytes;
	r->inside = malloc(r->look.text_bytes / 8 + 1);
	r->look.inside = r->inside;
	r->patched = calloc(plan->n_sites + 1, sizeof(*r->patched));
	r->whole = calloc(plan->n_sites + 1, sizeof(*r->whole));
	return r->inside && r->patched && r->whole ? NULL : "there is no memory for it";
}

static const char *look_at_process(struct running *r)
{
	const uint64_t hook = r->opt.plan->stubs.inl.sigtramp_vaddr + INLINE_SIGTRAMP_JUMP;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/mem", r->opt.pid);
	r->text.mem_fd = open(path, O_RDWR | O_CLOEXEC);
	const char *why = r->text.mem_fd < 0 ? "its memory cannot be written"
					     : text_patch_other_image(r->opt.pid, r->opt.exe_fd);

	if (!why)
		why = text_patch_find(&r->text, r->opt.pid, r->opt.exe_fd);
	if (!why && hook / 4096 != (hook + 4) / 4096)
		why = "its signal handler cannot be patched at once";
	if (!why)
		why = process_obstacle(r->opt.pid);
	if (!why)
		why = find_runtime(r);
	if (!why)
		why = make_marks(r);
	return why ? why : left_behind_take_back(r);
}

/* ---- files in memory, made by the process: it can map no other ones of ours */

struct file {
	int its; /* descriptor in the process; -1: none */
	int ours;
};

static int open_its(pid_t pid, int its)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, its);
	int fd = open(path, O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* 0, or -errno of a call that the kernel refused or the thread did not make. */
static int make_file(struct running *r, struct remote *remote, const char *name, struct file *out)
{
	if (out->ours >= 0) /* by another thread */
		return 0;
	const unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
	uint64_t args[7] = { SYS_memfd_create, 0, flags | MFD_NOEXEC_SEAL };
	int64_t got = 0;
	int err = remote_call(remote, args, name, &got);

	if (!err && got == -EINVAL) {
		args[2] = flags;
		err = remote_call(remote, args, name, &got);
	}
	if (err || got < 0)
		return err ? err : (int)got;
	out->its = (int)got;
	out->ours = open_its(r->opt.pid, out->its);
	return out->ours < 0 ? out->ours : 0;
}

/* Whether its descriptor is still that file: its threads may have closed it. */
static bool still_its(const struct running *r, const struct file *f)
{
	struct stat ours, its;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", r->opt.pid, f->its);
	return f->its >= 0 && !fstat(f->ours, &ours) && !stat(path, &its) &&
	       ours.st_dev == its.st_dev && ours.st_ino == its.st_ino;
}

static void close_its(const struct running *r, struct remote *remote, struct file *f)
{
	int64_t result;

	if (!still_its(r, f) ||
	    !remote_call(remote, (const uint64_t[7]){ SYS_close, (uint64_t)f->its }, NULL, &result))
		f->its = -1; /* else another thread closes it */
}

/* ---- one thread is stopped, all others run */

struct mapping {
	struct running *r;
	struct remote remote;
	struct file stubs, rings;
	struct ring_area *area;
	bool mapped;        /* all of it */
	unsigned populated; /* rings */
	const char *why;
	char said[256];       /* a reason with names and numbers, final */
	const char *not_done; /* why a thread did not do its work */
};

static void say_not_made(struct mapping *m, pid_t tid, const char *at_what, int err)
{
	char name[THREAD_NAME_BYTES];

	threads_name(m->r->opt.pid, tid, name);
	m->not_done = running_say(m->r,
				  "its thread %d (%s) makes no system calls for gotrace: %s, %s",
				  tid, name, at_what, strerror(-err));
}

static void say_final(struct mapping *m, const char *why, int err)
{
	snprintf(m->said, sizeof(m->said), "%s%s%s", why, err ? ": " : "",
		 err ? strerror(-err) : "");
	m->why = m->said;
}

/* Has the stopped thread do the work. -errno: it did not do all of it, another has to begin it
 * anew. */
static int work_with(struct mapping *m, void (*work)(struct mapping *m), pid_t tid)
{
	int err = running_remote_begin(m->r, &m->remote, tid);

	if (err) {
		say_not_made(m, tid, "it cannot be prepared", err);
		return err;
	}
	work(m);
	running_remote_end(m->r, &m->remote);
	if (m->remote.err)
		say_not_made(m, tid, m->remote.at_what, m->remote.err);
	/* What is final of preparing is not of a single call. */
	return m->remote.err ? -EAGAIN : 0;
}

/* Stops a thread that sleeps anyway, the nth, has it do its part of the work, lets it go. 0, or
 * -errno: the work was not done, why is in m->not_done. */
static int try_with_thread(struct mapping *m, void (*work)(struct mapping *m), unsigned nth,
			   unsigned try)
{
	pid_t tid = threads_idle(m->r->opt.pid, nth);
	struct threads t;

	if (tid <= 0) {
		m->not_done =
			!tid ? "it has ended"
			: tid == -EAGAIN
				? "its threads sleep in the kernel, where nothing interrupts them (state D)"
				: "its threads cannot be listed";
		return tid == -EAGAIN ? -EAGAIN : -ENOENT;
	}
	int err = threads_stop(&t, m->r->opt.pid, tid, try);
	if (err)
		m->not_done = running_why_not_stopped(m->r, &t, err);
	if (!err && t.at[0].signal) { /* it would not get its signal */
		m->not_done = "its threads are about to take signals whenever they are stopped";
		err = -EAGAIN;
	} else if (!err) {
		err = work_with(m, work, tid);
	}
	uint64_t us = threads_go(&t) / 1000;
	log_debug("thread %d was stopped for %llu us: %s", tid, (unsigned long long)us,
		  err ? m->not_done : "it did its work");
	return err;
}

static bool is_final(int err)
{
	return err == -EPERM || err == -EBUSY || err == -ENOENT;
}

/* A thread may end, be about to take a signal, or make no calls: another is tried. */
#define THREAD_TRIES 20

static void with_thread(struct mapping *m, void (*work)(struct mapping *m))
{
	int err = -EAGAIN;

	for (unsigned i = 0; err && i < THREAD_TRIES && !is_final(err); i++) {
		const unsigned try = i * THREADS_TRIES / THREAD_TRIES;

		err = try_with_thread(m, work, i, try);
		if (err && (i + 1) * THREADS_TRIES / THREAD_TRIES > try)
			threads_pause(try);
	}
	if (err && !m->why)
		m->why = err == -EBUSY
				 ? "another gotrace is attaching to it, or was killed meanwhile"
				 : m->not_done;
}

static void make_files(struct mapping *m)
{
	int err = make_file(m->r, &m->remote, SPRINGBOARD_LOCKED, &m->stubs);

	if (!err)
		err = make_file(m->r, &m->remote, RING_AREA_FILE, &m->rings);
	if (err && !m->remote.err) {
		say_final(m, "it may not make files in memory for stubs and rings", err);
		close_its(m->r, &m->remote, &m->stubs);
		close_its(m->r, &m->remote, &m->rings);
	}
}

static void make_maps(struct mapping *m, const struct process_calls *calls)
{
	struct stub_maps *maps = &m->r->maps;
	const char *why = stub_maps_make(maps, calls, &m->r->text, m->stubs.its, m->area,
					 m->rings.its);

	m->mapped = !why;
	if (!why || m->remote.err)
		return;
	say_final(m, why, maps->err);
	stub_maps_remove(maps, calls);
}

static void map_files(struct mapping *m)
{
	const struct process_calls calls = { running_remote_call, &m->remote };

	/* of a thread that did not get further */
	if (!m->mapped && stub_maps_remove(&m->r->maps, &calls)) {
		if (!m->remote.err)
			m->why = "its stubs cannot be unmapped";
		return;
	}
	if (!m->why && !m->mapped && (!still_its(m->r, &m->stubs) || !still_its(m->r, &m->rings)))
		m->why = "it closed the files in memory for stubs and rings";
	if (!m->why && !m->mapped)
		make_maps(m, &calls);
	close_its(m->r, &m->remote, &m->stubs);
	close_its(m->r, &m->remote, &m->rings);
}

/* One ring, so that no thread is stopped for more than a few milliseconds. */
static void populate(struct mapping *m)
{
	const struct process_calls calls = { running_remote_call, &m->remote };

	stub_maps_populate(&m->r->maps, &calls, m->area, m->populated++);
}

static const char *fill_files(struct mapping *m)
{
	const struct plan *plan = m->r->opt.plan;
	int err = springboard_fill(m->stubs.ours, plan);

	if (err)
		return "there is no memory for the stubs";
	err = ring_area_make_in(m->area, m->rings.ours, m->r->opt.n_rings,
				plan->stubs.inl.options.ring_bytes);
	if (err)
		return "there is no memory for the rings (--ring makes them smaller)";
	ring_area_shut(m->area);
	return NULL;
}

/* Why not, when m is no more. */
static const char *lasting(struct mapping *m)
{
	return m->why == m->said ? running_say(m->r, "%s", m->said) : m->why;
}

const char *running_map(struct running *r, const struct running_options *opt, int *stub_fd,
			int *lock_fd, struct ring_area *rings)
{
	struct mapping m = { .r = r, .stubs = { -1, -1 }, .rings = { -1, -1 }, .area = rings };

	*r = (struct running){ .opt = *opt, .text = { .plan = opt->plan, .mem_fd = -1 } };
	m.why = look_at_process(r);
	if (!m.why)
		with_thread(&m, make_files);
	if (m.why) {
		if (m.stubs.ours >= 0)
			close(m.stubs.ours);
		if (m.rings.ours >= 0)
			close(m.rings.ours);
		return lasting(&m);
	}
	*stub_fd = m.stubs.ours;
	*lock_fd = left_behind_claim(*stub_fd);
	m.why = *lock_fd < 0 ? "its stubs cannot be locked" : fill_files(&m);
	with_thread(&m, map_files);
	while (!m.why && m.populated < rings->n)
		if (try_with_thread(&m, populate, 0, 0))
			break; /* they will be there when they are written */
	if (m.why)
		running_unmap(r);
	return lasting(&m);
}
