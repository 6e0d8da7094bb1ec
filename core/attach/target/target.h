/* SPDX-License-Identifier: BSD-2-Clause */
/* The traced process, started and held before its exec, or running already. */
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
	bool launched; /* a child of gotrace, which waits for it */
	bool seized;   /* it is a held child that will stop at its exec */
	/* Called while a seized child is stopped, each time that its dynamic linker has mapped
	 * code. NULL: not called. */
	void (*at_mapped)(void *ctx, pid_t pid);
	void *mapped_ctx;
	/* A write releases the held child. Closing it ends the child before its exec. -1: none. */
	int hold_fd;
	int exec_fd; /* end of file: the exec succeeded; otherwise it holds an errno; -1: none */
	uint64_t exec_ns; /* CLOCK_MONOTONIC of the exec; 0 before it */
	bool ended;
	int wait_status; /* status of waitpid, once ended */
	/* Its processor time at its end, and the part of it in the kernel; 0 if not known. */
	uint64_t cpu_ns, system_ns;
};

struct launch_options {
	char *const *argv;
	const char *path; /* path of the executable */
	const struct user *user;
	const sigset_t *signal_mask;      /* signal mask of the command at its start */
	const struct sigaction *on_child; /* action for SIGCHLD at its start */
	const struct rlimit *files;       /* limit on descriptors at its start */
	/* Descriptors of the stubs and their rings, which stay open through the exec of a seized
	 * child; -1: none. */
	int stub_fd, rings_fd;
};

/*
 * Finds `command` like execvp, with u's rights. Fills in `path` of PATH_MAX bytes. Returns 0,
 * -ENOENT, -EACCES or -EISDIR, and logs nothing.
 */
int target_resolve(const char *command, const struct user *u, char *path);

/* Forks a child that waits. If gotrace dies before target_release, the child exits and the command
 * never runs. Returns 0 or -errno (logged). */
int target_launch(struct target *t, const struct launch_options *opt);

/* Makes the held child stop at its exec (ptrace). Returns 0 or -errno and logs nothing. */
int target_seize(struct target *t);

/*
 * Lets the command run. Returns 0 after its exec has succeeded, or the -errno of exec. A seized
 * child stops at the exec, and the function calls at_exec(ctx, in). at_exec may inject system calls
 * by `in`, and must not call inject_end. `in` is NULL if injecting is impossible.
 */
int target_release(struct target *t, void (*at_exec)(void *ctx, struct inject *in), void *ctx);

/* Opens a running process. Returns 0 or -errno (logged): -ESRCH, -EPERM. */
int target_attach(struct target *t, pid_t pid);

/* Returns true and sets wait_status if the process has ended. Does not wait. */
bool target_reap(struct target *t);

/* Returns the processor time of all threads of the process in ns, now or at its end. 0: not known.
 */
uint64_t target_cpu_ns(const struct target *t);
/* Returns the part of it in the kernel, in the kernel's ticks. 0: not known. */
uint64_t target_system_ns(const struct target *t);

/* Ends a held child and closes descriptors. A running process continues. */
void target_close(struct target *t);

/* Fills in the ID by which BPF programs know the process, which is the number in its own pid
 * namespace. Returns 0 or -errno (logged). */
int target_identify(pid_t pid, struct target_config *out);

/* Computes *bias: the run-time minus the link-time address of the text of file `fd` in a running
 * process. The process executes the file or has loaded it as a library. The byte at file offset
 * `file_off` has the link-time address `vaddr`. Returns 0 or -errno. -ENOENT: the process has not
 * mapped that byte. */
int target_text_bias(pid_t pid, int fd, uint64_t vaddr, uint64_t file_off, uint64_t *bias);
/* Returns 1 if the process executes the file `fd`, 0 if not or if it has ended, or -errno if this
 * is not known. */
int target_executes(pid_t pid, int fd);
/* Returns true if memory is mapped within [from, to) of a running process. Returns false if not, or
 * if this is not known. */
bool target_has_mapped(pid_t pid, uint64_t from, uint64_t to);

#endif
