// SPDX-License-Identifier: BSD-2-Clause
#include "attach/target/springboard.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach/target/target.h"
#include "base/log.h"

#ifndef MFD_NOEXEC_SEAL
/* 105ff5339f49, Linux 6.3: is mapped, never executed; vm.memfd_noexec=2 takes no other */
#define MFD_NOEXEC_SEAL 0x0008u
#endif

int springboard_file(const struct plan *plan)
{
	const struct plan_stubs *t = &plan->stubs;
	int fd = memfd_create("gotrace-stubs", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("gotrace-stubs", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return -errno;
	for (size_t done = 0; done < t->bytes;) {
		ssize_t n = write(fd, t->code + done, t->bytes - done);

		if (n < 0 && errno != EINTR) {
			int err = -errno;

			close(fd);
			return err;
		}
		done += n > 0 ? (size_t)n : 0;
	}
	if (fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL)) {
		int err = -errno;

		close(fd);
		return err;
	}
	return fd;
}

/* ---- at the exec */

struct patch {
	struct inject *in;
	const struct plan *plan;
	int mem_fd;
	uint64_t bias; /* run-time minus link-time address */
};

/* Whether the process executes the binary of the plan. */
static bool same_image(pid_t pid, int exe_fd)
{
	struct stat ours, its;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	return !fstat(exe_fd, &ours) && !stat(path, &its) && ours.st_dev == its.st_dev &&
	       ours.st_ino == its.st_ino;
}

static bool read_mem(const struct patch *p, uint64_t vaddr, void *to, size_t n)
{
	return pread(p->mem_fd, to, n, (off_t)(vaddr + p->bias)) == (ssize_t)n;
}

static const char *map_stubs(struct patch *p, int stub_fd)
{
	const struct plan_stubs *t = &p->plan->stubs;
	const uint64_t at = t->vaddr + p->bias, syscall_at = t->syscall_vaddr + p->bias;
	const uint64_t map[7] = {
		SYS_mmap,
		at,
		t->bytes,
		PROT_READ | PROT_EXEC,
		MAP_PRIVATE | MAP_FIXED_NOREPLACE,
		(uint64_t)stub_fd,
		0,
	};
	int64_t got = 0;

	if (inject_syscall(p->in, syscall_at, map, &got))
		return "it could not be made to map the stubs";
	if (got == (int64_t)at)
		return NULL;
	if (got > 0) { /* before Linux 4.17 the flag was only a wish */
		inject_syscall(p->in, syscall_at,
			       (const uint64_t[7]){ SYS_munmap, (uint64_t)got, t->bytes }, &got);
		got = -EEXIST;
	}
	log_debug("mapping %zu bytes of stubs at %" PRIx64 ": %s", t->bytes, at,
		  strerror((int)-got));
	return got == -EEXIST ? "something else lies where the stubs belong"
			      : "it may not map the stubs";
}

/* Whether the stub has its breakpoint in the process: the kernel refuses one silently while it maps
 * a file. */
static bool probe_is_there(const uint8_t *stubs, const struct plan_site *s)
{
	return stubs[s->stub.probe_off] == 0xcc;
}

/* Writes the jump to the stub. false: the bytes are not the file's, or cannot be written. */
static bool patch_site(const struct patch *p, const struct site_stub *s)
{
	const uint64_t vaddr = s->displaced_vaddr;
	const size_t len = s->displaced_len;
	const uint8_t *file = gobin_bytes(p->plan->binary, vaddr, len);
	uint8_t was[256], jump[256];

	if (!file || !read_mem(p, vaddr, was, len) || memcmp(was, file, len))
		return false;
	memset(jump, 0xcc, len); /* a stray jump traps */
	stubs_write_jump(jump, vaddr, p->plan->stubs.vaddr + s->enter_off);
	ssize_t n = pwrite(p->mem_fd, jump, len, (off_t)(vaddr + p->bias));
	if (n == (ssize_t)len)
		return true;
	if (n > 0 && pwrite(p->mem_fd, was, (size_t)n, (off_t)(vaddr + p->bias)) != n)
		log_warn(
			"%zd bytes of the target's text were overwritten and could not be restored",
			n);
	return false;
}

static void patch_sites(const struct patch *p, bool *in_stub)
{
	const struct plan_stubs *t = &p->plan->stubs;
	uint8_t *stubs = malloc(t->bytes);
	bool seen = stubs && read_mem(p, t->vaddr, stubs, t->bytes);

	for (size_t i = 0; i < p->plan->n_sites; i++) {
		const struct plan_site *s = &p->plan->sites[i];

		if (in_stub[i])
			in_stub[i] = seen && probe_is_there(stubs, s) && patch_site(p, &s->stub);
	}
	free(stubs);
}

/* Finds out where the image lies and that system calls can be made from it. */
static const char *find_text(struct patch *p)
{
	const struct gofunc *funcs;
	uint8_t code[2];

	p->bias = 0;
	if (!gobin_funcs(p->plan->binary, &funcs))
		return "it has no functions";
	if (target_text_bias(p->in->pid, funcs[0].vaddr, funcs[0].file_off, &p->bias))
		return "its text is not in its memory map";
	return read_mem(p, p->plan->stubs.syscall_vaddr, code, 2) &&
			       memcmp(code, "\x0f\x05", 2) == 0
		       ? NULL
		       : "its text is not the file's";
}

const char *springboard_patch(struct inject *in, const struct plan *plan, int exe_fd, int stub_fd,
			      bool *in_stub)
{
	const char *why;
	struct patch p = { .in = in, .plan = plan, .mem_fd = -1 };
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/mem", in->pid);
	p.mem_fd = open(path, O_RDWR | O_CLOEXEC);
	why = p.mem_fd < 0                   ? "its memory cannot be written"
	      : !same_image(in->pid, exe_fd) ? "it executes another file"
					     : find_text(&p);
	/* In every case: the process is to have no descriptor of ours. */
	const uint64_t leave[7] = { SYS_close, (uint64_t)stub_fd };
	int64_t result;
	if (why) {
		inject_syscall_at_start(in, leave, &result);
	} else {
		why = map_stubs(&p, stub_fd);
		inject_syscall(in, plan->stubs.syscall_vaddr + p.bias, leave, &result);
	}
	if (!why)
		patch_sites(&p, in_stub);
	if (p.mem_fd >= 0)
		close(p.mem_fd);
	return why;
}
