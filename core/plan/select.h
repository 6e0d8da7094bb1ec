/* SPDX-License-Identifier: BSD-2-Clause */
/* Selects the functions that the user means by -p, -f and -x. */
#ifndef GOTRACE_SELECT_H
#define GOTRACE_SELECT_H

#include <stdbool.h>
#include <stdio.h>

#include "plan/drivers.h"
#include "plan/packages.h"
#include "plan/plan.h"

enum selection { NOT_SELECTED, SELECTED, DESELECTED /* by -x */ };

#define SELECTOR_PACKAGE_MAX 256 /* a package with a longer name is not remembered */

struct selector {
	const struct plan_options *opt;
	const char *main_module; /* its path, "" when not known */
	char **tested;           /* packages under test, of a test binary without module data */
	size_t n_tested, cap_tested;
	bool *package_used, *glob_used; /* true for each pattern that has matched */
	unsigned presets_used;
	struct drivers drivers; /* filled in when PRESET_DB is wanted */
	struct plan *plan; /* its functions with requested values are selected, too; may be NULL */
	/* The package of the last name that was not selected for its package, as the linker spells
	 * it. The next name in the binary mostly has the same package. */
	char not_selected[SELECTOR_PACKAGE_MAX];
	size_t not_selected_bytes; /* 0 without such a package */
};

/* Returns 0 or -ENOMEM. Borrows opt and b. */
int selector_init(struct selector *s, const struct plan_options *opt, const struct gobin *b);
void selector_free(struct selector *s);

/* Returns an enum selection, or -ENOMEM. `symbol` is a name as the linker spells it. */
int selector_match(struct selector *s, const char *symbol);

/* Warns of each pattern that matched nothing. */
void selector_warn_unused(const struct selector *s);
/* Logs one error that nothing matched, and suggests functions or packages with similar names. */
void selector_log_no_match(const struct selector *s, const struct gobin *b);

#endif
