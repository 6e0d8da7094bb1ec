// SPDX-License-Identifier: BSD-2-Clause
#include "attach/probes/embedded_bpf.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

/* 8-byte aligned: libelf reads its headers in place. */
#define EMBED(name)                                                              \
	__asm__(".section .rodata\n"                                             \
		".balign 8\n"                                                    \
		".global bpf_" #name "_start, bpf_" #name "_end\n"               \
		"bpf_" #name "_start: .incbin \"" BPF_DIR "/" #name ".bpf.o\"\n" \
		"bpf_" #name "_end: .byte 0\n"                                   \
		".previous\n")
EMBED(probes);
EMBED(children);

static size_t page_up(size_t bytes)
{
	size_t page = sysconf(_SC_PAGESIZE);

	return (bytes + page - 1) / page * page;
}

void *embedded_bpf_map(struct bpf_object *o, const char *map, size_t bytes)
{
	int fd = bpf_object__find_map_fd_by_name(o, map);
	void *at = MAP_FAILED;

	if (fd < 0)
		errno = ENOENT;
	else
		at = mmap(NULL, page_up(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return at == MAP_FAILED ? NULL : at;
}

void embedded_bpf_unmap(void *at, size_t bytes)
{
	if (at)
		munmap(at, page_up(bytes));
}
