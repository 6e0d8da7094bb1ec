// SPDX-License-Identifier: BSD-2-Clause
#include "attach/host/regs.h"

#include <sys/ptrace.h>
#include <sys/reg.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <ucontext.h>

#include "attach/target/ptrace.h"

#define CS_64_BIT     0x33
#define SYSCALL_BYTES 2

/* Kernel-internal results of interrupted system calls, include/linux/errno.h. */
#define ERESTARTSYS           512
#define ERESTARTNOINTR        513
#define ERESTARTNOHAND        514
#define ERESTART_RESTARTBLOCK 516

_Static_assert(sizeof(struct user_regs_struct) <= sizeof(((struct host_regs *)0)->words),
	       "has room");

int host_regs_get(pid_t tid, struct host_regs *r)
{
	return ptrace_do(PTRACE_GETREGS, tid, 0, (uintptr_t)r->words);
}

int host_regs_set(pid_t tid, const struct host_regs *r)
{
	return ptrace_do(PTRACE_SETREGS, tid, 0, (uintptr_t)r->words);
}

int host_regs_put_back(pid_t tid, const struct host_regs *r)
{
	return ptrace_must(PTRACE_SETREGS, tid, 0, (uintptr_t)r->words);
}

uint64_t host_regs_pc(const struct host_regs *r)
{
	return r->words[RIP];
}

uint64_t host_regs_sp(const struct host_regs *r)
{
	return r->words[RSP];
}

void host_regs_go_to(struct host_regs *r, uint64_t pc)
{
	r->words[RIP] = pc;
}

bool host_regs_64_bit(const struct host_regs *r)
{
	return r->words[CS] == CS_64_BIT;
}

/* ---- system calls */

void host_regs_call(struct host_regs *r, uint64_t at, const uint64_t args[7])
{
	r->words[RIP] = at;
	r->words[RAX] = args[0];
	r->words[ORIG_RAX] = (uint64_t)-1; /* this is no system call to be restarted */
	r->words[RDI] = args[1];
	r->words[RSI] = args[2];
	r->words[RDX] = args[3];
	r->words[R10] = args[4];
	r->words[R8] = args[5];
	r->words[R9] = args[6];
}

int64_t host_regs_result(const struct host_regs *r)
{
	return (int64_t)r->words[RAX];
}

void host_regs_rewind_call(struct host_regs *r)
{
	if ((int64_t)r->words[ORIG_RAX] >= 0)
		switch (-(int64_t)r->words[RAX]) {
		case ERESTARTSYS:
		case ERESTARTNOINTR:
		case ERESTARTNOHAND:
			r->words[RAX] = r->words[ORIG_RAX];
			r->words[RIP] -= SYSCALL_BYTES;
			break;
		case ERESTART_RESTARTBLOCK:
			r->words[RAX] = SYS_restart_syscall;
			r->words[RIP] -= SYSCALL_BYTES;
			break;
		}
	r->words[ORIG_RAX] = (uint64_t)-1; /* nothing is left for the kernel to restart */
}

uint64_t host_call_in_word(uint64_t was)
{
	return (was & ~0xffffull) | 0x050f;
}

bool host_is_linkers_call(uint64_t number)
{
	switch (number) {
	case SYS_mmap:
	case SYS_munmap:
	case SYS_mprotect:
	case SYS_brk:
	case SYS_open:
	case SYS_openat:
	case SYS_close:
	case SYS_read:
	case SYS_pread64:
	case SYS_lseek:
	case SYS_fstat:
	case SYS_stat:
	case SYS_newfstatat:
	case SYS_access:
	case SYS_readlink:
	case SYS_getcwd:
	case SYS_uname:
	case SYS_arch_prctl:
	case SYS_set_tid_address:
	case SYS_set_robust_list:
	case SYS_rseq:
	case SYS_prlimit64:
	case SYS_getrandom:
		return true;
	default:
		return false;
	}
}

/* ---- signals */

/*
 * In the frame of a signal handler, struct rt_sigframe of arch/x86, words of struct sigcontext_64:
 * sp, ip, flags, then cs, gs, fs and ss in one, which tells that it is one. Before these, the
 * stack that was meant for handlers.
 */
#define FRAME_SELECTORS  0x002b000000000033ull
#define FRAME_STACK      21 /* words before it */
#define FRAME_STACK_SIZE 19
#define FRAME_SP         3
#define FRAME_IP         2
#define FRAME_FLAGS      1
#define FLAGS_MAX        0x400000 /* and the lowest but one is always set */

bool host_signal_frame(const uint64_t *words, size_t i, uint64_t at, uint64_t sp, uint64_t *pc,
		       uint64_t *interrupted_sp)
{
	if (i < FRAME_STACK)
		return false;
	const uint64_t *selectors = &words[i];
	const uint64_t flags = selectors[-FRAME_FLAGS], stack = selectors[-FRAME_STACK],
		       size = selectors[-FRAME_STACK_SIZE];

	if (*selectors != FRAME_SELECTORS || !(flags & 2) || flags >= FLAGS_MAX)
		return false;
	*pc = selectors[-FRAME_IP];
	*interrupted_sp = selectors[-FRAME_SP];
	return at - stack >= size || sp - stack < size;
}

uint64_t host_signal_pc(const void *context)
{
	const ucontext_t *uc = context;

	return (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
}
