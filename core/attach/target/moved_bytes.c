// SPDX-License-Identifier: BSD-2-Clause
#include "attach/target/moved_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/target/mappings.h"
#include "attach/target/springboard.h"
#include "attach/target/target.h"

#define JMP_BYTES       5
#define SHORT_JMP_BYTES 2
#define BEFORE          64 /* bytes that a window may begin before a site, */
#define AFTER           8

int moved_bytes_any(pid_t pid)
{
	struct mappings maps;
	struct mapping m;
	bool found = false;
	int err = mappings_open(&maps, pid);

	if (err)
		return err;
	while (!found && mappings_next(&maps, &m))
		found = strstr(m.path, "/memfd:" SPRINGBOARD_FILE);
	err = mappings_error(&maps);
	mappings_close(&maps);
	return found ? 1 : err;
}

/* A window begins with a jump, and int3 fill the rest of it. (One int3 is a uprobe.) */
bool moved_bytes_at(const unsigned char *is, const unsigned char *file, size_t n, size_t at)
{
	for (size_t i = 0; i <= at; i++) {
		size_t jump = is[i] == 0xe9 ? JMP_BYTES : is[i] == 0xeb ? SHORT_JMP_BYTES : 0;
		size_t end = i + jump;

		if (!jump || end > n || memcmp(is + i, file + i, jump) == 0)
			continue;
		while (end < n && is[end] == 0xcc && file[end] != 0xcc)
			end++;
		if (at < end)
			return true;
	}
	return false;
}

static int look_at_site(int mem_fd, uint64_t bias, const struct plan *plan,
			const struct plan_site *s)
{
	unsigned char is[BEFORE + AFTER];
	const struct gofunc *fn = gobin_func_at(plan->binary, s->vaddr);
	uint64_t start = fn && s->vaddr - fn->vaddr < BEFORE ? fn->vaddr : s->vaddr - BEFORE;
	size_t n = s->vaddr - start + AFTER;
	const uint8_t *file = gobin_bytes(plan->binary, start, n);

	if (!file || pread(mem_fd, is, n, (off_t)(start + bias)) != (ssize_t)n)
		return -EIO;
	return moved_bytes_at(is, file, n, s->vaddr - start);
}

static int look_at_sites(int mem_fd, uint64_t bias, const struct plan *plan, bool *func_moved,
			 bool *left_alone)
{
	for (size_t i = 0; i < plan->n_sites; i++) {
		const struct plan_site *s = &plan->sites[i];
		int moved = look_at_site(mem_fd, bias, plan, s);

		if (moved < 0)
			return moved;
		if (s->func == PLAN_NO_FUNC)
			left_alone[i] = moved;
		else if (moved)
			func_moved[s->func] = true;
	}
	return 0;
}

int moved_bytes_find(pid_t pid, int exe_fd, const struct plan *plan, bool *left_alone)
{
	bool *func_moved = calloc(plan->n_funcs + 1, sizeof(*func_moved));
	const struct gofunc *funcs;
	uint64_t bias = 0;
	int n = 0, err = func_moved && gobin_funcs(plan->binary, &funcs) ? 0 : -ENOMEM;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	int mem_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (!err && mem_fd < 0)
		err = -errno;
	if (!err)
		err = target_text_bias(pid, exe_fd, funcs[0].vaddr, funcs[0].file_off, &bias);
	if (!err)
		err = look_at_sites(mem_fd, bias, plan, func_moved, left_alone);
	for (size_t i = 0; i < plan->n_sites && !err; i++)
		if (plan->sites[i].func != PLAN_NO_FUNC)
			left_alone[i] = func_moved[plan->sites[i].func];
	for (size_t i = 0; i < plan->n_funcs && !err; i++)
		n += func_moved[i];
	if (mem_fd >= 0)
		close(mem_fd);
	free(func_moved);
	return err ? err : n;
}
