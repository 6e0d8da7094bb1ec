// SPDX-License-Identifier: BSD-2-Clause
#include "binary/capstone/capstone_open.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *(*capstone_calloc)(size_t n, size_t size) = calloc;

/* Lent to a handle that is being opened where there is no memory, so that capstone has something to
 * write into; the handle is closed again. One takes 18 KiB in all (capstone 4.0.2). */
#define RESERVE_BYTES 65536
static struct {
	_Alignas(16) char bytes[RESERVE_BYTES];
	size_t used;
} reserve;

static pthread_mutex_t opening_lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local bool opening, lacking;

static void *lend(size_t bytes)
{
	size_t at = reserve.used;

	lacking = true;
	if (bytes > RESERVE_BYTES - at)
		return NULL;
	reserve.used += (bytes + 15) & ~(size_t)15;
	return memset(reserve.bytes + at, 0, bytes);
}

/* Lent while an instruction of arm64 is printed: capstone 4 copies the format of an alias, a string
 * of a few dozen bytes, writes into it unasked, and gives it back before it returns
 * (printAliasInstr in arch/AArch64/AArch64GenAsmWriter.inc). */
#define SCRATCH_BYTES 512
#define SCRATCH_PARTS 4
static _Thread_local struct {
	_Alignas(16) char bytes[SCRATCH_PARTS][SCRATCH_BYTES];
	unsigned next;
} scratch;

static void *lend_for_a_moment(size_t bytes)
{
	if (bytes > SCRATCH_BYTES)
		return NULL;
	return memset(scratch.bytes[scratch.next++ % SCRATCH_PARTS], 0, bytes);
}

static bool is_lent(const void *p)
{
	return (uintptr_t)p - (uintptr_t)reserve.bytes < RESERVE_BYTES ||
	       (uintptr_t)p - (uintptr_t)scratch.bytes < sizeof(scratch.bytes);
}

static void *take_zeroed(size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		return NULL;
	void *p = capstone_calloc(n, size);

	if (p)
		return p;
	return opening ? lend(bytes) : lend_for_a_moment(bytes);
}

static void *take(size_t bytes)
{
	return take_zeroed(1, bytes);
}

static void *take_again(void *p, size_t bytes)
{
	return is_lent(p) ? NULL : realloc(p, bytes);
}

static void give(void *p)
{
	if (!is_lent(p))
		free(p);
}

static _Thread_local bool without_text;

void capstone_want_text(bool wanted)
{
	without_text = !wanted;
}

static int print(char *s, size_t n, const char *format, va_list args)
{
	if (!without_text)
		return vsnprintf(s, n, format, args);
	if (n)
		*s = '\0';
	return 0;
}

/* cs_open and the first instruction, of which capstone makes its tables. */
static int open_ready(cs_arch arch, csh *handle)
{
	static const uint8_t x86_nop[] = { 0x90 }, arm64_nop[] = { 0x1f, 0x20, 0x03, 0xd5 };
	const bool x86 = arch == CS_ARCH_X86;
	const uint8_t *code = x86 ? x86_nop : arm64_nop;
	size_t left = x86 ? sizeof(x86_nop) : sizeof(arm64_nop);
	uint64_t at = 0;
	cs_insn *in;
	cs_err err = cs_open(arch, x86 ? CS_MODE_64 : CS_MODE_ARM, handle);

	if (err != CS_ERR_OK)
		return err == CS_ERR_MEM ? -ENOMEM : -ENOTSUP;
	in = cs_malloc(*handle);
	if (!in)
		return -ENOMEM;
	if (!cs_disasm_iter(*handle, &code, &left, &at, in))
		lacking = true;
	cs_free(in, 1);
	return 0;
}

int capstone_open(cs_arch arch, csh *handle)
{
	cs_opt_mem mem = { take, take_zeroed, take_again, give, print };
	int err;

	pthread_mutex_lock(&opening_lock);
	*handle = 0;
	reserve.used = 0;
	opening = true;
	lacking = false;
	cs_option(0, CS_OPT_MEM, (size_t)(uintptr_t)&mem);
	err = open_ready(arch, handle);
	if (lacking)
		err = -ENOMEM;
	if (err && *handle)
		cs_close(handle);
	opening = false;
	pthread_mutex_unlock(&opening_lock);
	return err;
}
