/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the sites that get a springboard stub, and the stubs' addresses. Private to core/plan. */
#ifndef GOTRACE_STUBS_H
#define GOTRACE_STUBS_H

#include "binary/gocode.h"
#include "plan/plan.h"

/* Gives s, the exit at code->rets[ret], a stub, or sets s->stub.why to the reason for none. Returns
 * 0 or -ENOMEM. */
int stubs_add_exit(struct plan *p, struct plan_site *s, const struct gocode *code, size_t ret);
/* Does as stubs_add_exit for s, the entry. */
int stubs_add_entry(struct plan *p, struct plan_site *s, const struct gocode *code);
/* Gives the stubs their addresses and writes their code, once all sites of functions are known.
 * With `below` they lie right below the image. When no addresses are free within reach of a jump,
 * no site has a stub. Returns 0, -ENOMEM or -EBADMSG. */
int stubs_finish(struct plan *p, bool below);

#endif
