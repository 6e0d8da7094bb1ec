/* SPDX-License-Identifier: BSD-2-Clause */
/* Springboard stubs while a plan is built. Private to core/plan. */
#ifndef GOTRACE_STUBS_H
#define GOTRACE_STUBS_H

#include "binary/gocode.h"
#include "plan/plan.h"

/* Gives the exit s, code->rets[ret], a stub, or says in stub_why why there is none. */
void stubs_add_exit(struct plan *p, struct plan_site *s, const struct gocode *code, size_t ret);
/* The same for the entry. */
void stubs_add_entry(struct plan *p, struct plan_site *s, const struct gocode *code);
/* Once all sites are known: where the stubs lie, and their code. Without a place within reach
 * all sites stay in the text. 0, -ENOMEM or -EBADMSG. */
int stubs_end(struct plan *p);

#endif
