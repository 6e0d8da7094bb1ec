// SPDX-License-Identifier: BSD-2-Clause
#include "attach/probes/embedded_bpf.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "attach/probes/kernel_types.h"
#include "base/log.h"

/* 8-byte aligned: libelf reads its headers in place. */
#define EMBED(name)                                                              \
	__asm__(".section .rodata\n"                                             \
		".balign 8\n"                                                    \
		".global bpf_" #name "_start, bpf_" #name "_end\n"               \
		"bpf_" #name "_start: .incbin \"" BPF_DIR "/" #name ".bpf.o\"\n" \
		"bpf_" #name "_end: .byte 0\n"                                   \
		".previous\n");
BPF_OBJECTS(EMBED)

static int libbpf_to_log(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	char line[512];

	(void)level;
	vsnprintf(line, sizeof(line), fmt, ap);
	line[strcspn(line, "\n")] = '\0';
	log_debug("libbpf: %s", line);
	return 0;
}

void embedded_bpf_log(void)
{
	libbpf_set_print(libbpf_to_log);
}

static size_t page_up(size_t bytes)
{
	size_t page = sysconf(_SC_PAGESIZE);

	return (bytes + page - 1) / page * page;
}

void *embedded_bpf_config(const struct bpf_object *o, size_t bytes)
{
	struct bpf_map *rodata = bpf_object__find_map_by_name(o, ".rodata");
	size_t size = 0;
	void *config = rodata ? bpf_map__initial_value(rodata, &size) : NULL;

	return config && size >= bytes ? config : NULL;
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

int embedded_bpf_load(const struct embedded_bpf *e, struct bpf_object **object, void **state)
{
	embedded_bpf_log();
	int types;
	struct bpf_object *o = kernel_types_open(e->name, e->start, (size_t)(e->end - e->start),
						 &types);
	void *config = o ? embedded_bpf_config(o, e->config_bytes) : NULL;
	int err = !o ? -errno : !config ? -EINVAL : 0;

	if (!err) {
		memcpy(config, e->config, e->config_bytes);
		err = bpf_object__load(o);
	}
	if (types >= 0)
		close(types);
	*state = err ? NULL : embedded_bpf_map(o, ".bss", e->state_bytes);
	if (!err && !*state)
		err = -errno;
	if (err)
		bpf_object__close(o);
	*object = err ? NULL : o;
	return err;
}
