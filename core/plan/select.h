/* SPDX-License-Identifier: BSD-2-Clause */
/* Which functions the user means by -p, -f and -x. */
#ifndef GOTRACE_SELECT_H
#define GOTRACE_SELECT_H

#include <stdbool.h>
#include <stdio.h>

#include "plan/drivers.h"
#include "plan/packages.h"
#include "plan/plan.h"

enum selection { NOT_SELECTED, SELECTED, DESELECTED /* by -x */ };

#define SELECTOR_PACKAGE_MAX 256 /* of longer ones each name is looked at */

struct selector {
	const struct plan_options *opt;
	const char *main_module; /* path, "" when not known */
	char **tested;           /* packages under test, of a test binary without module data */
	size_t n_tested, cap_tested;
	bool *package_used, *glob_used; /* did each pattern match anything? */
	unsigned presets_used;
	struct drivers drivers; /* where PRESET_DB is wanted */
	struct plan *plan; /* functions whose values are asked for are selected, too; NULL: none */
	/* The package of the last name that was of one that is not selected, as the linker spells
	 * it: what follows in the binary mostly is of the same. */
	char not_selected[SELECTOR_PACKAGE_MAX];
	size_t not_selected_bytes; /* 0: none */
};

/* 0 or -ENOMEM. Borrows opt and b. */
int selector_init(struct selector *s, const struct plan_options *opt, const struct gobin *b);
void selector_free(struct selector *s);

/* `symbol` as the linker spells it. A negative value is -ENOMEM. */
int selector_match(struct selector *s, const char *symbol);

/* Warns of each pattern that matched nothing. */
void selector_warn_unused(const struct selector *s);
/* Logs one error: nothing matched; suggests functions or packages with similar names. */
void selector_log_no_match(const struct selector *s, const struct gobin *b);

#endif
