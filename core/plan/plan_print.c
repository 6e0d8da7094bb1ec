// SPDX-License-Identifier: BSD-2-Clause
#include "plan/plan_print.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/event_kinds.h"
#include "base/json.h"
#include "base/text_format.h"
#include "binary/gocode.h"
#include "bpf/event.h"
#include "plan/plan_print_internal.h"

static const char *class_name(const struct plan_site *s)
{
	return site_is_stepped(s) ? "stepped" : "emulated";
}

static int by_name(const void *a, const void *b)
{
	const struct plan_func *x = *(const struct plan_func *const *)a,
			       *y = *(const struct plan_func *const *)b;
	int order = strcmp(x->name, y->name);

	return order ? order : x->fn->vaddr < y->fn->vaddr ? -1 : x->fn->vaddr > y->fn->vaddr;
}

const struct plan_func **plan_by_name(const struct plan *p)
{
	const struct plan_func **list = calloc(p->n_funcs + 1, sizeof(*list));

	for (size_t i = 0; list && i < p->n_funcs; i++)
		list[i] = &p->funcs[i];
	if (list)
		qsort(list, p->n_funcs, sizeof(*list), by_name);
	return list;
}

size_t *plan_first_sites(const struct plan *p)
{
	size_t *first = calloc(p->n_funcs + 1, sizeof(*first));

	for (size_t i = p->n_sites; first && i-- > 0;)
		if (p->sites[i].func != PLAN_NO_FUNC)
			first[p->sites[i].func] = i;
	return first;
}

/* ---- text */

static void text_sites(const struct plan *p, size_t func, size_t first, FILE *out)
{
	size_t stepped = 0, n = 0;
	const struct plan_site *entry = NULL;

	for (size_t i = first; i < p->n_sites && p->sites[i].func == func; i++, n++) {
		stepped += site_is_stepped(&p->sites[i]);
		if (p->sites[i].program == PROGRAM_ENTRY)
			entry = &p->sites[i];
	}
	const struct plan_func *f = &p->funcs[func];
	fprintf(out, "  %-10s +%-5" PRIu64 " %3" PRIu32 " exit%s  %3zu of %3zu stepped  ",
		entry ? event_kind_site(entry->kind) : "-", entry ? entry->vaddr - f->fn->vaddr : 0,
		f->n_exits, f->n_exits == 1 ? " " : "s", stepped, n);
	text_safe(out, f->name);
	fputs(f->never_returns ? "  (never returns)\n" : "\n", out);
}

static void text_name(const char *name, const char *end, FILE *out)
{
	fputs("  ", out);
	text_safe(out, name);
	fputs(end, out);
}

static void text_not_probed(const struct plan *p, const struct plan_func **list, FILE *out)
{
	for (int fate = PLAN_PROBED + 1; fate < PLAN_FATES; fate++) {
		if (!p->n_fate[fate])
			continue;
		fprintf(out, "\n%zu not probed: %s\n", p->n_fate[fate], plan_fate_reason(p, fate));
		for (size_t i = 0; i < p->n_funcs; i++)
			if (list[i]->fate == (enum plan_fate)fate)
				text_name(list[i]->name, "\n", out);
	}
	if (p->n_inlined)
		fprintf(out,
			"\n%zu invisible: inlined everywhere; build with -gcflags=-l to see them\n",
			p->n_inlined);
	for (size_t i = 0; i < p->n_inlined; i++) {
		text_name(p->inlined[i].name, "", out);
		fprintf(out, "  (into %" PRIu32 " function%s)\n", p->inlined[i].into,
			p->inlined[i].into == 1 ? "" : "s");
	}
}

void plan_print_selected(const struct plan *p, FILE *out)
{
	size_t stepped = 0;

	for (size_t i = 0; i < p->n_sites; i++)
		stepped += site_is_stepped(&p->sites[i]);
	text_safe(out, gobin_go_version(p->binary));
	fprintf(out,
		", %s: %zu function%s selected, %zu probed at %zu sites (%zu entry, %zu exit, %zu runtime; "
		"%zu single-stepped), %zu inlined away\n",
		probe_strategy_name(p->strategy), p->n_funcs, p->n_funcs == 1 ? "" : "s",
		p->n_probed, p->n_sites, p->n_program[PROGRAM_ENTRY], p->n_program[PROGRAM_EXIT],
		p->n_program[PROGRAM_RUNTIME], stepped, p->n_inlined);
}

int plan_print_head(const struct plan *p, FILE *out)
{
	plan_print_selected(p, out);
	return plan_has_stubs(p) ? plan_print_stubs(p, out) : 0;
}

int plan_print_text(const struct plan *p, FILE *out)
{
	const struct plan_func **list = plan_by_name(p);
	size_t *first = plan_first_sites(p);

	if (!list || !first) {
		free(list);
		free(first);
		return -ENOMEM;
	}
	int err = plan_print_head(p, out);

	fputc('\n', out);
	for (size_t i = 0; i < p->n_funcs; i++)
		if (list[i]->fate == PLAN_PROBED)
			text_sites(p, list[i] - p->funcs, first[list[i] - p->funcs], out);
	text_not_probed(p, list, out);
	free(list);
	free(first);
	return err ? err : fflush(out) || ferror(out) ? -EIO : 0;
}

/* ---- JSON */

static void json_site(struct json *j, const struct plan_site *s)
{
	json_open(j, '{');
	json_kv_str(j, "kind", event_kind_site(s->kind));
	json_kv_u64(j, "vaddr", s->vaddr);
	json_kv_u64(j, "file_off", s->file_off);
	json_kv_u64(j, "sp_adj_bytes", s->to_frame_bytes);
	json_kv_str(j, "trap", class_name(s));
	json_kv_str(j, "stub", stub_reason_name(s->stub.why));
	if (s->runtime_func)
		json_kv_str(j, "function", s->runtime_func);
	json_close(j, '}');
}

static void json_func(struct json *j, const struct plan *p, const struct plan_func *f, size_t first)
{
	json_open(j, '{');
	json_kv_str(j, "name", f->name);
	json_kv_u64(j, "vaddr", f->fn->vaddr);
	json_kv_u64(j, "size_bytes", f->fn->size);
	json_kv_str(j, "fate", plan_fate_name(f->fate));
	if (f->fate != PLAN_PROBED)
		json_kv_str(j, "reason", plan_fate_reason(p, f->fate));
	if (f->fate == PLAN_PROBED) {
		json_kv_bool(j, "returns", !f->never_returns);
		json_key(j, "sites");
		json_open(j, '[');
		for (size_t i = first; i < p->n_sites && p->sites[i].func == (size_t)(f - p->funcs);
		     i++)
			json_site(j, &p->sites[i]);
		json_close(j, ']');
	}
	json_close(j, '}');
}

int plan_print_json(const struct plan *p, FILE *out)
{
	const struct plan_func **list = plan_by_name(p);
	size_t *first = plan_first_sites(p);
	struct json j;

	if (!list || !first) {
		free(list);
		free(first);
		return -ENOMEM;
	}
	json_init(&j, out, true);
	json_open(&j, '{');
	json_kv_str(&j, "go_version", gobin_go_version(p->binary));
	json_kv_str(&j, "build_id", gobin_build_id(p->binary));
	json_kv_str(&j, "strategy", probe_strategy_name(p->strategy));
	json_kv_u64(&j, "selected", p->n_funcs);
	json_kv_u64(&j, "probed", p->n_probed);
	json_key(&j, "functions");
	json_open(&j, '[');
	for (size_t i = 0; i < p->n_funcs; i++)
		json_func(&j, p, list[i], first[list[i] - p->funcs]);
	json_close(&j, ']');
	json_key(&j, "runtime_sites");
	json_open(&j, '[');
	for (size_t i = 0; i < p->n_sites; i++)
		if (p->sites[i].func == PLAN_NO_FUNC)
			json_site(&j, &p->sites[i]);
	json_close(&j, ']');
	json_key(&j, "inlined");
	json_open(&j, '[');
	for (size_t i = 0; i < p->n_inlined; i++) {
		json_open(&j, '{');
		json_kv_str(&j, "name", p->inlined[i].name);
		json_kv_u64(&j, "into", p->inlined[i].into);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_close(&j, '}');
	free(list);
	free(first);
	return fflush(out) || ferror(out) ? -EIO : 0;
}
