// SPDX-License-Identifier: BSD-2-Clause
#include "attach/host/system_calls.h"

#include <asm/unistd.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Those in which programs wait. Of Go: os, net, syscall, internal/runtime/syscall. */
#define NAME(call) [__NR_##call] = #call
static const char *const names[] = {
	NAME(read),
	NAME(write),
	NAME(open),
	NAME(close),
	NAME(stat),
	NAME(fstat),
	NAME(lstat),
	NAME(poll),
	NAME(lseek),
	NAME(mmap),
	NAME(munmap),
	NAME(ioctl),
	NAME(pread64),
	NAME(pwrite64),
	NAME(readv),
	NAME(writev),
	NAME(access),
	NAME(select),
	NAME(sched_yield),
	NAME(msync),
	NAME(madvise),
	NAME(pause),
	NAME(nanosleep),
	NAME(sendfile),
	NAME(socket),
	NAME(connect),
	NAME(accept),
	NAME(sendto),
	NAME(recvfrom),
	NAME(sendmsg),
	NAME(recvmsg),
	NAME(shutdown),
	NAME(clone),
	NAME(fork),
	NAME(vfork),
	NAME(execve),
	NAME(wait4),
	NAME(kill),
	NAME(semop),
	NAME(msgsnd),
	NAME(msgrcv),
	NAME(fcntl),
	NAME(flock),
	NAME(fsync),
	NAME(fdatasync),
	NAME(truncate),
	NAME(ftruncate),
	NAME(getdents),
	NAME(chdir),
	NAME(rename),
	NAME(mkdir),
	NAME(rmdir),
	NAME(creat),
	NAME(link),
	NAME(unlink),
	NAME(symlink),
	NAME(readlink),
	NAME(chmod),
	NAME(chown),
	NAME(ptrace),
	NAME(rt_sigtimedwait),
	NAME(rt_sigsuspend),
	NAME(sync),
	NAME(mount),
	NAME(umount2),
	NAME(reboot),
	NAME(futex),
	NAME(restart_syscall),
	NAME(semtimedop),
	NAME(io_getevents),
	NAME(getdents64),
	NAME(clock_nanosleep),
	NAME(epoll_wait),
	NAME(waitid),
	NAME(mq_timedsend),
	NAME(mq_timedreceive),
	NAME(openat),
	NAME(mkdirat),
	NAME(newfstatat),
	NAME(unlinkat),
	NAME(renameat),
	NAME(linkat),
	NAME(symlinkat),
	NAME(readlinkat),
	NAME(faccessat),
	NAME(pselect6),
	NAME(ppoll),
	NAME(splice),
	NAME(tee),
	NAME(vmsplice),
	NAME(epoll_pwait),
	NAME(fallocate),
	NAME(accept4),
	NAME(dup3),
	NAME(pipe2),
	NAME(preadv),
	NAME(pwritev),
	NAME(recvmmsg),
	NAME(syncfs),
	NAME(sendmmsg),
	NAME(process_vm_readv),
	NAME(process_vm_writev),
	NAME(renameat2),
	NAME(getrandom),
	NAME(copy_file_range),
	NAME(statx),
	NAME(pidfd_send_signal),
	NAME(io_uring_enter),
	NAME(pidfd_open),
	NAME(clone3),
	NAME(close_range),
	NAME(openat2),
	NAME(epoll_pwait2),
};

void system_call_name(long number, char name[SYSTEM_CALL_NAME])
{
	if (number >= 0 && number < (long)(sizeof(names) / sizeof(*names)) && names[number])
		snprintf(name, SYSTEM_CALL_NAME, "%s", names[number]);
	else
		snprintf(name, SYSTEM_CALL_NAME, "call %ld", number);
}

bool system_call_of(uint32_t pid, uint32_t tid, char name[SYSTEM_CALL_NAME])
{
	char path[64], line[256], *end;

	name[0] = '\0';
	snprintf(path, sizeof(path), "/proc/%u/task/%u/syscall", pid, tid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, line, sizeof(line) - 1);

	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return true;
	line[n] = '\0';
	if (line[0] == 'r') /* "running" */
		return false;
	long number = strtol(line, &end, 10);
	if (end == line || number < 0)
		return true;
	system_call_name(number, name);
	return true;
}
