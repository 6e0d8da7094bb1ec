// SPDX-License-Identifier: BSD-2-Clause
/*
 * Runs a command in which one system call fails: call FILE N COMMAND [ARG...]. The Nth of those
 * below that the command's own process makes gets an error and is not executed; 0: none. G.N: the
 * Nth after the command has seized two threads in a row for the Gth time, which stops a process.
 * NAME:N: the Nth of that name; NAME:N+: and all of that name after it.
 * kN: the process is killed before it. sN: this program stops itself (SIGSTOP) before it, and goes
 * on when it is continued. FILE gets a line for each call: its name and for some the first
 * argument. The line of the chosen call ends in "failed", "killed" or "waited". Processes that the
 * command executes, forks or traces are left alone. Ends as the command does, when no process is
 * left that it or they have forked.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct call {
	int number;
	const char *name;
	int error; /* 0: not made to fail */
	int tells; /* its first argument */
} calls[] = {
	{ SYS_read, "read", EIO, 0 },
	{ SYS_pread64, "pread64", EIO, 0 },
	{ SYS_write, "write", ENOSPC, 0 },
	{ SYS_pwrite64, "pwrite64", ENOSPC, 0 },
	{ SYS_writev, "writev", ENOSPC, 0 },
	{ SYS_pwritev, "pwritev", ENOSPC, 0 },
	{ SYS_mmap, "mmap", ENOMEM, 0 },
	{ SYS_openat, "openat", EMFILE, 0 },
	{ SYS_bpf, "bpf", ENOMEM, 1 },
	{ SYS_ptrace, "ptrace", EPERM, 1 },
	{ SYS_perf_event_open, "perf_event_open", ENOMEM, 0 },
	{ SYS_process_vm_readv, "process_vm_readv", EPERM, 0 },
	{ SYS_ftruncate, "ftruncate", EIO, 0 },
	{ SYS_renameat2, "renameat2", EIO, 0 },
	{ SYS_renameat, "renameat", EIO, 0 },
	{ SYS_rename, "rename", EIO, 0 },
	{ SYS_memfd_create, "memfd_create", EMFILE, 0 },
	{ SYS_eventfd2, "eventfd2", EMFILE, 0 },
	{ SYS_epoll_create1, "epoll_create1", EMFILE, 0 },
	{ SYS_signalfd4, "signalfd4", EMFILE, 0 },
	{ SYS_pidfd_open, "pidfd_open", EMFILE, 0 },
	{ SYS_pipe2, "pipe2", EMFILE, 0 },
	{ SYS_clone3, "clone3", EAGAIN, 0 },
	{ SYS_clone, "clone", EAGAIN, 0 },
	{ SYS_poll, "poll", 0, 0 },
	{ SYS_close, "close", 0, 0 },
	{ SYS_munmap, "munmap", 0, 0 },
	{ SYS_wait4, "wait4", 0, 0 },
	{ SYS_exit_group, "exit_group", 0, 0 },
};
#define CALLS (sizeof(calls) / sizeof(calls[0]))

static void die(const char *what)
{
	fprintf(stderr, "call: %s: %s\n", what, strerror(errno));
	exit(120);
}

/* The child: its calls are asked about. Returns the descriptor to answer at. */
static int install(int more)
{
	struct sock_filter code[2 * CALLS + 2];
	struct sock_fprog program = { .filter = code };

	code[program.len++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
							   offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < CALLS; i++) {
		if (!calls[i].error && !more)
			continue;
		code[program.len++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
								   (__u32)calls[i].number, 0, 1);
		code[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
								   SECCOMP_RET_USER_NOTIF);
	}
	code[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
			    &program);
}

/* The listener goes to the parent by number: sending it would be asked about, too. */
static void run(int tell, int more, char **argv)
{
	int fd = 100;

	if (dup2(tell, fd) < 0)
		die("dup2");
	close(tell);
	int listener = install(more);
	if (listener < 0)
		die("seccomp");
	char byte = (char)listener;
	/* sendto is not in the list */
	if (sendto(fd, &byte, 1, 0, NULL, 0) != 1 || recvfrom(fd, &byte, 1, 0, NULL, NULL) != 1)
		die("socket");
	close(fd);
	close(listener);
	execvp(argv[0], argv);
	die(argv[0]);
}

static int take_listener(int tell, pid_t child)
{
	char byte;
	int pidfd = (int)syscall(SYS_pidfd_open, child, 0);

	if (pidfd < 0 || recv(tell, &byte, 1, 0) != 1)
		die("the command was not begun");
	int fd = (int)syscall(SYS_pidfd_getfd, pidfd, (int)byte, 0);
	if (fd < 0 || send(tell, &byte, 1, 0) != 1)
		die("pidfd_getfd");
	close(pidfd);
	return fd;
}

static int is_thread_of(pid_t child, unsigned tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%u", child, tid);
	return access(path, F_OK) == 0;
}

static const struct call *call_of(int number)
{
	for (size_t i = 0; i < CALLS; i++)
		if (calls[i].number == number)
			return &calls[i];
	return NULL;
}

/* Which call is made to fail, and how far the command has come. */
struct count {
	const char *name; /* NULL: all count */
	size_t name_len;
	int all_after;
	long stop, at; /* stop 0: counted from the begin */
	long n, stops;
	int seized; /* in a row */
};

static struct count count_of(const char *text)
{
	const char *dot = strchr(text, '.'), *colon = strchr(text, ':');

	if (colon)
		return (struct count){ .name = text,
				       .name_len = (size_t)(colon - text),
				       .all_after = strchr(colon, '+') != NULL,
				       .at = atol(colon + 1) };
	return dot ? (struct count){ .stop = atol(text), .at = atol(dot + 1) }
		   : (struct count){ .at = atol(text) };
}

/* True for the one. */
static int counts(struct count *c, const struct call *call, unsigned long long request)
{
	if (c->name &&
	    (strlen(call->name) != c->name_len || memcmp(call->name, c->name, c->name_len) != 0))
		return 0;
	c->seized = call->number == SYS_ptrace && request == PTRACE_SEIZE ? c->seized + 1 : 0;
	if (c->seized == 2) {
		c->stops++;
		if (c->stop)
			c->n = 0;
	}
	c->n++;
	return (c->n == c->at || (c->all_after && c->n > c->at)) &&
	       (!c->stop || c->stop == c->stops);
}

static void answer(int listener, pid_t child, char how, struct count *count, FILE *list)
{
	struct seccomp_notif ask = { 0 };
	struct seccomp_notif_resp say = { .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE };

	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &ask))
		return;
	say.id = ask.id;
	const struct call *c = is_thread_of(child, ask.pid) ? call_of(ask.data.nr) : NULL;
	if (c) {
		const int hit = counts(count, c, ask.data.args[0]);

		fputs(c->name, list);
		if (c->tells)
			fprintf(list, ".%llu", (unsigned long long)ask.data.args[0]);
		fputs(!hit         ? "\n"
		      : how == 'k' ? " killed\n"
		      : how == 's' ? " waited\n"
				   : " failed\n",
		      list);
		if (hit && how == 'k') {
			kill(child, SIGKILL);
		} else if (hit && how == 's') {
			raise(SIGSTOP);
		} else if (hit) {
			say.flags = 0;
			say.error = -c->error;
		}
	}
	ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &say);
}

int main(int argc, char **argv)
{
	int pair[2], status = 0;

	if (argc < 4 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		die("call FILE N COMMAND");
	FILE *list = fopen(argv[1], "we");
	if (!list)
		die(argv[1]);
	const char how = argv[2][0];
	const int more = (how == 'k' || how == 's') &&
			 !strchr(argv[2], ':'); /* calls that cannot be made to fail, too */
	struct count count = count_of(argv[2] + more);
	setvbuf(list, NULL, _IOLBF, 0);
	pid_t child = fork();
	if (child < 0)
		die("fork");
	if (!child)
		run(pair[1], more, argv + 3);
	int listener = take_listener(pair[0], child);
	struct pollfd p = { .fd = listener, .events = POLLIN };

	/* Ends when nobody is left who could ask. What outlives the command is answered, too. */
	while (poll(&p, 1, -1) >= 0 || errno == EINTR) {
		if (p.revents & POLLIN)
			answer(listener, child, how, &count, list);
		else if (p.revents & (POLLHUP | POLLERR))
			break;
	}
	waitpid(child, &status, 0);
	fclose(list);
	if (WIFSIGNALED(status))
		return 128 + WTERMSIG(status);
	return WEXITSTATUS(status);
}
