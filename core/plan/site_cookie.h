/* SPDX-License-Identifier: BSD-2-Clause */
/* The attach cookie: what a BPF program knows about the site that it runs for. */
#ifndef GOTRACE_SITE_COOKIE_H
#define GOTRACE_SITE_COOKIE_H

#include "plan/plan.h"

/* The cookie of a probe on s (COOKIE_* of bpf/event.h): in the stub that it has, or in the text. */
uint64_t site_cookie(const struct plan_site *s, bool in_stub);

#endif
