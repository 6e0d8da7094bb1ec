/* SPDX-License-Identifier: BSD-2-Clause */
/* The attach cookie, by which a BPF program knows the site that it runs for. */
#ifndef GOTRACE_SITE_COOKIE_H
#define GOTRACE_SITE_COOKIE_H

#include "plan/plan.h"

/* Returns the cookie of a probe on s (COOKIE_* of bpf/event.h), in its stub or in the text. */
uint64_t site_cookie(const struct plan_site *s, bool in_stub);

#endif
