// SPDX-License-Identifier: BSD-2-Clause
/* What a plan comes to: how many functions of which packages, how many not and why. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/text_format.h"
#include "base/vec.h"
#include "binary/goname.h"
#include "plan/plan_print.h"
#include "plan/plan_print_internal.h"

#define MOST_PACKAGES 20

struct package {
	char *name;
	size_t selected, probed;
};

struct packages {
	struct package *all;
	size_t n, cap;
};

static int add(struct packages *to, const struct plan_func *f)
{
	struct goname name;
	size_t i = to->n; /* functions of a package stand together */

	if (goname_split(f->fn->name, &name))
		return -ENOMEM;
	while (i && strcmp(to->all[i - 1].name, name.package) != 0)
		i--;
	if (!i) {
		if (vec_reserve(&to->all, &to->cap, to->n + 1) ||
		    !(to->all[to->n].name = strdup(name.package))) {
			goname_free(&name);
			return -ENOMEM;
		}
		i = ++to->n;
	}
	to->all[i - 1].selected++;
	to->all[i - 1].probed += f->fate == PLAN_PROBED;
	goname_free(&name);
	return 0;
}

static int by_size(const void *x, const void *y)
{
	const struct package *a = x, *b = y;
	int c = compare_u64(b->selected, a->selected);

	return c ? c : strcmp(a->name, b->name);
}

static void print_packages(const struct packages *of, FILE *out)
{
	size_t rest = 0;

	fprintf(out, "\n%8s %8s  PACKAGE\n", "SELECTED", "PROBED");
	for (size_t i = 0; i < of->n && i < MOST_PACKAGES; i++) {
		fprintf(out, "%8zu %8zu  ", of->all[i].selected, of->all[i].probed);
		text_safe(out, *of->all[i].name ? of->all[i].name : "(none)");
		fputc('\n', out);
	}
	for (size_t i = MOST_PACKAGES; i < of->n; i++)
		rest += of->all[i].selected;
	if (rest)
		fprintf(out, "%8zu           in %zu more package%s\n", rest, of->n - MOST_PACKAGES,
			plural(of->n - MOST_PACKAGES));
}

static void print_not_probed(const struct plan *p, FILE *out)
{
	fputc('\n', out);
	for (int fate = PLAN_PROBED + 1; fate < PLAN_FATES; fate++)
		if (p->n_fate[fate])
			fprintf(out, "%zu not probed: %s\n", p->n_fate[fate],
				plan_fate_reason(p, fate));
	if (p->n_inlined)
		fprintf(out,
			"%zu invisible: inlined everywhere; build with -gcflags=-l to see them\n",
			p->n_inlined);
}

int plan_print_summary(const struct plan *p, FILE *out)
{
	struct packages packages = { 0 };
	int err = 0;

	plan_print_selected(p, out);
	for (size_t i = 0; !err && i < p->n_funcs; i++)
		err = add(&packages, &p->funcs[i]);
	if (!err) {
		qsort(packages.all, packages.n, sizeof(*packages.all), by_size);
		print_packages(&packages, out);
		print_not_probed(p, out);
		if (plan_has_stubs(p)) {
			fputc('\n', out);
			err = plan_print_stubs(p, out);
		}
		fputs("\n--list names them all, --explain says where each is probed and why there\n",
		      out);
	}
	for (size_t i = 0; i < packages.n; i++)
		free(packages.all[i].name);
	free(packages.all);
	return err ? err : fflush(out) || ferror(out) ? -EIO : 0;
}
