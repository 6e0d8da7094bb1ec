// SPDX-License-Identifier: BSD-2-Clause
#include "attach/host/remote_code.h"

#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/user.h>

#define SYSCALL_BYTES 2

enum reg { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11 };

struct code {
	uint8_t *to;
	unsigned n;
};

static void put(struct code *c, const void *bytes, unsigned n)
{
	memcpy(c->to + c->n, bytes, n);
	c->n += n;
}

/* mov $value,%reg */
static void set(struct code *c, enum reg reg, uint64_t value)
{
	const uint8_t op[] = { reg < R8 ? 0x48 : 0x49, (uint8_t)(0xb8 + (reg & 7)) };

	put(c, op, sizeof(op));
	put(c, &value, sizeof(value));
}

static void system_call(struct code *c, const uint64_t args[7])
{
	static const enum reg regs[7] = { RAX, RDI, RSI, RDX, R10, R8, R9 };

	for (int i = 0; i < 7; i++)
		set(c, regs[i], args[i]);
	put(c, "\x0f\x05", SYSCALL_BYTES);
}

#define FLAG_DF 0x400
#define FLAG_OF 0x800

/* All flags that a program can count on; uses rax. `sahf` sets all but the direction and the
 * overflow, which an addition sets before. */
static void set_flags(struct code *c, uint64_t flags)
{
	const uint8_t code[] = {
		0xb0,
		flags & FLAG_OF ? 0x7f : 0, /* mov $,%al */
		0x04,
		1, /* add $1,%al */
		0xb4,
		(uint8_t)flags,                /* mov $,%ah */
		0x9e,                          /* sahf */
		flags & FLAG_DF ? 0xfd : 0xfc, /* std, cld */
	};

	put(c, code, sizeof(code));
}

/* After the code: where the thread goes on, its signal mask, the string. */
#define AT_RIP     (REMOTE_CODE_BYTES - REMOTE_TEXT_MAX - 16)
#define AT_SIGNALS (AT_RIP + 8)
#define AT_TEXT    (AT_RIP + 16)
_Static_assert(2 * (7 * 10 + SYSCALL_BYTES) + 8 + 9 * 10 + 6 <= AT_RIP,
	       "two calls, flags, registers, jump");

void remote_code_write(const struct remote_state *s, uint64_t at, const uint64_t args[7],
		       const char *text, uint8_t *to)
{
	struct user_regs_struct r;
	const uint64_t mask[7] = { SYS_rt_sigprocmask, SIG_SETMASK, at + AT_SIGNALS, 0, 8 };
	uint64_t call[7];
	struct code c = { .to = to };

	memcpy(&r, s->regs.words, sizeof(r));
	memset(to, 0xcc, REMOTE_CODE_BYTES);
	memcpy(call, args, sizeof(call));
	if (text)
		call[1] = at + AT_TEXT;
	system_call(&c, call);
	system_call(&c, mask);
	set_flags(&c, r.eflags);
	set(&c, RAX, r.rax);
	set(&c, RCX, r.rcx);
	set(&c, RDX, r.rdx);
	set(&c, RSI, r.rsi);
	set(&c, RDI, r.rdi);
	set(&c, R8, r.r8);
	set(&c, R9, r.r9);
	set(&c, R10, r.r10);
	set(&c, R11, r.r11);
	const int32_t to_rip = AT_RIP - (int32_t)(c.n + 6);
	put(&c, "\xff\x25", 2); /* jmp *(%rip) */
	put(&c, &to_rip, 4);
	memcpy(to + AT_RIP, &r.rip, 8);
	memcpy(to + AT_SIGNALS, &s->signals, 8);
	for (size_t i = 0; text && i < REMOTE_TEXT_MAX; i++) {
		to[AT_TEXT + i] = i + 1 < REMOTE_TEXT_MAX ? (uint8_t)text[i] : 0;
		if (!text[i])
			break;
	}
}
