// SPDX-License-Identifier: BSD-2-Clause
#include "attach/process_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#define ANSWER_NS 1000000000 /* of one read */
#define LOOK_NS   50000000   /* how often one side looks whether the other one lives */
#define END_TRIES 500        /* of a millisecond */

/* Memory of both. */
struct desk {
	sem_t asked, answered;
	pid_t pid;
	size_t n, bytes;
	ssize_t result;
	struct iovec pieces[PROCESS_MEMORY_PIECES];
	uint8_t data[PROCESS_MEMORY_BYTES];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct desk *desk; /* a child has it while `child` is not 0 */
static pid_t child;

/* Waits for a look's time at most. 0 or an errno. */
static int wait_a_look(sem_t *s)
{
	const uint64_t until = clock_monotonic_ns() + LOOK_NS;
	const struct timespec t = { (time_t)(until / 1000000000), (long)(until % 1000000000) };

	return sem_clockwait(s, CLOCK_MONOTONIC, &t) ? errno : 0;
}

/* ---- the child */

/* Nothing of its parent's stays open with it: no pipe, no lock, no ring. */
static void close_all(void)
{
#ifdef SYS_close_range
	if (!syscall(SYS_close_range, 0, ~0u, 0))
		return;
#endif
	for (long fd = 0, n = sysconf(_SC_OPEN_MAX); fd < n && fd < 65536; fd++)
		close((int)fd);
}

static void read_for(pid_t parent, struct desk *d)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* it may sleep where nothing else ends it */
	prctl(PR_SET_NAME, "gotrace-memory");
	close_all();
	while (getppid() == parent) {
		if (wait_a_look(&d->asked))
			continue;
		const struct iovec here = { d->data, d->bytes };
		ssize_t got = process_vm_readv(d->pid, &here, 1, d->pieces, d->n, 0);

		d->result = got < 0 ? -errno : got;
		sem_post(&d->answered);
	}
	_exit(0);
}

/* ---- the parent, with the lock */

static void forget_desk(void)
{
	if (desk)
		munmap(desk, sizeof(*desk));
	desk = NULL;
}

/* Where not even SIGKILL ends its sleep it keeps its desk, and is let be. */
static void end_child(void)
{
	bool ended = child <= 0 || waitpid(child, NULL, WNOHANG) != 0;

	if (!ended)
		kill(child, SIGKILL);
	for (int i = 0; i < END_TRIES && !ended; i++) {
		ended = waitpid(child, NULL, WNOHANG) != 0;
		if (!ended)
			nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
	}
	if (!ended)
		forget_desk();
	child = 0;
}

/* With semaphores that nobody has posted: a child that was killed may have done so. */
static int begin_child(void)
{
	sigset_t all, old;
	const pid_t parent = getpid();

	if (!desk) {
		void *p = mmap(NULL, sizeof(*desk), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED)
			return -errno;
		desk = p;
	}
	if (sem_init(&desk->asked, 1, 0) || sem_init(&desk->answered, 1, 0))
		return -errno;
	sigfillset(&all); /* a signal to the group is its parent's to answer */
	pthread_sigmask(SIG_BLOCK, &all, &old);
	pid_t pid = fork();
	if (!pid)
		read_for(parent, desk);
	int err = pid < 0 ? -errno : 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!err)
		child = pid;
	return err;
}

/* Whether it was there, and is no more: the thread that forked it may have ended. */
static bool lost_child(void)
{
	if (!waitpid(child, NULL, WNOHANG))
		return false;
	child = 0;
	return true;
}

static ssize_t ask(void)
{
	const uint64_t until_ns = clock_monotonic_ns() + ANSWER_NS;
	int err;

	sem_post(&desk->asked);
	while ((err = wait_a_look(&desk->answered))) {
		if (err != ETIMEDOUT && err != EINTR)
			return -err;
		if (clock_monotonic_ns() >= until_ns) {
			end_child();
			return -ETIMEDOUT;
		}
		if (lost_child())
			return -ECHILD;
	}
	return desk->result;
}

static ssize_t read_pieces(pid_t pid, const struct iovec *pieces, size_t n, size_t bytes)
{
	ssize_t got = -ECHILD;

	for (int try = 0; try < 2 && got == -ECHILD; try++) {
		int err = child ? 0 : begin_child();

		if (err)
			return err;
		desk->pid = pid;
		desk->n = n;
		desk->bytes = bytes;
		memcpy(desk->pieces, pieces, n * sizeof(*pieces));
		got = ask();
	}
	return got;
}

/* Yama lets a process read what it has started, and its child only what that has started
 * (ptrace_scope 1, Documentation/admin-guide/LSM/Yama.rst). */
static ssize_t read_here(pid_t pid, void *to, const struct iovec *pieces, size_t n, size_t bytes)
{
	const struct iovec here = { to, bytes };
	ssize_t got = process_vm_readv(pid, &here, 1, pieces, n, 0);

	return got < 0 ? -errno : got;
}

/* ---- callers */

int process_memory_begin(void)
{
	pthread_mutex_lock(&lock);
	int err = child ? 0 : begin_child();
	pthread_mutex_unlock(&lock);
	return err;
}

ssize_t process_memory_read(pid_t pid, void *to, const struct iovec *pieces, size_t n,
			    uint64_t until_ns)
{
	size_t bytes = 0;

	for (size_t i = 0; i < n; i++) {
		if (pieces[i].iov_len > PROCESS_MEMORY_BYTES - bytes)
			return -E2BIG;
		bytes += pieces[i].iov_len;
	}
	if (n > PROCESS_MEMORY_PIECES)
		return -E2BIG;
	if (!n)
		return 0;
	if (clock_monotonic_ns() >= until_ns)
		return -EAGAIN;
	pthread_mutex_lock(&lock);
	ssize_t got = read_pieces(pid, pieces, n, bytes);
	if (got > 0)
		memcpy(to, desk->data, (size_t)got);
	pthread_mutex_unlock(&lock);
	return got == -EPERM ? read_here(pid, to, pieces, n, bytes) : got;
}

int process_memory_read_all(pid_t pid, uint64_t at, void *to, size_t bytes, uint64_t until_ns)
{
	for (size_t done = 0; done < bytes;) {
		const size_t left = bytes - done,
			     now = left < PROCESS_MEMORY_BYTES ? left : PROCESS_MEMORY_BYTES;
		const struct iovec piece = { (void *)(uintptr_t)(at + done), now };
		ssize_t got = process_memory_read(pid, (uint8_t *)to + done, &piece, 1, until_ns);

		if (got < 0 || (size_t)got < now)
			return got < 0 ? (int)got : -EFAULT;
		done += now;
	}
	return 0;
}

void process_memory_nice(int nice)
{
	pthread_mutex_lock(&lock);
	if (child > 0)
		setpriority(PRIO_PROCESS, (id_t)child, nice);
	pthread_mutex_unlock(&lock);
}

void process_memory_end(void)
{
	pthread_mutex_lock(&lock);
	end_child();
	forget_desk();
	pthread_mutex_unlock(&lock);
}
