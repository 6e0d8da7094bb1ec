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
#include "plan/inline_hook.h"

#define JMP_BYTES 5

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* 4ca9b3859dac, Linux 5.14 */
#endif
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
	const struct ring_area *rings; /* fd -1: none */
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

/* ---- rings */

static bool map_at(const struct patch *p, uint64_t at, size_t bytes, int flags, int fd)
{
	const uint64_t map[7] = { SYS_mmap,        at,           bytes, PROT_READ | PROT_WRITE,
				  (uint64_t)flags, (uint64_t)fd, 0 };
	int64_t got = 0;

	return !inject_syscall(p->in, p->plan->stubs.syscall_vaddr + p->bias, map, &got) &&
	       got == (int64_t)at;
}

static int64_t advise(const struct patch *p, uint64_t at, size_t bytes, int advice)
{
	const uint64_t args[7] = { SYS_madvise, at, bytes, (uint64_t)advice };
	int64_t got = -EIO;

	inject_syscall(p->in, p->plan->stubs.syscall_vaddr + p->bias, args, &got);
	return got;
}

/* Maps the rings anywhere, and the table of their addresses with the hook's counts where the stubs
 * look for them. */
static const char *map_rings(const struct patch *p)
{
	const struct ring_area *a = p->rings;
	const uint64_t table = p->plan->stubs.inl.table_vaddr + p->bias;
	const uint64_t map[7] = { SYS_mmap,        0, a->bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
				  (uint64_t)a->fd, 0 };
	uint64_t addresses[RING_MAX] = { 0 };
	int64_t at = -1;

	if (!map_at(p, table, PLAN_INLINE_TABLE_BYTES,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1) ||
	    !map_at(p, table + PLAN_INLINE_TABLE_BYTES, PLAN_INLINE_SIGNALS_BYTES,
		    MAP_SHARED | MAP_FIXED_NOREPLACE, a->fd))
		return "something else lies where the table of rings belongs";
	/* A child that goes on without an exec must not write into its parent's rings. */
	if (advise(p, table, PLAN_INLINE_TABLE_BYTES, MADV_WIPEONFORK))
		return "its table of rings would be a forked child's too";
	if (inject_syscall(p->in, p->plan->stubs.syscall_vaddr + p->bias, map, &at) || at <= 0)
		return "it may not map the rings";
	advise(p, (uint64_t)at, a->bytes, MADV_DONTDUMP);
	/* Before Linux 5.14 each page is mapped as it is first written. */
	advise(p, (uint64_t)at, a->bytes, MADV_POPULATE_WRITE);
	for (unsigned i = 0; i < a->n; i++)
		addresses[i] = (uint64_t)at + ring_area_offset(a, i);
	return pwrite(p->mem_fd, addresses, sizeof(addresses), (off_t)table) == sizeof(addresses)
		       ? NULL
		       : "its table of rings cannot be filled";
}

/* The signal handler goes by way of the hook from now on. */
static const char *patch_sigtramp(const struct patch *p)
{
	const uint64_t at = p->plan->stubs.inl.sigtramp_vaddr;
	const uint64_t from = at + INLINE_SIGTRAMP_JUMP;
	uint8_t was[INLINE_SIGTRAMP_BYTES], jump[JMP_BYTES];

	if (!read_mem(p, at, was, sizeof(was)) || memcmp(was, inline_sigtramp, sizeof(was)))
		return "its signal handler is not the file's";
	stubs_write_jump(jump, from, p->plan->stubs.vaddr + p->plan->stubs.inl.hook_off);
	return pwrite(p->mem_fd, jump, sizeof(jump), (off_t)(from + p->bias)) == sizeof(jump)
		       ? NULL
		       : "its signal handler cannot be patched";
}

/* ---- sites */

/* Whether the stub has its breakpoint in the process: the kernel refuses one silently while it maps
 * a file. */
static bool probe_is_there(const uint8_t *stubs, const struct plan_site *s)
{
	return stubs[s->stub.probe_off] == 0xcc;
}

static void write_short_jump(uint8_t *at, uint64_t from, uint64_t to)
{
	at[0] = 0xeb;
	at[1] = (uint8_t)(to - (from + 2));
}

/* The padding that a short jump goes to jumps on to the stub. */
static bool patch_padding(const struct patch *p, const struct site_stub *s)
{
	static const uint8_t padding[JMP_BYTES] = { 0xcc, 0xcc, 0xcc, 0xcc, 0xcc };
	uint8_t was[JMP_BYTES], jump[JMP_BYTES];

	if (!read_mem(p, s->padding_vaddr, was, JMP_BYTES) || memcmp(was, padding, JMP_BYTES))
		return false;
	stubs_write_jump(jump, s->padding_vaddr, p->plan->stubs.vaddr + s->enter_off);
	return pwrite(p->mem_fd, jump, JMP_BYTES, (off_t)(s->padding_vaddr + p->bias)) == JMP_BYTES;
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
	if (!s->padding_vaddr)
		stubs_write_jump(jump, vaddr, p->plan->stubs.vaddr + s->enter_off);
	else if (!patch_padding(p, s))
		return false;
	else
		write_short_jump(jump, vaddr, s->padding_vaddr);
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

/* Finds the address of the image and checks that system calls can be made from it. */
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

/* In every case: the process is to have no descriptor of ours. */
static void close_in_target(struct patch *p, int fd, bool text_known)
{
	const uint64_t leave[7] = { SYS_close, (uint64_t)fd };
	int64_t result;

	if (fd < 0)
		return;
	if (text_known)
		inject_syscall(p->in, p->plan->stubs.syscall_vaddr + p->bias, leave, &result);
	else
		inject_syscall_at_start(p->in, leave, &result);
}

const char *springboard_patch(struct inject *in, const struct plan *plan, int exe_fd, int stub_fd,
			      const struct ring_area *rings, bool *in_stub)
{
	const char *why;
	struct patch p = { .rings = rings, .in = in, .plan = plan, .mem_fd = -1 };
	bool text_known;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/mem", in->pid);
	p.mem_fd = open(path, O_RDWR | O_CLOEXEC);
	why = p.mem_fd < 0                   ? "its memory cannot be written"
	      : !same_image(in->pid, exe_fd) ? "it executes another file"
					     : find_text(&p);
	text_known = !why;
	if (!why)
		why = map_stubs(&p, stub_fd);
	if (!why && rings->fd >= 0)
		why = map_rings(&p);
	close_in_target(&p, stub_fd, text_known);
	close_in_target(&p, rings->fd, text_known);
	if (!why && rings->fd >= 0)
		why = patch_sigtramp(&p);
	if (!why)
		patch_sites(&p, in_stub);
	if (p.mem_fd >= 0)
		close(p.mem_fd);
	return why;
}
