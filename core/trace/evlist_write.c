// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "trace/evlist.h"

/* A word; in quotes when it would not be read back as one otherwise. */
static void put_word(FILE *out, const char *s)
{
	bool plain = *s && *s != '@' && strcmp(s, "-");

	for (const char *c = s; *c && plain; c++)
		plain = (unsigned char)*c > ' ' && *c != '"' && *c != '#' && *c != 0x7f;
	if (plain) {
		fputs(s, out);
		return;
	}
	fputc('"', out);
	for (const char *c = s; *c; c++) {
		if (*c == '"' || *c == '\\')
			fprintf(out, "\\%c", *c);
		else if ((unsigned char)*c < ' ' || *c == 0x7f)
			fprintf(out, "\\x%02x", (unsigned char)*c);
		else
			fputc(*c, out);
	}
	fputc('"', out);
}

static void put_place(FILE *out, const char *file, uint32_t line)
{
	if (file) {
		fputs(" file=", out);
		put_word(out, file);
	}
	if (line)
		fprintf(out, " line=%" PRIu32, line);
	fputc('\n', out);
}

/* A line break in a value would end the statement: it becomes a blank. */
static void put_set(FILE *out, const struct trace_kv *kv)
{
	fprintf(out, "@set %s ", kv->key);
	for (const char *c = kv->value; *c; c++)
		fputc(*c == '\n' || *c == '\r' ? ' ' : *c, out);
	fputc('\n', out);
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
		put_place(out, f->file, f->line);
	}
}

static void put_pcs(FILE *out, const struct trace_info *info)
{
	for (size_t i = 0; i < info->n_pcs; i++) {
		const struct trace_pc *p = &info->pcs[i];
		fprintf(out, "@pc 0x%" PRIx64 " ", p->pc);
		put_word(out, p->func);
		put_place(out, p->file, p->line);
	}
}

int evlist_write_info(FILE *out, const struct trace_info *info)
{
	put_kvs_funcs(out, info);
	put_pcs(out, info);
	return done(out);
}

/* Flags by name; as a number when one has no name. */
static void put_flags(FILE *out, unsigned flags)
{
	const char *sep = " flags=";
	unsigned named = 0;

	for (const struct event_flag *f = event_flags; f->bit; f++)
		named |= f->bit;
	if (flags & ~named) {
		fprintf(out, " flags=%u", flags);
		return;
	}
	for (const struct event_flag *f = event_flags; f->bit; f++) {
		if (!(flags & f->bit))
			continue;
		fprintf(out, "%s%s", sep, f->name);
		sep = ",";
	}
}

int evlist_write_event(FILE *out, const struct trace_info *info, const struct event_ext *ev)
{
	const struct trace_site *s = ev->h.site < info->n_sites ? &info->sites[ev->h.site] : NULL;
	const char *kind = event_kind_name(ev->h.kind);

	/* A site of another kind makes no sense either, and must not be made one that does. */
	if (s && s->kind != ev->h.kind)
		s = NULL;
	fprintf(out, "%" PRIu64 " ", ev->h.goid);
	if (kind)
		fprintf(out, "%s ", kind);
	else
		fprintf(out, "%u ", ev->h.kind);
	if (s && s->func < info->n_funcs)
		put_word(out, info->funcs[s->func].name);
	else
		fputc('-', out);
	fprintf(out, " %" PRIu32 " %" PRIu64, ev->h.depth, ev->h.ts_ns);
	if (s && s->target < info->n_funcs && (s->kind == EV_TAIL || s->kind == EV_ENTRY_TAIL)) {
		fputs(" target=", out);
		put_word(out, info->funcs[s->target].name);
	}
	if (!s)
		fprintf(out, " site=%" PRIu32, ev->h.site);
	if (ev->h.tid != 1)
		fprintf(out, " tid=%" PRIu32, ev->h.tid);
	put_flags(out, ev->h.flags);
	for (int i = 0; i < 4 && event_kind_has_args(ev->h.kind); i++)
		if (ev->arg[i])
			fprintf(out, " arg%d=%" PRIu64, i, ev->arg[i]);
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

int evlist_dump(FILE *out, struct trace_reader *r)
{
	const struct trace_info *info = trace_reader_info(r);
	struct trace_info start = { 0 };
	struct event_ext ev;
	int got, err = copy_kvs(&start, info);

	put_kvs_funcs(out, info);
	while (!err && (got = trace_reader_next(r, &ev)) != 0)
		err = got < 0 ? got : evlist_write_event(out, info, &ev);
	/* All are known only now, and some keys may have got another value. */
	put_pcs(out, info);
	for (size_t i = 0; i < info->n_kvs; i++) {
		const char *value = trace_info_get(&start, info->kvs[i].key);
		if (!value || strcmp(value, info->kvs[i].value))
			put_set(out, &info->kvs[i]);
	}
	trace_info_free(&start);
	return err ? err : done(out);
}
