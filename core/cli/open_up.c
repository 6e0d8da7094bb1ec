// SPDX-License-Identifier: BSD-2-Clause
#include "cli/open_up.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/calls/correction.h"
#include "base/log.h"
#include "base/text_format.h"
#include "base/vec.h"
#include "binary/arch.h"
#include "binary/gobin.h"
#include "binary/goname.h"
#include "cli/trace_binary.h"
#include "plan/packages.h"
#include "trace/keys.h"

#define MOST_SHOWN 3

/* Packages that the function calls and that are not traced, and how many calls of each are in its
 * code. */
struct callees {
	struct callee {
		char *package;
		size_t calls;
	} * all;
	size_t n, cap;
};

/* The function with more than half of the time as its own; n_funcs: none. */
static size_t heaviest(const struct loaded_trace *t)
{
	size_t most = t->n_funcs;

	for (size_t i = 0; i < t->n_funcs; i++)
		if (t->funcs[i].self_ns > t->totals->root_ns / 2 &&
		    !correction_doubtful(&t->funcs[i]))
			most = i;
	return most;
}

static bool is_traced(const struct trace_info *info, const char *package)
{
	size_t n = strlen(package);

	for (size_t i = 0; i < info->n_funcs; i++)
		if (!strncmp(info->funcs[i].name, package, n) && info->funcs[i].name[n] == '.')
			return true;
	return false;
}

static const struct gofunc *func_at_start(const struct gobin *b, const char *display,
					  uint64_t vaddr)
{
	const struct gofunc *f = vaddr ? gobin_func_at(b, vaddr) : NULL;

	return f && f->vaddr == vaddr ? f : gobin_func_named(b, display);
}

static int add_callee(struct callees *c, const char *package)
{
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->all[i].package, package)) {
			c->all[i].calls++;
			return 0;
		}
	if (vec_reserve(&c->all, &c->cap, c->n + 1) || !(c->all[c->n].package = strdup(package)))
		return -1;
	c->all[c->n++].calls = 1;
	return 0;
}

/* Every direct call whose target is where a function begins: no need to know where instructions
 * do. */
static int find_callees(struct callees *c, const struct gobin *b, const struct gofunc *f,
			const struct trace_info *info)
{
	const uint8_t *code = gobin_bytes(b, f->vaddr, f->size);
	const struct arch *arch = gobin_arch(b);
	int err = 0;

	for (uint32_t i = 0; code && !err && i < f->size; i += arch->pc_quantum) {
		struct goname name;
		const uint64_t target = arch->called(code + i, f->size - i, f->vaddr + i);
		const struct gofunc *to = target ? gobin_func_at(b, target) : NULL;

		if (!to || to->vaddr != target || goname_split(to->name, &name))
			continue;
		if (*name.package && !package_is_runtime(name.package) &&
		    !is_traced(info, name.package))
			err = add_callee(c, name.package);
		goname_free(&name);
	}
	return err;
}

static int by_calls(const void *x, const void *y)
{
	const struct callee *a = x, *b = y;

	return a->calls != b->calls ? (a->calls < b->calls ? 1 : -1)
				    : strcmp(a->package, b->package);
}

/* The folder of f's source, as the packages below it are called: "cmd/go" of
 * ".../src/cmd/go/main.go" when there are packages cmd/go/... that are not traced. "" when there
 * are none. */
static const char *folder_of(const struct gobin *b, const struct gofunc *f,
			     const struct trace_info *info, char *buf, size_t size)
{
	const struct gofunc *funcs;
	size_t n = gobin_funcs(b, &funcs);
	const char *file = NULL;
	uint32_t line;

	if (gobin_line(b, f->vaddr, &file, &line) || !file || strlen(file) >= size)
		return "";
	strcpy(buf, file);
	char *slash = strrchr(buf, '/');

	if (!slash)
		return "";
	*slash = '\0';
	for (const char *s = buf; s; s = strchr(s, '/') ? strchr(s, '/') + 1 : NULL)
		for (size_t i = 0, len = strlen(s); strchr(s, '/') && *s != '/' && i < n; i++) {
			struct goname name;
			bool hit = !strncmp(funcs[i].name, s, len) && funcs[i].name[len] == '/' &&
				   !goname_split(funcs[i].name, &name);

			if (!hit)
				continue;
			hit = !is_traced(info, name.package);
			goname_free(&name);
			if (hit)
				return s;
		}
	return "";
}

static void print_packages(const struct loaded_trace *t, const struct gobin *b,
			   const struct gofunc *f, FILE *out)
{
	struct callees c = { 0 };
	char buf[4096];
	const char *folder = folder_of(b, f, t->info, buf, sizeof(buf));
	bool chosen = trace_info_get(t->info, KEY_SELECT_PACKAGE ".0") ||
		      trace_info_get(t->info, KEY_SELECT_FUNCTION ".0");
	const char *module = gobin_main_module(b) ? gobin_main_module(b)->path : NULL;

	if (!*folder && !find_callees(&c, b, f, t->info) && c.n)
		qsort(c.all, c.n, sizeof(*c.all), by_calls);
	if (*folder || c.n) {
		fputs(chosen ? ": to open it, record with" : ": to open it, record with -p main",
		      out);
		if (!chosen && module && *module) {
			fputs(" -p ", out);
			text_safe(out, module);
		}
		if (*folder) {
			fputs(" -p ", out);
			text_safe(out, folder);
		}
		for (size_t i = 0; i < c.n && i < MOST_SHOWN; i++) {
			fputs(" -p ", out);
			text_safe(out, c.all[i].package);
		}
		fputs(chosen ? " as well" : "", out);
	}
	for (size_t i = 0; i < c.n; i++)
		free(c.all[i].package);
	free(c.all);
}

void open_up(const struct loaded_trace *t, FILE *out)
{
	size_t i = t->view ? t->n_funcs : heaviest(t);

	if (i == t->n_funcs)
		return;
	struct gobin *b = trace_binary_open(t->info);
	const struct gofunc *f = b ? func_at_start(b, t->info->funcs[i].name,
						   t->info->funcs[i].vaddr)
				   : NULL;

	char *advice = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&advice, &size);

	if (to && f)
		print_packages(t, b, f, to);
	else if (to)
		fputs("; its callees are not traced (-p selects more packages, --waits shows where it waits)",
		      to);
	/* Where there is nothing to do about it, the table says it already. */
	if (to && !text_stream_close(to, &advice) && *advice) {
		text_safe(out, t->info->funcs[i].name);
		fprintf(out, " has %.1f%% of the time as its own%s\n",
			share_pct(t->funcs[i].self_ns, t->totals->root_ns), advice);
	}
	free(advice);
	gobin_close(b);
}
