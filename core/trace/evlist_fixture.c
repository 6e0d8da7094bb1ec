// SPDX-License-Identifier: BSD-2-Clause
/* Reading text event lists. Hand-written input: strict, with a line number in every message. */
#include "trace/evlist_fixture.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/event_kinds_fixture.h"
#include "base/log.h"
#include "base/vec.h"
#include "trace/evlist_words_fixture.h"

#define MAX_WORDS 16

/* What is known by value, for tsearch: functions by name, sites by what they are. */
struct known {
	const char *name; /* NULL: a site */
	struct trace_site site;
	uint32_t index;
	bool stated; /* by a @func line */
};

struct parser {
	struct evlist *l;
	const char *name;
	size_t line;
	void *funcs, *sites; /* trees of struct known */
	struct word word[MAX_WORDS];
	size_t n_words;
};

static int bad(const struct parser *p, const char *what, const char *text)
{
	log_error("%s:%zu: %s%s%s", p->name, p->line, what, text ? ": " : "", text ? text : "");
	return -EBADMSG;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct known *)a)->name, ((const struct known *)b)->name);
}

static int compare_sites(const void *a, const void *b)
{
	const struct trace_site *x = &((const struct known *)a)->site;
	const struct trace_site *y = &((const struct known *)b)->site;

	if (x->func != y->func)
		return x->func < y->func ? -1 : 1;
	if (x->target != y->target)
		return x->target < y->target ? -1 : 1;
	return (int)x->kind - (int)y->kind;
}

/* Puts a copy of k into the tree. */
static int remember(void **tree, const struct known *k, int (*compare)(const void *, const void *))
{
	struct known *copy = malloc(sizeof(*copy));

	if (!copy)
		return -ENOMEM;
	*copy = *k;
	if (!tsearch(copy, tree, compare)) {
		free(copy);
		return -ENOMEM;
	}
	return 0;
}

static int add_func(struct parser *p, const struct trace_func *f)
{
	struct trace_info *t = &p->l->info;

	if (t->n_funcs >= TRACE_NONE)
		return bad(p, "too many functions", NULL);
	return trace_info_add_func(t, f);
}

/* The first function of that name; made when it is new. */
static int func_index(struct parser *p, const struct trace_func *f, uint32_t *index, bool stated)
{
	struct trace_info *t = &p->l->info;
	struct known key = { .name = f->name, .stated = stated };
	struct known **found = tfind(&key, &p->funcs, compare_names);

	if (found && stated)
		return (*found)->stated
			       ? add_func(p, f)
			       : bad(p, "a function is named before its @func line", f->name);
	if (found) {
		*index = (*found)->index;
		return 0;
	}
	int err = add_func(p, f);
	if (err)
		return err;
	*index = key.index = (uint32_t)(t->n_funcs - 1);
	key.name = t->funcs[key.index].name; /* the string stays where it is */
	return remember(&p->funcs, &key, compare_names);
}

/* Another site; the first of its function, kind and target is found by these. */
static int add_site(struct parser *p, const struct trace_site *s)
{
	struct trace_info *t = &p->l->info;
	const struct known key = { .site = *s, .index = (uint32_t)t->n_sites };
	int err = trace_info_add_site(t, s);

	if (err || tfind(&key, &p->sites, compare_sites))
		return err;
	return remember(&p->sites, &key, compare_sites);
}

static int site_index(struct parser *p, const struct trace_site *s, uint32_t *index)
{
	const struct known key = { .site = *s }, *const * found;

	found = tfind(&key, &p->sites, compare_sites);
	*index = found ? (*found)->index : (uint32_t)p->l->info.n_sites;
	return found ? 0 : add_site(p, s);
}

static bool parse_how(const char *s, uint16_t *flags)
{
	unsigned how = event_how_by_name(s);

	*flags |= (uint16_t)(how << EVF_HOW_SHIFT);
	return how;
}

static bool parse_flags(char *s, uint16_t *flags)
{
	uint64_t n;

	if (word_u64(s, UINT16_MAX, &n)) {
		*flags |= (uint16_t)n;
		return true;
	}
	for (char *save, *w = strtok_r(s, ",", &save); w; w = strtok_r(NULL, ",", &save)) {
		const struct event_flag *f = event_flags;

		while (f->bit && strcmp(w, f->name))
			f++;
		if (!f->bit)
			return false;
		*flags |= (uint16_t)f->bit;
	}
	return true;
}

/* One key=value of an event line; forced is set when the site is given as a number. */
static int event_key(struct parser *p, struct word *t, struct event_ext *ev,
		     struct trace_site *site, bool *forced)
{
	char *value = strchr(t->s, '=');
	bool ok;

	if (!value)
		return bad(p, "key=value wanted", t->s);
	*value++ = '\0';
	if (!strcmp(t->s, "tid")) {
		ok = word_u32(value, &ev->h.tid);
	} else if (!strcmp(t->s, "flags")) {
		ok = parse_flags(value, &ev->h.flags);
	} else if (!strcmp(t->s, "how")) {
		ok = parse_how(value, &ev->h.flags);
	} else if (!strcmp(t->s, "site")) {
		ok = *forced = word_u32(value, &ev->h.site);
	} else if (!strcmp(t->s, "target")) {
		struct trace_func f = { .name = value };
		if (ev->h.kind != EV_TAIL && ev->h.kind != EV_ENTRY_TAIL)
			return bad(p, "only tail and entry-tail have a target", NULL);
		return func_index(p, &f, &site->target, false);
	} else if (!strcmp(t->s, "func")) {
		ok = word_u32(value, &site->func) && site->func < p->l->info.n_funcs;
	} else if (!strcmp(t->s, "target_func")) {
		ok = word_u32(value, &site->target) && site->target < p->l->info.n_funcs;
	} else if (!strncmp(t->s, "arg", 3) && t->s[3] >= '0' && t->s[3] <= '3' && !t->s[4]) {
		if (!event_kind_has_args(ev->h.kind))
			return bad(p, "this kind carries no arguments", NULL);
		ok = word_u64(value, UINT64_MAX, &ev->arg[t->s[3] - '0']);
	} else {
		return bad(
			p,
			"unknown key (known: tid flags how arg0..arg3 func target target_func site)",
			t->s);
	}
	return ok ? 0 : bad(p, "bad value", value);
}

static int event_line(struct parser *p)
{
	struct event_ext ev = { .h.tid = 1 };
	struct trace_site site = { .func = TRACE_NONE, .target = TRACE_NONE };
	struct word *t = p->word;
	bool forced = false;
	uint64_t kind;
	int err = 0;

	if (p->n_words < 5)
		return bad(p, "an event is: goid kind function depth ts_ns [key=value ...]", NULL);
	if (strcmp(t[0].s, "-") && !word_u64(t[0].s, UINT64_MAX, &ev.h.goid))
		return bad(p, "bad goid", t[0].s);
	kind = event_kind_by_name(t[1].s);
	if (!kind && !word_u64(t[1].s, UINT16_MAX, &kind))
		return bad(p, "unknown kind", t[1].s);
	if (!kind)
		return bad(p, "there is no kind 0", NULL);
	if (!word_u32(t[3].s, &ev.h.depth))
		return bad(p, "bad depth", t[3].s);
	if (!word_u64(t[4].s, UINT64_MAX, &ev.h.ts_ns))
		return bad(p, "bad time", t[4].s);
	ev.h.kind = site.kind = (uint16_t)kind;
	if (t[2].quoted || strcmp(t[2].s, "-")) {
		struct trace_func f = { .name = t[2].s };
		err = func_index(p, &f, &site.func, false);
	}
	for (size_t i = 5; i < p->n_words && !err; i++)
		err = event_key(p, &t[i], &ev, &site, &forced);
	if (!err && !forced)
		err = site_index(p, &site, &ev.h.site);
	if (!err)
		err = vec_reserve(&p->l->events, &p->l->cap, p->l->n + 1);
	if (!err)
		p->l->events[p->l->n++] = ev;
	return err;
}

/* @func NAME ... and @pc NUMBER FUNCTION ... */
static int place_line(struct parser *p, bool is_pc)
{
	struct trace_func f = { 0 };
	struct trace_pc pc = { 0 };
	size_t first = is_pc ? 3 : 2;
	uint32_t index;

	if (p->n_words < first)
		return bad(p, is_pc ? "@pc NUMBER FUNCTION wanted" : "@func NAME wanted", NULL);
	if (is_pc && !word_u64(p->word[1].s, UINT64_MAX, &pc.pc))
		return bad(p, "bad address", p->word[1].s);
	f.name = p->word[first - 1].s;
	for (size_t i = first; i < p->n_words; i++) {
		char *key = p->word[i].s, *value = strchr(key, '=');
		bool ok = false;
		if (value) {
			*value++ = '\0';
			if (!strcmp(key, "file"))
				ok = (f.file = value) != NULL;
			else if (!strcmp(key, "line"))
				ok = word_u32(value, &f.line);
			else if (!strcmp(key, "vaddr") && !is_pc)
				ok = word_u64(value, UINT64_MAX, &f.vaddr);
			else if (!strcmp(key, "size") && !is_pc)
				ok = word_u32(value, &f.size);
		}
		if (!ok)
			return bad(p, "bad key or value", key);
	}
	if (is_pc) {
		pc = (struct trace_pc){ pc.pc, f.name, f.file, f.line };
		return trace_info_add_pc(&p->l->info, &pc);
	}
	return func_index(p, &f, &index, true);
}

/* @site KIND FUNCTION ... */
static int site_line(struct parser *p)
{
	struct event_ext ev = { .h.kind = 0 };
	struct trace_site site = { .func = TRACE_NONE, .target = TRACE_NONE };
	struct word *t = p->word;
	bool forced = false;
	uint64_t kind;
	int err = 0;

	if (p->n_words < 3)
		return bad(p, "@site KIND FUNCTION wanted", NULL);
	kind = event_kind_by_name(t[1].s);
	if (!kind && !word_u64(t[1].s, UINT16_MAX, &kind))
		return bad(p, "unknown kind", t[1].s);
	ev.h.kind = site.kind = (uint16_t)kind;
	if (t[2].quoted || strcmp(t[2].s, "-")) {
		struct trace_func f = { .name = t[2].s };
		err = func_index(p, &f, &site.func, false);
	}
	for (size_t i = 3; i < p->n_words && !err; i++) {
		if (strncmp(t[i].s, "file_off=", 9))
			err = event_key(p, &t[i], &ev, &site, &forced);
		else if (!word_u64(t[i].s + 9, UINT64_MAX, &site.file_off))
			err = bad(p, "bad value", t[i].s);
	}
	return err ? err : add_site(p, &site);
}

/* The value of @set is the rest of the line as it stands. */
static int set_line(struct parser *p, char *rest)
{
	char *key = rest + strspn(rest, " \t"), *end = key + strcspn(key, " \t\r");

	if (end == key)
		return bad(p, "@set KEY VALUE wanted", NULL);
	char *value = *end ? end + 1 : end;
	*end = '\0';
	size_t len = strlen(value);
	if (len && value[len - 1] == '\r')
		value[len - 1] = '\0';
	return trace_info_set(&p->l->info, key, value);
}

static int parse_line(struct parser *p, char *line)
{
	line += strspn(line, " \t\r");
	if (!strncmp(line, "@set", 4) && (!line[4] || word_is_blank(line[4])))
		return set_line(p, line + 4);
	const char *fault = words_split(line, p->word, MAX_WORDS, &p->n_words);
	if (fault)
		return bad(p, fault, NULL);
	if (!p->n_words)
		return 0;
	if (!strcmp(p->word[0].s, "@func") || !strcmp(p->word[0].s, "@pc"))
		return place_line(p, p->word[0].s[1] == 'p');
	if (!strcmp(p->word[0].s, "@site"))
		return site_line(p);
	if (p->word[0].s[0] == '@')
		return bad(p, "unknown statement (known: @set @func @pc @site)", p->word[0].s);
	return event_line(p);
}

int evlist_parse(struct evlist *l, const char *text, const char *name)
{
	struct parser p = { .l = l, .name = name };
	char *copy = strdup(text), *next = copy;
	int err = copy ? 0 : -ENOMEM;

	memset(l, 0, sizeof(*l));
	while (!err && next) {
		char *line = next, *end = strchr(line, '\n');
		next = end ? end + 1 : NULL;
		if (end)
			*end = '\0';
		p.line++;
		err = parse_line(&p, line);
	}
	tdestroy(p.funcs, free);
	tdestroy(p.sites, free);
	free(copy);
	if (err)
		evlist_free(l);
	return err;
}

int evlist_read(struct evlist *l, FILE *in, const char *name)
{
	char *text = NULL;
	size_t n = 0, cap = 0, got = 0;
	int err;

	memset(l, 0, sizeof(*l));
	do {
		n += got;
		err = vec_reserve(&text, &cap, n + 4096);
		if (err)
			goto out;
		got = fread(text + n, 1, cap - n - 1, in);
	} while (got);
	if (ferror(in)) {
		log_error("%s: cannot be read: %s", name, strerror(errno));
		err = -EIO;
	} else if (memchr(text, '\0', n)) {
		log_error("%s: holds NUL bytes, so it is no text event list", name);
		err = -EBADMSG;
	} else {
		text[n] = '\0';
		err = evlist_parse(l, text, name);
	}
out:
	free(text);
	return err;
}

int evlist_load(struct evlist *l, const char *path)
{
	FILE *in = fopen(path, "re");

	memset(l, 0, sizeof(*l));
	if (!in) {
		int err = -errno;
		log_error("%s: cannot be opened: %s", path, strerror(-err));
		return err;
	}
	int err = evlist_read(l, in, path);
	fclose(in);
	return err;
}

void evlist_free(struct evlist *l)
{
	trace_info_free(&l->info);
	free(l->events);
	memset(l, 0, sizeof(*l));
}
