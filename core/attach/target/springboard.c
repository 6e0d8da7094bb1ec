// SPDX-License-Identifier: BSD-2-Clause
#include "attach/target/springboard.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach/target/stub_maps.h"
#include "attach/target/text_patch.h"

#ifndef MFD_NOEXEC_SEAL
/* 105ff5339f49, Linux 6.3: is mapped, never executed; vm.memfd_noexec=2 takes no other */
#define MFD_NOEXEC_SEAL 0x0008u
#endif

int springboard_fill(int fd, const struct plan *plan)
{
	const struct plan_stubs *t = &plan->stubs;

	for (size_t done = 0; done < t->bytes;) {
		ssize_t n = pwrite(fd, t->code + done, t->bytes - done,
				   (off_t)(t->file_off + done));

		if (n < 0 && errno != EINTR)
			return -errno;
		done += n > 0 ? (size_t)n : 0;
	}
	return fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL)
		       ? -errno
		       : 0;
}

int springboard_file(const struct plan *plan)
{
	int fd = memfd_create(SPRINGBOARD_LOCKED,
			      MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create(SPRINGBOARD_LOCKED, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return -errno;
	int err = springboard_fill(fd, plan);

	if (err)
		close(fd);
	return err ? err : fd;
}

/* ---- at the exec */

struct exec_calls {
	struct inject *in;
	uint64_t syscall_at;
};

static int call(void *ctx, const uint64_t args[7], int64_t *result)
{
	const struct exec_calls *c = ctx;

	return inject_syscall(c->in, c->syscall_at, args, result);
}

static void patch_sites(struct text_patch *p, bool *in_stub)
{
	const struct plan_stubs *t = &p->plan->stubs;
	uint8_t *stubs = malloc(t->bytes);
	bool seen = stubs && text_patch_read(p, t->vaddr, stubs, t->bytes);

	for (size_t i = 0; i < p->plan->n_sites; i++)
		if (in_stub[i])
			in_stub[i] = seen && text_patch_site(p, &p->plan->sites[i], stubs);
	free(stubs);
}

/* In every case: the process is to have no descriptor of ours. */
static void close_in_target(const struct exec_calls *c, int fd, bool text_known)
{
	const uint64_t leave[7] = { SYS_close, (uint64_t)fd };
	int64_t result;

	if (fd < 0)
		return;
	if (text_known)
		inject_syscall(c->in, c->syscall_at, leave, &result);
	else
		inject_syscall_at_start(c->in, leave, &result);
}

const char *springboard_patch(struct inject *in, const struct plan *plan, int exe_fd, int stub_fd,
			      const struct ring_area *rings, bool *in_stub)
{
	const bool inlined = rings->fd >= 0;
	const char *why;
	struct text_patch p = { .plan = plan, .mem_fd = -1 };
	struct stub_maps maps;
	bool text_known;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/mem", in->pid);
	p.mem_fd = open(path, O_RDWR | O_CLOEXEC);
	why = p.mem_fd < 0 ? "its memory cannot be written"
			   : text_patch_other_image(in->pid, exe_fd);
	if (!why)
		why = text_patch_find(&p, in->pid, exe_fd);
	text_known = !why;
	struct exec_calls calls = { in, plan->stubs.syscall_vaddr + p.bias };
	const struct process_calls process = { call, &calls };
	if (!why)
		why = stub_maps_make(&maps, &process, &p, stub_fd, inlined ? rings : NULL,
				     rings->fd);
	for (unsigned i = 0; !why && inlined && i < rings->n; i++)
		stub_maps_populate(&maps, &process, rings, i);
	close_in_target(&calls, stub_fd, text_known);
	close_in_target(&calls, rings->fd, text_known);
	if (!why && inlined)
		why = text_patch_sigtramp(&p);
	if (!why)
		patch_sites(&p, in_stub);
	if (p.mem_fd >= 0)
		close(p.mem_fd);
	return why;
}
