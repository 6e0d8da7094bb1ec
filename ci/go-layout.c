/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the row of core/binary/golayout.c for a Go binary, from its DWARF; see go-layout.sh. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "binary/gobin.h"

int main(int argc, char **argv)
{
	struct golayout l;
	int fd = argc == 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
	struct gobin *b = fd >= 0 ? gobin_open(fd, argv[1]) : NULL;

	if (!b || gobin_layout(b, &l))
		return 1;
	if (!l.from_dwarf || l.g_stack_lo != 0 || l.g_stack_hi != 8 || l.g_panic != 32 ||
	    l.g_m != 48 || l.g_sched_sp != 56 || l.g_sched_pc != 64 || l.m_g0 != 0 ||
	    l.m_morebuf_sp != 8) {
		fprintf(stderr, "%s\n",
			l.from_dwarf ? "what COMMON holds has moved: write this row by hand"
				     : "the binary has no DWARF");
		return 1;
	}
	/* Lines as clang-format has them. */
	printf("\t{ COMMON, .g_sched_bp = %d, .g_atomicstatus = %d, .g_goid = %d, .g_gopc = %d,\n"
	       "\t  .g_startpc = %d, .g_parent_goid = %d, WAITING(%d, %d, %d), .g_sigcode0 = %d,\n"
	       "\t  .g_labels = %d, .m_gsignal = %d, .m_procid = %d, .m_p = %d, .m_curg = %d,\n"
	       "\t  .panic_link = %d, .panic_sp = %d, .panic_start_sp = %d, .panic_goexit = %d,\n"
	       "\t  .panic_recovered = %d }, /* 1.%d */\n",
	       l.g_sched_bp, l.g_atomicstatus, l.g_goid, l.g_gopc, l.g_startpc, l.g_parent_goid,
	       l.g_waitsince, l.g_waitreason, l.g_tracking_seq, l.g_sigcode0, l.g_labels,
	       l.m_gsignal, l.m_procid, l.m_p, l.m_curg, l.panic_link, l.panic_sp, l.panic_start_sp,
	       l.panic_goexit, l.panic_recovered, gobin_go_minor(b));
	gobin_close(b);
	close(fd);
	return 0;
}
