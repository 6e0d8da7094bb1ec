// SPDX-License-Identifier: BSD-2-Clause
#include "plan/select.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/vec.h"
#include "binary/goname.h"
#include "plan/func_glob.h"
#include "plan/name_suggest.h"
#include "plan/packages.h"
#include "plan/presets.h"
#include "plan/plan_values.h"

/* "TestMain", "TestSum", "BenchmarkX": what `go test` looks for (cmd/go/internal/load/test.go). */
static bool is_test_function(const struct goname *name)
{
	static const char *const prefixes[] = { "Test", "Benchmark", "Fuzz", "Example" };

	for (size_t i = 0; !name->receiver && i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		size_t n = strlen(prefixes[i]);

		if (strncmp(name->function, prefixes[i], n) == 0 &&
		    !islower((unsigned char)name->function[n]))
			return true;
	}
	return false;
}

static int add_tested(struct selector *s, const char *package)
{
	for (size_t i = 0; i < s->n_tested; i++)
		if (strcmp(s->tested[i], package) == 0)
			return 0;
	if (vec_reserve(&s->tested, &s->cap_tested, s->n_tested + 1) ||
	    !(s->tested[s->n_tested] = strdup(package)))
		return -ENOMEM;
	s->n_tested++;
	return 0;
}

/* `go test -c` writes no module data before Go 1.24: the packages that hold
 * test functions stand in for it, and for pkg_test the package it tests. */
static int find_tested(struct selector *s, const struct gobin *b)
{
	const struct gofunc *funcs;
	size_t n = gobin_funcs(b, &funcs);
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		struct goname name;

		if (funcs[i].flags & GOFUNC_WRAPPER)
			continue;
		if (goname_split(funcs[i].name, &name))
			return -ENOMEM;
		size_t len = strlen(name.package);
		if (is_test_function(&name) && len && strcmp(name.package, "testing") != 0) {
			err = add_tested(s, name.package);
			if (!err && len > 5 && strcmp(name.package + len - 5, "_test") == 0) {
				name.package[len - 5] = '\0';
				err = add_tested(s, name.package);
			}
		}
		goname_free(&name);
	}
	return err;
}

int selector_init(struct selector *s, const struct plan_options *opt, const struct gobin *b)
{
	const struct gomodule *mod = gobin_main_module(b);

	*s = (struct selector){ .opt = opt, .main_module = mod && mod->path ? mod->path : "" };
	s->package_used = calloc(opt->n_packages + 1, sizeof(bool));
	s->glob_used = calloc(opt->n_globs + 1, sizeof(bool));
	int err = s->package_used && s->glob_used ? 0 : -ENOMEM;
	if (!err && !*s->main_module && gobin_func_named(b, "testing.(*M).Run"))
		err = find_tested(s, b);
	if (!err && opt->presets & PRESET_DB)
		err = drivers_find(&s->drivers, b);
	if (err)
		selector_free(s);
	return err;
}

void selector_free(struct selector *s)
{
	free(s->package_used);
	free(s->glob_used);
	for (size_t i = 0; i < s->n_tested; i++)
		free(s->tested[i]);
	free(s->tested);
	drivers_free(&s->drivers);
	*s = (struct selector){ 0 };
}

static int match_any_glob(const char *const *globs, size_t n, bool *used, const char *display)
{
	int any = 0;

	for (size_t i = 0; i < n; i++) {
		int hit = func_glob_hits(globs[i], display);
		if (hit < 0)
			return hit;
		if (hit && used)
			used[i] = true;
		any |= hit;
	}
	return any;
}

static bool match_package(struct selector *s, const char *package)
{
	bool any = false;

	if (!s->opt->n_packages && !s->opt->n_globs) {
		any = strcmp(package, "main") == 0 ||
		      (*s->main_module && package_below(s->main_module, package));
		for (size_t i = 0; i < s->n_tested && !any; i++)
			any = strcmp(s->tested[i], package) == 0;
		return any;
	}
	for (size_t i = 0; i < s->opt->n_packages; i++) {
		if (!package_matches(s->opt->packages[i], package))
			continue;
		s->package_used[i] = true;
		any = true;
	}
	return any;
}

static int match_name(struct selector *s, const char *symbol)
{
	struct goname name;
	char *display = goname_display(symbol);
	int hit = 0;

	if (!display || goname_split(symbol, &name)) {
		free(display);
		return -ENOMEM;
	}
	if (match_package(s, name.package))
		hit = 1;
	unsigned preset = presets_match(s->opt->presets, &name, display);
	if (s->opt->presets & PRESET_DB && drivers_has(&s->drivers, &name))
		preset |= PRESET_DB;
	s->presets_used |= preset;
	if (preset)
		hit = 1;
	int by_glob = match_any_glob(s->opt->globs, s->opt->n_globs, s->glob_used, display);
	if (by_glob > 0)
		hit = 1;
	else if (by_glob < 0)
		hit = by_glob;
	int also = match_any_glob(s->opt->also, s->opt->n_also, NULL, display);
	if (also)
		hit = hit < 0 ? hit : also;
	int by_value = s->plan ? values_match(s->plan, display) : 0;
	if (by_value)
		hit = by_value > 0 && hit >= 0 ? 1 : -ENOMEM;
	if (hit > 0) {
		int out = match_any_glob(s->opt->excludes, s->opt->n_excludes, NULL, display);
		hit = out < 0 ? out : out ? DESELECTED : SELECTED;
	}
	goname_free(&name);
	free(display);
	return hit;
}

/* Where only packages decide a name need not be taken apart. 1: it is not selected; 0: it may be;
 * -ENOMEM. */
static int not_by_package(struct selector *s, const char *symbol)
{
	const struct plan_options *opt = s->opt;

	if (opt->presets || opt->n_globs || opt->n_also || (s->plan && s->plan->values.n_requests))
		return 0;
	const size_t n = goname_package_bytes(symbol);
	if (n && n == s->not_selected_bytes && memcmp(symbol, s->not_selected, n) == 0)
		return 1;
	char *package = goname_package(symbol);
	if (!package)
		return -ENOMEM;
	const bool selected = match_package(s, package);
	free(package);
	if (!selected && n <= sizeof(s->not_selected)) {
		memcpy(s->not_selected, symbol, n);
		s->not_selected_bytes = n;
	}
	return !selected;
}

int selector_match(struct selector *s, const char *symbol)
{
	const int without = not_by_package(s, symbol);

	if (without)
		return without < 0 ? without : NOT_SELECTED;
	return match_name(s, symbol);
}

static void warn_unused_presets(const struct selector *s)
{
	for (const struct preset *p = presets; p->bit; p++)
		if (s->opt->presets & p->bit & ~s->presets_used)
			log_warn("--%s: the binary has none of these functions", p->name);
}

void selector_warn_unused(const struct selector *s)
{
	for (size_t i = 0; i < s->opt->n_packages; i++)
		if (!s->package_used[i])
			log_warn("no function is in a package '%s'", s->opt->packages[i]);
	for (size_t i = 0; i < s->opt->n_globs; i++)
		if (!s->glob_used[i])
			log_warn("no function matches '%s'", s->opt->globs[i]);
	warn_unused_presets(s);
}

void selector_log_no_match(const struct selector *s, const struct gobin *b)
{
	const struct plan_options *o = s->opt;
	struct name_suggestions names = { .n = 0 };
	char list[512];

	for (size_t i = 0; i < o->n_globs; i++)
		name_suggest_add(&names, o->globs[i], false, b);
	for (size_t i = 0; i < o->n_packages; i++)
		name_suggest_add(&names, o->packages[i], true, b);
	if (!o->n_packages && !o->n_globs)
		log_error(
			"the binary has no function in package main or in module '%s'; choose with -p PKG or -f GLOB",
			s->main_module);
	else if (name_suggest_list(&names, list, sizeof(list)))
		log_error("no function matches; similar names: %s", list);
	else
		log_error(
			"no function matches; 'gotrace plan --list -p all BINARY' lists all functions");
	name_suggest_free(&names);
}
