// SPDX-License-Identifier: BSD-2-Clause
#include "attach/under_jumps.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "attach/probing.h"
#include "attach/target/held_text.h"
#include "attach/target/target.h"
#include "base/log.h"

#define JMP_REL32 0xe9
#define JMP_REL8  0xeb
#define INT3      0xcc

static int restore(struct held_text *text, uint64_t at, uint8_t jump)
{
	uint8_t is;

	if (pread(text->mem_fd, &is, 1, (off_t)at) != 1)
		return -EIO;
	if (is != INT3)
		return 0;
	return held_text_write(text, at, jump) ? 0 : -EIO;
}

/* Writes the first byte of these jumps again where a breakpoint has taken its place. */
static int restore_all(pid_t pid, int exe_fd, const struct plan *plan, const bool *in_stub)
{
	const struct gofunc *funcs;
	uint64_t bias;
	struct held_text text;
	int err;

	if (!gobin_funcs(plan->binary, &funcs))
		return 0;
	err = target_text_bias(pid, exe_fd, funcs[0].vaddr, funcs[0].file_off, &bias);
	if (err)
		return err;
	err = held_text_open(&text, pid);
	if (err)
		return err;
	for (size_t i = 0; i < plan->n_sites && !err; i++) {
		const struct plan_site *s = &plan->sites[i];

		if (in_stub[i] && site_jumps_on_probed(s))
			err = restore(&text, s->vaddr + bias,
				      s->stub.padding_vaddr ? JMP_REL8 : JMP_REL32);
	}
	held_text_close(&text);
	return err;
}

void under_jumps_attach(struct links *l, const struct probes *p, const struct links_options *opt,
			pid_t pid)
{
	if (links_attach_under(l, p, opt))
		log_warn("another tool's probe on a short function would hide calls");
	int err = restore_all(pid, opt->exe_fd, opt->probing->plan, opt->probing->in_stub);
	if (err)
		log_warn("jumps to stubs cannot be written: %s; short functions are slow",
			 strerror(-err));
}
