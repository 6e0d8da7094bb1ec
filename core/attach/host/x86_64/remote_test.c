// SPDX-License-Identifier: BSD-2-Clause
#include "base/test_fixture.h"
#include "attach/target/remote.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/reg.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/target/threads.h"

static struct host_regs in_call(uint64_t number, int64_t result)
{
	return (struct host_regs){
		.words = { [ORIG_RAX] = number, [RAX] = (uint64_t)result, [RIP] = 0x1002 }
	};
}

TEST(test_restarted_calls)
{
	struct host_regs r = in_call(SYS_futex, -512);

	host_regs_rewind_call(&r);
	assert_int_equal(r.words[RAX], SYS_futex);
	assert_int_equal(r.words[RIP], 0x1000);
	assert_int_equal((int64_t)r.words[ORIG_RAX], -1);
	r = in_call(SYS_nanosleep, -516);
	host_regs_rewind_call(&r);
	assert_int_equal(r.words[RAX], SYS_restart_syscall);
	assert_int_equal(r.words[RIP], 0x1000);
	/* what a program sees: a result, or code that is in no system call */
	r = in_call(SYS_read, -EINTR);
	host_regs_rewind_call(&r);
	assert_int_equal((int64_t)r.words[RAX], -EINTR);
	assert_int_equal(r.words[RIP], 0x1002);
	r = in_call(-1ull, -512);
	host_regs_rewind_call(&r);
	assert_int_equal((int64_t)r.words[RAX], -512);
	assert_int_equal(r.words[RIP], 0x1002);
}

/* ---- a child that watches its registers */

#define TOLD SIGTERM

/* Never returns; the process ends with status 3 when a register that a system call or gotrace's
 * code may change is not what it was, an overflow flag included. */
static void watch_registers(void)
{
	__asm__ volatile("mov $101, %%eax\n mov $102, %%ecx\n mov $103, %%edx\n"
			 "mov $104, %%esi\n mov $105, %%edi\n mov $106, %%r8d\n"
			 "mov $107, %%r9d\n mov $108, %%r10d\n mov $109, %%r11d\n"
			 "1: cmp $101, %%rax\n jne 2f\n cmp $102, %%rcx\n jne 2f\n"
			 "cmp $103, %%rdx\n jne 2f\n cmp $104, %%rsi\n jne 2f\n"
			 "cmp $105, %%rdi\n jne 2f\n cmp $106, %%r8\n jne 2f\n"
			 "cmp $107, %%r9\n jne 2f\n cmp $108, %%r10\n jne 2f\n"
			 "cmp $109, %%r11\n jne 2f\n"
			 "mov $0x7fffffff, %%ebx\n add $1, %%ebx\n" /* overflows */
			 "nop\n nop\n nop\n nop\n nop\n nop\n nop\n nop\n"
			 "jno 2f\n jns 2f\n jmp 1b\n"
			 "2: mov $60, %%eax\n mov $3, %%edi\n syscall\n" ::
				 : "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10",
				   "r11", "cc", "memory");
}

static sigset_t mask_wanted;

static void on_told(int signal)
{
	sigset_t mask;

	(void)signal;
	sigprocmask(SIG_BLOCK, NULL, &mask);
	sigdelset(&mask, TOLD); /* while its handler runs */
	_exit(sigismember(&mask, SIGUSR1) == 1 && sigismember(&mask, SIGUSR2) == 0 ? 0 : 4);
}

static pid_t start_child(void)
{
	const pid_t parent = getpid();
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(6); /* it died before that call */
	signal(TOLD, on_told);
	sigemptyset(&mask_wanted);
	sigaddset(&mask_wanted, SIGUSR1);
	sigprocmask(SIG_SETMASK, &mask_wanted, NULL);
	watch_registers();
	_exit(5);
}

static void end_child(pid_t pid)
{
	int status;

	kill(pid, TOLD);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static int open_mem(pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	return open(path, O_RDWR | O_CLOEXEC);
}

/* Code that nobody executes, in this process and its children. */
static uint64_t spare_code(void)
{
	void *at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(at, MAP_FAILED);
	return (uint64_t)at;
}

TEST(test_calls)
{
	const uint64_t at = spare_code();
	pid_t pid = start_child();
	struct threads t;
	struct remote r;
	int64_t got = 0;

	usleep(10000); /* to where it watches */
	for (int i = 0; i < 200; i++) {
		assert_int_equal(threads_stop(&t, pid, 0, THREADS_LAST), 0);
		assert_int_equal(remote_begin(&r, pid, pid, at), 0);
		assert_int_equal(remote_call(&r, (const uint64_t[7]){ SYS_getppid }, NULL, &got),
				 0);
		assert_int_equal(got, getpid());
		assert_int_equal(remote_call(&r, (const uint64_t[7]){ SYS_access, 0, F_OK },
					     "/proc/self", &got),
				 0);
		assert_int_equal(got, 0);
		assert_int_equal(remote_end(&r), 0);
		threads_go(&t);
	}
	end_child(pid);
}

/* ---- a child of two threads */

static void *sleep_for_ever(void *ctx)
{
	(void)ctx;
	for (;;)
		pause();
	return NULL;
}

static pid_t start_two(void)
{
	pid_t pid = fork();
	pthread_t thread;

	assert_true(pid >= 0);
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (pthread_create(&thread, NULL, sleep_for_ever, NULL))
		_exit(1);
	sleep_for_ever(NULL);
	_exit(2);
}

static pid_t second_thread(pid_t pid)
{
	for (;; usleep(1000)) {
		pid_t one = threads_idle(pid, 0), other = threads_idle(pid, 1);

		assert_true(one > 0 && other > 0);
		if (one != other)
			return one == pid ? other : one;
	}
}

/* It is the only one that is stopped, and not the one that /proc/PID/mem is of: a kernel with
 * PROC_MEM_FORCE_PTRACE lets nobody write text through that. */
TEST(test_other_thread)
{
	const uint64_t at = spare_code();
	pid_t pid = start_two();
	pid_t tid = second_thread(pid);
	struct threads t;
	struct remote r;
	int64_t got = 0;

	assert_int_equal(threads_stop(&t, pid, tid, THREADS_LAST), 0);
	assert_int_equal(remote_begin(&r, pid, tid, at), 0);
	if (remote_call(&r, (const uint64_t[7]){ SYS_gettid }, NULL, &got))
		fail_msg("%s: %s", r.at_what, strerror(-r.err));
	assert_int_equal(got, tid);
	assert_int_equal(remote_end(&r), 0);
	threads_go(&t);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static int kill_child(pid_t pid)
{
	siginfo_t info;

	kill(pid, SIGKILL);
	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
}

/* A remote call reports the first failure and tries no further call. */
TEST(test_failures)
{
	static const uint64_t getppid_[7] = { SYS_getppid };
	const uint64_t at = spare_code();
	pid_t pid = start_child();
	int none = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct threads t;
	struct remote r;
	int64_t got = 7;

	assert_int_equal(threads_stop(&t, pid, 0, THREADS_LAST), 0);
	assert_int_equal(remote_begin(&r, pid, pid, at), 0);
	const int mem = r.mem_fd;
	r.mem_fd = none;
	assert_int_equal(remote_call(&r, getppid_, NULL, &got), -EBADF);
	assert_string_equal(r.at_what, "its text cannot be written");
	r.mem_fd = mem;
	assert_int_equal(remote_call(&r, getppid_, NULL, &got), -EBADF);
	assert_int_equal(remote_end(&r), 0);
	assert_int_equal(remote_begin(&r, pid, pid, at), 0);
	assert_int_equal(remote_call(&r, getppid_, NULL, &got), 0);
	assert_int_equal(got, getpid());
	got = 7;
	assert_int_equal(kill_child(pid), 0);
	assert_int_equal(remote_call(&r, getppid_, NULL, &got), -EIO); /* it has no memory */
	assert_string_equal(r.at_what, "its text cannot be written");
	assert_int_equal(got, 7);
	assert_int_equal(remote_end(&r), -EIO);
	threads_go(&t);
	close(none);
	waitpid(pid, NULL, 0);
}

/* Stopped when it has left the code that it was sent to. */
static void stop_outside(struct threads *t, pid_t pid, uint64_t at)
{
	struct host_regs regs;

	for (;;) {
		assert_int_equal(threads_stop(t, pid, 0, THREADS_LAST), 0);
		assert_int_equal(host_regs_get(pid, &regs), 0);
		if (host_regs_pc(&regs) - at >= REMOTE_CODE_BYTES)
			return;
		threads_go(t);
		usleep(500);
	}
}

/* As if gotrace had died at once: nobody puts anything back. */
TEST(test_code_restores_by_itself)
{
	static const uint64_t all = ~0ull;
	const uint64_t at = spare_code(), args[7] = { SYS_getppid };
	pid_t pid = start_child();
	int mem = open_mem(pid);
	uint8_t code[REMOTE_CODE_BYTES];
	struct threads t;
	struct remote r;

	usleep(10000);
	for (int i = 0; i < 200; i++) {
		stop_outside(&t, pid, at);
		assert_int_equal(remote_begin(&r, pid, pid, at), 0);
		remote_code_write(&r.state, at, args, NULL, code);
		assert_int_equal(pwrite(mem, code, sizeof(code), (off_t)at), sizeof(code));
		struct host_regs regs = r.state.regs;
		host_regs_go_to(&regs, at);
		assert_int_equal(host_regs_set(pid, &regs), 0);
		if (i % 2)
			assert_int_equal(ptrace(PTRACE_SETSIGMASK, pid, sizeof(all), &all), 0);
		close(r.mem_fd);
		threads_go(&t);
		usleep(500);
	}
	stop_outside(&t, pid, at);
	threads_go(&t);
	close(mem);
	end_child(pid);
}

TESTS(test_restarted_calls, test_calls, test_other_thread, test_failures,
      test_code_restores_by_itself)
