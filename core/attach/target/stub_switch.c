// SPDX-License-Identifier: BSD-2-Clause
#include "attach/target/stub_switch.h"

#include <string.h>
#include <unistd.h>

#include "attach/target/held_text.h"

/* The instruction that ends with the byte: the process may have executed something else. */
#define SEEN_BYTES 8

static bool write_one(struct held_text *text, const struct plan *plan, uint64_t bias,
		      const struct plan_switch *s)
{
	const uint8_t *want = plan->stubs.code + s->off + 1 - SEEN_BYTES;
	uint64_t at = plan->stubs.vaddr + bias + s->off;
	uint8_t is[SEEN_BYTES];
	ssize_t n = pread(text->mem_fd, is, sizeof(is), (off_t)(at + 1 - SEEN_BYTES));

	if (!n)
		return true; /* it has ended */
	if (n != sizeof(is) || memcmp(is, want, SEEN_BYTES - 1) != 0)
		return false;
	return is[SEEN_BYTES - 1] == s->silent || held_text_write(text, at, s->silent);
}

int stub_switch_off(pid_t pid, const struct plan *plan, uint64_t bias, const bool *in_stub,
		    const bool *off, size_t *n_left)
{
	struct plan_switch switches[PLAN_SWITCHES];
	struct held_text text;
	int err = held_text_open(&text, pid);

	*n_left = 0;
	if (err)
		return err;
	for (size_t i = 0; i < plan->n_sites; i++) {
		const struct plan_site *s = &plan->sites[i];

		if (!in_stub[i] || !site_is_inline(s) || s->func == PLAN_NO_FUNC || !off[s->func])
			continue;
		for (unsigned k = 0, n = plan_switches(plan, s, switches); k < n; k++)
			*n_left += !write_one(&text, plan, bias, &switches[k]);
	}
	held_text_close(&text);
	return 0;
}
