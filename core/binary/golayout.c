/* SPDX-License-Identifier: BSD-2-Clause */
/* The layout of runtime.g, m and _panic for binaries without DWARF, and the slot that holds g. */
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "binary/arch.h"
#include "binary/gobin_impl.h"

#define OLDEST_TRACED_MINOR 19

/*
 * Measured with godwarf.c on a program built by each of go1.19.13, 1.20.14,
 * 1.21.13, 1.22.12, 1.23.12, 1.24.13, 1.25.3, 1.26.8 and 1.27.3 (for amd64;
 * the same with and without PIE): the layout is a constant of the compiled
 * runtime. golayout_test compares the installed toolchain's row with DWARF.
 * What moved: 1.21 parentGoid in, 1.22 _panic rewritten, 1.23 g.syscallbp in,
 * 1.25 gobuf.ret out, 1.26 _panic.argp out.
 */
#define COMMON                                                                        \
	.g_stack_lo = 0, .g_stack_hi = 8, .g_panic = 32, .g_m = 48, .g_sched_sp = 56, \
	.g_sched_pc = 64, .m_g0 = 0, .m_morebuf_sp = 8
#define WAITING(since, reason, seq) \
	.g_waitsince = (since), .g_waitreason = (reason), .g_tracking_seq = (seq)

static const struct golayout table[] = {
	/* from OLDEST_TRACED_MINOR on */
	{ COMMON, .g_sched_bp = 104, .g_atomicstatus = 144, .g_goid = 152, .g_gopc = 296,
	  .g_startpc = 312, .g_parent_goid = -1, WAITING(168, 176, 189), .g_sigcode0 = 272,
	  .g_labels = 360, .m_gsignal = 80, .m_procid = 72, .m_p = 208, .m_curg = 192,
	  .panic_link = 24, .panic_sp = 40, .panic_start_sp = -1, .panic_goexit = 50,
	  .panic_recovered = 48 }, /* 1.19 */
	{ COMMON, .g_sched_bp = 104, .g_atomicstatus = 144, .g_goid = 152, .g_gopc = 296,
	  .g_startpc = 312, .g_parent_goid = -1, WAITING(168, 176, 189), .g_sigcode0 = 272,
	  .g_labels = 360, .m_gsignal = 80, .m_procid = 72, .m_p = 208, .m_curg = 192,
	  .panic_link = 24, .panic_sp = 40, .panic_start_sp = -1, .panic_goexit = 50,
	  .panic_recovered = 48 }, /* 1.20 */
	{ COMMON, .g_sched_bp = 104, .g_atomicstatus = 144, .g_goid = 152, .g_gopc = 280,
	  .g_startpc = 296, .g_parent_goid = 272, WAITING(168, 176, 188), .g_sigcode0 = 248,
	  .g_labels = 344, .m_gsignal = 80, .m_procid = 72, .m_p = 208, .m_curg = 192,
	  .panic_link = 24, .panic_sp = 40, .panic_start_sp = -1, .panic_goexit = 50,
	  .panic_recovered = 48 }, /* 1.21 */
	{ COMMON, .g_sched_bp = 104, .g_atomicstatus = 144, .g_goid = 152, .g_gopc = 280,
	  .g_startpc = 296, .g_parent_goid = 272, WAITING(168, 176, 191), .g_sigcode0 = 248,
	  .g_labels = 344, .m_gsignal = 80, .m_procid = 72, .m_p = 208, .m_curg = 192,
	  .panic_link = 24, .panic_sp = 48, .panic_start_sp = 40, .panic_goexit = 97,
	  .panic_recovered = 96 }, /* 1.22 */
	{ COMMON, .g_sched_bp = 104, .g_atomicstatus = 152, .g_goid = 160, .g_gopc = 288,
	  .g_startpc = 304, .g_parent_goid = 280, WAITING(176, 184, 199), .g_sigcode0 = 256,
	  .g_labels = 352, .m_gsignal = 80, .m_procid = 72, .m_p = 208, .m_curg = 192,
	  .panic_link = 24, .panic_sp = 48, .panic_start_sp = 40, .panic_goexit = 97,
	  .panic_recovered = 96 }, /* 1.23 */
	{ COMMON, .g_sched_bp = 104, .g_atomicstatus = 152, .g_goid = 160, .g_gopc = 288,
	  .g_startpc = 304, .g_parent_goid = 280, WAITING(176, 184, 199), .g_sigcode0 = 256,
	  .g_labels = 352, .m_gsignal = 80, .m_procid = 72, .m_p = 208, .m_curg = 192,
	  .panic_link = 24, .panic_sp = 48, .panic_start_sp = 40, .panic_goexit = 97,
	  .panic_recovered = 96 }, /* 1.24 */
	{ COMMON, .g_sched_bp = 96, .g_atomicstatus = 144, .g_goid = 152, .g_gopc = 280,
	  .g_startpc = 296, .g_parent_goid = 272, WAITING(168, 176, 191), .g_sigcode0 = 248,
	  .g_labels = 344, .m_gsignal = 72, .m_procid = 64, .m_p = 200, .m_curg = 184,
	  .panic_link = 24, .panic_sp = 48, .panic_start_sp = 40, .panic_goexit = 98,
	  .panic_recovered = 96 }, /* 1.25 */
	{ COMMON, .g_sched_bp = 96, .g_atomicstatus = 144, .g_goid = 152, .g_gopc = 288,
	  .g_startpc = 304, .g_parent_goid = 280, WAITING(168, 176, 191), .g_sigcode0 = 256,
	  .g_labels = 352, .m_gsignal = 72, .m_procid = 64, .m_p = 208, .m_curg = 184,
	  .panic_link = 16, .panic_sp = 40, .panic_start_sp = 32, .panic_goexit = 90,
	  .panic_recovered = 88 }, /* 1.26 */
	{ COMMON, .g_sched_bp = 96, .g_atomicstatus = 144, .g_goid = 152, .g_gopc = 288,
	  .g_startpc = 304, .g_parent_goid = 280, WAITING(168, 176, 191), .g_sigcode0 = 256,
	  .g_labels = 352, .m_gsignal = 72, .m_procid = 64, .m_p = 208, .m_curg = 184,
	  .panic_link = 16, .panic_sp = 48, .panic_start_sp = 32, .panic_goexit = 90,
	  .panic_recovered = 88 }, /* 1.27 */
};

int golayout_by_minor(int minor, struct golayout *out)
{
	const int n = sizeof(table) / sizeof(table[0]);

	if (minor < OLDEST_TRACED_MINOR || minor >= OLDEST_TRACED_MINOR + n)
		return -ENOENT;
	*out = table[minor - OLDEST_TRACED_MINOR];
	return 0;
}

/* Length of the "1.28.0" in "go1.28.0 X:nodwarf5" or "devel go1.28-0a1b", as ci/go-layout.sh wants
 * it. */
static size_t release_len(const char *version)
{
	return strspn(strstr(version, "go1.") + 2, "0123456789.rc");
}

int gobin_layout(const struct gobin *b, struct golayout *out)
{
	if (b->minor >= 0 && b->minor < OLDEST_TRACED_MINOR) {
		log_error("%s: built by %s; tracing needs Go 1.19 or newer: build it again",
			  b->path, b->version);
		return -ENOTSUP;
	}
	if (godwarf_layout(b, out) == 0 || golayout_by_minor(b->minor, out) == 0)
		return 0;
	if (b->minor < 0)
		log_error(
			"%s: built by an unknown Go version, and it has no debug info to ask for the "
			"runtime's layout. Build it without -ldflags=-s or -w",
			b->path);
	else
		log_error(
			"%s: built by %s, whose runtime this gotrace does not know, and it has no debug "
			"info to ask. Build it without -ldflags=-s or -w, use a newer gotrace, or let its "
			"sources learn that version (ci/go-layout.sh %.*s)",
			b->path, b->version, (int)release_len(b->version),
			strstr(b->version, "go1.") + 2);
	return -ENOTSUP;
}

int gobin_tls_g(const struct gobin *b, int64_t *off)
{
	return b->elf.arch->tls_of_g(b, off);
}
