// SPDX-License-Identifier: BSD-2-Clause
#include "binary/x86_64/x86.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *(*x86_calloc)(size_t n, size_t size) = calloc;

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
	if (!opening || bytes > RESERVE_BYTES - at)
		return NULL;
	reserve.used += (bytes + 15) & ~(size_t)15;
	return memset(reserve.bytes + at, 0, bytes);
}

static bool is_lent(const void *p)
{
	return (uintptr_t)p - (uintptr_t)reserve.bytes < RESERVE_BYTES;
}

static void *take_zeroed(size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		return NULL;
	void *p = x86_calloc(n, size);
	return p ? p : lend(bytes);
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

void x86_want_text(bool wanted)
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
static int open_ready(csh *handle)
{
	static const uint8_t nop[] = { 0x90 };
	const uint8_t *code = nop;
	size_t left = sizeof(nop);
	uint64_t at = 0;
	cs_insn *in;
	cs_err err = cs_open(CS_ARCH_X86, CS_MODE_64, handle);

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

int x86_open(csh *handle)
{
	cs_opt_mem mem = { take, take_zeroed, take_again, give, print };
	int err;

	pthread_mutex_lock(&opening_lock);
	*handle = 0;
	reserve.used = 0;
	opening = true;
	lacking = false;
	cs_option(0, CS_OPT_MEM, (size_t)(uintptr_t)&mem);
	err = open_ready(handle);
	if (lacking)
		err = -ENOMEM;
	if (err && *handle)
		cs_close(handle);
	opening = false;
	pthread_mutex_unlock(&opening_lock);
	return err;
}
