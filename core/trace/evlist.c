// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_format.h"
#include "trace/evlist.h"

/* A word; in quotes when it would not be read back as one otherwise. */
static void put_word(FILE *out, const char *s)
{
	bool plain = *s && *s != '@' && strcmp(s, "-"), unsafe;

	for (const char *c = s; *c && plain;) {
		const int n = text_char(c, &unsafe);

		plain = !unsafe && *c != ' ' && *c != '"' && *c != '#';
		c += n;
	}
	if (plain) {
		fputs(s, out);
		return;
	}
	fputc('"', out);
	for (int n; *s; s += n) {
		n = text_char(s, &unsafe);
		if (*s == '"' || *s == '\\')
			fprintf(out, "\\%c", *s);
		else if (!unsafe)
			fwrite(s, 1, (size_t)n, out);
		for (int i = 0; unsafe && i < n; i++)
			fprintf(out, "\\x%02x", (unsigned char)s[i]);
	}
	fputc('"', out);
}

static void put_location(FILE *out, const char *file, uint32_t line)
{
	if (file) {
		fputs(" file=", out);
		put_word(out, file);
	}
	if (line)
		fprintf(out, " line=%" PRIu32, line);
	fputc('\n', out);
}

/* `instead` of characters that are none to be shown, and of blanks. */
static void put_without(FILE *out, const char *s, char instead)
{
	bool unsafe;

	for (int n; *s; s += n) {
		n = text_char(s, &unsafe);
		if (unsafe || *s == ' ')
			fputc(instead, out);
		else
			fwrite(s, 1, (size_t)n, out);
	}
}

/* The rest of the line as it stands; a control character becomes a blank. */
static void put_rest(FILE *out, const char *s)
{
	put_without(out, s, ' ');
	fputc('\n', out);
}

static void put_set(FILE *out, const struct trace_kv *kv)
{
	fputs("@set ", out);
	put_without(out, kv->key, '_');
	fputc(' ', out);
	put_rest(out, kv->value);
}

static int done(FILE *out)
{
	return ferror(out) ? -EIO : 0;
}

static void put_kvs_funcs(FILE *out, const struct trace_info *info)
{
	for (size_t i = 0; i < info->n_kvs; i++)
		put_set(out, &info->kvs[i]);
	for (size_t i = 0; i < info->n_funcs; i++) {
		const struct trace_func *f = &info->funcs[i];
		fputs("@func ", out);
		put_word(out, f->name);
		if (f->vaddr)
			fprintf(out, " vaddr=0x%" PRIx64, f->vaddr);
		if (f->size)
			fprintf(out, " size=%" PRIu32, f->size);
		put_location(out, f->file, f->line);
	}
}

static void put_pcs(FILE *out, const struct trace_info *info)
{
	for (size_t i = 0; i < info->n_pcs; i++) {
		const struct trace_pc *p = &info->pcs[i];
		fprintf(out, "@pc 0x%" PRIx64 " ", p->pc);
		put_word(out, p->func);
		put_location(out, p->file, p->line);
	}
}

int evlist_write_info(FILE *out, const struct trace_info *info)
{
	put_kvs_funcs(out, info);
	put_pcs(out, info);
	return done(out);
}

/* Flags by name; all as one number when one has no name. */
static void put_flags(FILE *out, unsigned flags)
{
	const char *sep = " flags=", *how = event_how_name(EVF_HOW(flags));
	unsigned named = how ? 15u << EVF_HOW_SHIFT : 0;

	for (const struct event_flag *f = event_flags; f->bit; f++)
		named |= f->bit;
	if (flags & ~named) {
		fprintf(out, " flags=%u", flags);
		return;
	}
	if (how)
		fprintf(out, " how=%s", how);
	for (const struct event_flag *f = event_flags; f->bit; f++) {
		if (!(flags & f->bit))
			continue;
		fprintf(out, "%s%s", sep, f->name);
		sep = ",";
	}
}

/* The functions of a site, or of an event, as keys; the first was written by name already. */
static void put_site_keys(FILE *out, const struct trace_info *info, const bool *shared,
			  const struct trace_site *s)
{
	if (s->target < info->n_funcs && (s->kind == EV_TAIL || s->kind == EV_ENTRY_TAIL)) {
		fputs(" target=", out);
		put_word(out, info->funcs[s->target].name);
		if (shared && shared[s->target])
			fprintf(out, " target_func=%" PRIu32, s->target);
	}
	if (shared && s->func < info->n_funcs && shared[s->func])
		fprintf(out, " func=%" PRIu32, s->func);
}

static void put_func_of(FILE *out, const struct trace_info *info, const struct trace_site *s)
{
	if (s && s->func < info->n_funcs)
		put_word(out, info->funcs[s->func].name);
	else
		fputc('-', out);
}

static void put_sites(FILE *out, const struct trace_info *info, const bool *shared)
{
	for (size_t i = 0; i < info->n_sites; i++) {
		const struct trace_site *s = &info->sites[i];
		const char *kind = event_kind_name(s->kind);

		if (kind)
			fprintf(out, "@site %s ", kind);
		else
			fprintf(out, "@site %u ", s->kind);
		put_func_of(out, info, s);
		put_site_keys(out, info, shared, s);
		if (s->file_off)
			fprintf(out, " file_off=0x%" PRIx64, s->file_off);
		fputc('\n', out);
	}
}

int evlist_write_event(FILE *out, const struct trace_info *info, const bool *shared,
		       const struct event_ext *ev, const struct trace_values *values)
{
	const struct trace_site *s = ev->h.site < info->n_sites ? &info->sites[ev->h.site] : NULL;
	const char *kind = event_kind_name(ev->h.kind);

	/* A site of another kind makes no sense either, and must not be made one that does. */
	const struct trace_site *of = ev->h.kind == EV_RELEASED ? s : NULL;

	if (s && s->kind != ev->h.kind)
		s = NULL;
	fprintf(out, "%" PRIu64 " ", ev->h.goid);
	if (kind)
		fprintf(out, "%s ", kind);
	else
		fprintf(out, "%u ", ev->h.kind);
	put_func_of(out, info, of ? of : s);
	fprintf(out, " %" PRIu32 " %" PRIu64, ev->h.depth, ev->h.ts_ns);
	if (s)
		put_site_keys(out, info, shared, s);
	else
		fprintf(out, " site=%" PRIu32, ev->h.site);
	if (ev->h.tid != 1)
		fprintf(out, " tid=%" PRIu32, ev->h.tid);
	put_flags(out, ev->h.flags);
	for (int i = 0; i < 4 && event_kind_has_args(ev->h.kind); i++)
		if (ev->arg[i])
			fprintf(out, " arg%d=%" PRIu64, i, ev->arg[i]);
	if (values) {
		fputs("  # ", out);
		trace_values_text(out, info->values, values, true, true);
	}
	fputc('\n', out);
	return done(out);
}

static int copy_kvs(struct trace_info *to, const struct trace_info *from)
{
	int err = 0;

	for (size_t i = 0; i < from->n_kvs && !err; i++)
		err = trace_info_set(to, from->kvs[i].key, from->kvs[i].value);
	return err;
}

static int by_name(const void *x, const void *y, void *ctx)
{
	const struct trace_func *funcs = ctx;

	return strcmp(funcs[*(const uint32_t *)x].name, funcs[*(const uint32_t *)y].name);
}

/* By index of a function, whether another has its name; to be freed. NULL: no memory. */
static bool *find_shared(const struct trace_info *info)
{
	bool *shared = calloc(info->n_funcs + 1, sizeof(*shared));
	uint32_t *order = calloc(info->n_funcs + 1, sizeof(*order));

	for (size_t i = 0; order && i < info->n_funcs; i++)
		order[i] = (uint32_t)i;
	if (order && info->n_funcs)
		qsort_r(order, info->n_funcs, sizeof(*order), by_name, info->funcs);
	for (size_t i = 1; order && shared && i < info->n_funcs; i++)
		if (!by_name(&order[i - 1], &order[i], info->funcs))
			shared[order[i - 1]] = shared[order[i]] = true;
	if (!order) {
		free(shared);
		return NULL;
	}
	free(order);
	return shared;
}

int evlist_dump(FILE *out, struct trace_reader *r)
{
	const struct trace_info *info = trace_reader_info(r);
	struct trace_info start = { 0 };
	struct event_ext ev;
	bool *shared = find_shared(info);
	int got, err = shared ? copy_kvs(&start, info) : -ENOMEM;

	put_kvs_funcs(out, info);
	if (shared)
		put_sites(out, info, shared);
	while (!err && (got = trace_reader_next(r, &ev)) != 0)
		err = got < 0 ? got
			      : evlist_write_event(out, info, shared, &ev, trace_reader_values(r));
	free(shared);
	/* All are known only now, and some keys may have got another value. */
	put_pcs(out, info);
	for (size_t i = 0; i < info->n_kvs; i++) {
		const char *value = trace_info_get(&start, info->kvs[i].key);
		if (!value || strcmp(value, info->kvs[i].value))
			put_set(out, &info->kvs[i]);
	}
	trace_info_free(&start);
	if (!err)
		fputs(trace_reader_complete(r) ? "# complete\n" : "# incomplete\n", out);
	return err ? err : done(out);
}
