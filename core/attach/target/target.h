/* SPDX-License-Identifier: BSD-2-Clause */
/* The traced process: started and held before its exec, or running already. */
#ifndef GOTRACE_TARGET_H
#define GOTRACE_TARGET_H

#include <stdbool.h>
#include <stdint.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "attach/target/inject.h"
#include "attach/target/user.h"
#include "bpf/event.h"

struct target {
	pid_t pid;
	int pidfd;     /* readable once the process has ended; -1: not open */
	bool launched; /* ours to wait for */
	bool seized;   /* held child: will stop at its exec */
	/* a seized child is held for this as its dynamic linker maps code; NULL: it is not */
	void (*at_mapped)(void *ctx, pid_t pid);
	void *mapped_ctx;
	int hold_fd;      /* a write releases the held child; closing ends it before its exec; -1 */
	int exec_fd;      /* end of file: the exec succeeded; else an errno; -1 */
	uint64_t exec_ns; /* CLOCK_MONOTONIC of the exec, 0 before */
	bool ended;
	int wait_status; /* of waitpid, once ended */
	/* at its end: its processor time, and the part of it in the kernel; 0: not known */
	uint64_t cpu_ns, system_ns;
};

struct launch_options {
	char *const *argv;
	const char *path; /* what is executed */
	const struct user *user;
	const sigset_t *signal_mask;      /* that the command starts with */
	const struct sigaction *on_child; /* for SIGCHLD, that it starts with */
	const struct rlimit *files;       /* limit on descriptors, that it starts with */
	/* stay open through the exec of a seized child: stubs, and the rings that they write; -1 */
	int stub_fd, rings_fd;
};

/*
 * Finds `command` as execvp would, with u's rights. Fills `path` of PATH_MAX bytes.
 * 0, -ENOENT, -EACCES, -EISDIR; nothing logged.
 */
int target_resolve(const char *command, const struct user *u, char *path);

/* Forks a child that waits. If this process dies before target_release, the
 * child exits and the command never runs. 0 or -errno (logged). */
int target_launch(struct target *t, const struct launch_options *opt);

/* Makes the held child stop at its exec (ptrace). 0 or -errno, nothing logged. */
int target_seize(struct target *t);

/*
 * Lets the command run. 0 once its exec has succeeded, or the -errno of exec. A seized
 * child stops there and at_exec(ctx, in) is called: it may inject system calls by `in`, NULL when
 * that is not possible, and must not call inject_end.
 */
int target_release(struct target *t, void (*at_exec)(void *ctx, struct inject *in), void *ctx);

/* Opens a running process. 0 or -errno (logged): -ESRCH, -EPERM. */
int target_attach(struct target *t, pid_t pid);

/* Whether the process has ended; then wait_status is set. Does not wait. */
bool target_reap(struct target *t);

/* Processor time that all threads of the process have taken, ns: now, or at its end. 0: not known.
 */
uint64_t target_cpu_ns(const struct target *t);
/* The part of it that was spent in the kernel, as precise as its ticks. 0: not known. */
uint64_t target_system_ns(const struct target *t);

/* Ends a held child, closes descriptors. The process goes on. */
void target_close(struct target *t);

/* Fills in how BPF programs know the process: by its number in its own pid namespace. 0 or -errno
 * (logged). */
int target_identify(pid_t pid, struct target_config *out);

/* Run-time minus link-time address of the text that a running process has of file `fd`, which it
 * executes or has loaded as a library. The byte at file offset `file_off` has the link-time address
 * `vaddr`. 0 and *bias, or -errno: -ENOENT, it has not mapped that. */
int target_text_bias(pid_t pid, int fd, uint64_t vaddr, uint64_t file_off, uint64_t *bias);
/* Tests if the process executes the file `fd`: 1 or 0, 0 also for one that has ended, or -errno
 * where that cannot be found out. */
int target_executes(pid_t pid, int fd);
/* Whether something is mapped within [from, to) of a running process; false also when that is not
 * known. */
bool target_has_mapped(pid_t pid, uint64_t from, uint64_t to);

#endif
