// SPDX-License-Identifier: BSD-2-Clause
/* What a fault of gotrace itself ends with: one line that names where it was, a status, no file. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "base/thread_signals.h"
#include "cli/fault.c"
#include "cli/output.c"

static char text[4096];

static void *read_null(void *ctx)
{
	/* Not in C: a sanitizer would find it first. */
	__asm__ volatile("movb (%0), %%al" : : "r"(ctx) : "rax");
	return NULL;
}

static void read_fault(void)
{
	read_null(NULL);
}

static void abort_fault(void)
{
	abort();
}

static void code_fault(void)
{
	void (*volatile f)(void) = (void (*)(void))(uintptr_t)0x10; /* NOLINT */

	f();
}

static void library_fault(void)
{
	long (*volatile number)(const char *) = a64l;

	if (number(NULL))
		puts("");
}

static int deeper(volatile int *n)
{
	volatile int here[512];

	here[0] = *n + 1;
	return here[0] > 0 ? deeper(here) + here[0] : 0;
}

static void deep_fault(void)
{
	volatile int n = 0;

	setrlimit(RLIMIT_STACK, &(struct rlimit){ 1 << 20, RLIM_INFINITY });
	deeper(&n);
}

static void thread_fault(void)
{
	sigset_t old;
	pthread_t t;

	thread_signals_block(&old);
	pthread_create(&t, NULL, read_null, NULL);
	thread_signals_put_back(&old);
	pthread_join(t, NULL);
}

static void sent_signal(void)
{
	pid_t self = getpid(), other = fork();

	if (!other) {
		kill(self, SIGSEGV);
		_exit(0);
	}
	pause();
}

static void fault_in_output(void)
{
	struct output o;

	if (!output_open(&o, "out", false) && fputs("half", o.file) >= 0)
		read_fault();
}

/* Runs it in a child, which is to end with a status of 77 if it has a fault. text: what it says. */
static int run(void (*faulty)(void))
{
	int fds[2], status;
	size_t n = 0;
	ssize_t got;

	assert_int_equal(pipe(fds), 0);
	pid_t pid = fork();
	if (!pid) {
		setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
		for (const int *s = fault_signals; *s; s++)
			signal(*s, SIG_DFL); /* sanitizers and cmocka have theirs */
		dup2(fds[1], STDERR_FILENO);
		close(fds[0]);
		close(fds[1]);
		fault_tells(77);
		faulty();
		_exit(0);
	}
	close(fds[1]);
	while ((got = read(fds[0], text + n, sizeof(text) - 1 - n)) > 0)
		n += (size_t)got;
	text[n] = '\0';
	close(fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void assert_told(void (*faulty)(void), const char *begins)
{
	int status = run(faulty);

	if (!WIFEXITED(status) || WEXITSTATUS(status) != 77)
		fail_msg("status %#x: %s", status, text);
	if (strncmp(text, begins, strlen(begins)) || strchr(text, '\n') != text + strlen(text) - 1)
		fail_msg("%s", text);
}

TEST(test_each_fault)
{
	assert_told(read_fault, "gotrace: SIGSEGV in fault_test+0x");
	assert_told(abort_fault, "gotrace: SIGABRT in libc.so.6+0x");
	assert_told(code_fault, "gotrace: SIGSEGV in unknown code+0x10: ");
	assert_told(library_fault, "gotrace: SIGSEGV in libc.so.6+0x"); /* as libraries do */
	assert_told(thread_fault, "gotrace: SIGSEGV in fault_test+0x");
}

TEST(test_deep)
{
	assert_told(deep_fault, "gotrace: SIGSEGV in fault_test+0x");
}

TEST(test_sent)
{
	int status = run(sent_signal);

	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGSEGV);
	assert_string_equal(text, "");
}

TEST(test_debug)
{
	setenv("GOTRACE_DEBUG", "1", 1);
	int status = run(read_fault);

	unsetenv("GOTRACE_DEBUG");
	assert_true(WIFSIGNALED(status));
	assert_string_equal(text, "");
}

TEST(test_output)
{
	char folder[] = "/tmp/gotrace-fault-XXXXXX";

	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	assert_told(fault_in_output, "gotrace: SIGSEGV in ");
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(rmdir(folder), 0); /* nothing is left in it */
}

int main(void)
{
	unsetenv("GOTRACE_DEBUG");
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_fault), cmocka_unit_test(test_deep),
		cmocka_unit_test(test_sent),       cmocka_unit_test(test_debug),
		cmocka_unit_test(test_output),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
