// SPDX-License-Identifier: BSD-2-Clause
#include "plan/plan_values.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/vec.h"
#include "binary/arch.h"
#include "plan/func_glob.h"
#include "plan/name_suggest.h"

/* ---- what is asked for */

static const char *option_of(const struct value_request *r)
{
	return r->result ? "--ret" : "--args";
}

/* Where the list begins: the parenthesis that the last one of the text closes. NULL: there is none,
 * as in main.(*T).M. */
static const char *list_of(const char *text)
{
	size_t n = strlen(text);
	int open = 0;

	if (!n || text[n - 1] != ')')
		return NULL;
	for (const char *c = text + n; c-- > text;) {
		open += *c == ')' ? 1 : *c == '(' ? -1 : 0;
		if (!open)
			return c;
	}
	return NULL;
}

static int add_expr(struct value_request *r, size_t *cap, const char *from, size_t len)
{
	while (len && *from == ' ')
		from++, len--;
	while (len && from[len - 1] == ' ')
		len--;
	if (!len || r->n_exprs == VALUES_MAX)
		return -EINVAL;
	int err = vec_reserve(&r->exprs, cap, r->n_exprs + 1);

	if (err)
		return err;
	r->exprs[r->n_exprs] = strndup(from, len);
	return r->exprs[r->n_exprs++] ? 0 : -ENOMEM;
}

/* The * of (*T) is none of a pattern. */
static bool is_wide(const char *func)
{
	for (const char *c = func; *c; c++)
		if (*c == '?' || (*c == '*' && (c == func || c[-1] != '(')))
			return true;
	return false;
}

static int parse_one(struct value_request *r, const char *text, bool result)
{
	const char *list = list_of(text), *end = text + strlen(text) - 1;
	size_t cap = 0;
	int err = 0;

	*r = (struct value_request){ .result = result, .text = text };
	r->func = list ? strndup(text, (size_t)(list - text)) : strdup(text);
	if (!r->func)
		return -ENOMEM;
	r->wide = is_wide(r->func);
	for (const char *at = list ? list + 1 : end; at < end && !err;) {
		const char *comma = memchr(at, ',', (size_t)(end - at));
		const char *until = comma ? comma : end;

		err = add_expr(r, &cap, at, (size_t)(until - at));
		at = until + 1;
		if (comma && at == end)
			err = -EINVAL;
	}
	if (!*r->func || strchr(r->func, ' '))
		err = -EINVAL;
	if (err == -EINVAL)
		log_error("%s: '%s' is not FUNCTION(%s,...), of at most %d values", option_of(r),
			  text, result ? "RESULT" : "ARGUMENT", VALUES_MAX);
	return err;
}

int values_parse(struct plan *p, const struct plan_options *opt)
{
	const size_t n = opt->n_args + opt->n_rets;
	int err = 0;

	p->values.requests = calloc(n + 1, sizeof(*p->values.requests));
	if (!p->values.requests)
		return -ENOMEM;
	for (size_t i = 0; i < n && !err; i++) {
		bool result = i >= opt->n_args;

		p->values.n_requests++;
		err = parse_one(&p->values.requests[i],
				result ? opt->rets[i - opt->n_args] : opt->args[i], result);
	}
	return err;
}

/* 1, 0 or -ENOMEM. What is no pattern for several means one function, whatever (*T) is as a glob;
 * or all instances of one generic. */
static int request_hits(const struct value_request *r, const char *display)
{
	if (r->wide || strchr(display, '['))
		return func_glob_hits(r->func, display);
	return !strcmp(r->func, display);
}

int values_match(struct plan *p, const char *display)
{
	int any = 0;

	for (size_t i = 0; i < p->values.n_requests; i++) {
		int hit = request_hits(&p->values.requests[i], display);

		if (hit < 0)
			return hit;
		p->values.requests[i].used |= hit > 0;
		any |= hit;
	}
	return any;
}

void values_free(struct plan *p)
{
	struct plan_values *v = &p->values;

	for (size_t i = 0; i < v->n_requests; i++) {
		for (size_t k = 0; k < v->requests[i].n_exprs; k++)
			free(v->requests[i].exprs[k]);
		free(v->requests[i].exprs);
		free(v->requests[i].func);
	}
	for (size_t i = 0; i < v->n; i++)
		free(v->list[i].name);
	free(v->requests);
	free(v->list);
	*v = (struct plan_values){ 0 };
}

/* ---- where it is */

/* The values of one function are being found. */
struct search {
	struct plan *p;
	struct plan_func *f;
	struct godebug *debug; /* NULL: the binary has no DWARF */
	struct gosignature *signature;
	struct value_request *r;
};

static int add_value(struct search *s, const char *name, const struct govalue *v)
{
	struct plan_values *all = &s->p->values;
	uint16_t *n = s->r->result ? &s->f->n_results : &s->f->n_args;
	size_t at = s->f->first_value + s->f->n_args + (s->r->result ? s->f->n_results : 0);

	for (size_t i = at - *n; i < at; i++)
		if (!strcmp(all->list[i].name, name))
			return 0; /* asked for twice */
	if (s->f->n_args + s->f->n_results == VALUES_MAX)
		return -E2BIG;
	if (vec_reserve(&all->list, &all->cap, all->n + 1))
		return -ENOMEM;
	char *copy = strdup(name);

	if (!copy)
		return -ENOMEM;
	all->list[all->n++] = (struct plan_value){ .name = copy, .v = *v, .result = s->r->result };
	(*n)++;
	s->r->found = true;
	if (v->source == GOVALUE_FP && !v->n_hops)
		log_warn(
			"%s: %s of %s is in a floating-point register, which a probe cannot read. It is shown as ?xmm",
			option_of(s->r), name, s->f->name);
	return 0;
}

/* "%0", "%1:string": one of n_regs registers by its ordinal. 0 or -EINVAL. */
static int by_register(const char *expr, unsigned n_regs, struct govalue *v)
{
	static const struct {
		const char *name;
		uint8_t type, bytes;
	} types[] = {
		{ "int", GOVALUE_INT, 8 },     { "int8", GOVALUE_INT, 1 },
		{ "int16", GOVALUE_INT, 2 },   { "int32", GOVALUE_INT, 4 },
		{ "int64", GOVALUE_INT, 8 },   { "uint", GOVALUE_UINT, 8 },
		{ "uint8", GOVALUE_UINT, 1 },  { "uint16", GOVALUE_UINT, 2 },
		{ "uint32", GOVALUE_UINT, 4 }, { "uint64", GOVALUE_UINT, 8 },
		{ "bool", GOVALUE_BOOL, 1 },   { "string", GOVALUE_STRING, 16 },
		{ "ptr", GOVALUE_POINTER, 8 }, { "len", GOVALUE_LENGTH, 8 },
	};
	const char *type = strchr(expr, ':');
	char *end;
	unsigned long reg = strtoul(expr + 1, &end, 10);

	if (end == expr + 1 || strspn(expr + 1, "0123456789") != (size_t)(end - expr - 1) ||
	    (*end && *end != ':') || reg >= n_regs)
		return -EINVAL;
	type = type ? type + 1 : "int";
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		if (strcmp(types[i].name, type))
			continue;
		*v = (struct govalue){ .type = types[i].type,
				       .bytes = types[i].bytes,
				       .source = GOVALUE_REG,
				       .reg = (uint8_t)reg };
		return v->type == GOVALUE_STRING && reg + 1 == n_regs ? -EINVAL : 0;
	}
	return -EINVAL;
}

static int refuse(const struct search *s, const char *expr, const char *why)
{
	char list[512] = "";
	size_t n = 0;

	for (size_t i = 0; s->signature && n < sizeof(list) - 1; i++) {
		const char *name = gosignature_name(s->signature, s->r->result, i);

		if (!name)
			break;
		n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", i ? ", " : "; it has ",
				      name);
	}
	log_error("%s: %s of %s: %s%s", option_of(s->r), expr, s->f->name, why, list);
	return -EINVAL;
}

static int find_one(struct search *s, const char *expr)
{
	struct govalue v;
	char why[256];

	if (*expr == '%') {
		const unsigned n_regs = gobin_arch(s->p->binary)->values.n_ints;

		if (!by_register(expr, n_regs, &v))
			return add_value(s, expr, &v);
		snprintf(why, sizeof(why),
			 "is not %%N or %%N:TYPE, N from 0 to %u, TYPE int8 to int64, uint8 to "
			 "uint64, bool, string, ptr or len",
			 n_regs - 1);
		return refuse(s, expr, why);
	}
	if (!s->debug)
		return refuse(
			s, expr,
			"the binary has no DWARF (-ldflags=-w or -s), name registers instead: "
			"%0 is the first, %0:string a string in the first two; see gotrace-record(1)");
	if (!s->signature)
		return refuse(s, expr, "DWARF does not have this function");
	int err = gosignature_find(s->signature, s->r->result, expr, &v, why, sizeof(why));

	if (err == -ENOENT && s->r->wide)
		return 0;
	return err ? refuse(s, expr, why) : add_value(s, expr, &v);
}

/* Finds all values that can be read, and names each other one once. */
static int find_all(struct search *s)
{
	const char *name;
	int err = 0;

	if (!s->signature)
		return find_one(s, s->r->result ? "results" : "arguments");
	for (size_t i = 0; !err && (name = gosignature_name(s->signature, s->r->result, i)); i++) {
		struct govalue v;
		char why[256];

		if (gosignature_find(s->signature, s->r->result, name, &v, why, sizeof(why)))
			log_info("%s of %s is not recorded: %s", name, s->f->name, why);
		else
			err = add_value(s, name, &v);
	}
	if (!err && !s->r->wide && !s->r->found)
		err = refuse(s, s->r->result ? "results" : "arguments", "none can be read");
	return err;
}

static int find_requests(struct search *s, bool result)
{
	struct plan_values *v = &s->p->values;
	int err = 0;

	for (size_t i = 0; i < v->n_requests && !err; i++) {
		s->r = &v->requests[i];
		int hit = s->r->result == result ? request_hits(s->r, s->f->name) : 0;

		if (hit < 0)
			return hit;
		if (hit && s->r->wide && s->f->fate != PLAN_PROBED)
			continue;
		if (hit && s->debug && !s->signature) {
			s->signature = gosignature_read(s->debug, s->f->fn);
			if (!s->signature && errno == ENOMEM)
				return -ENOMEM;
		}
		for (size_t k = 0; hit && k < s->r->n_exprs && !err; k++)
			err = find_one(s, s->r->exprs[k]);
		if (hit && !s->r->n_exprs && !err)
			err = find_all(s);
	}
	return err;
}

static int log_unused(const struct plan *p, const struct value_request *r)
{
	struct name_suggestions names = { .n = 0 };
	char list[512];

	name_suggest_add(&names, r->func, false, p->binary);
	if (name_suggest_list(&names, list, sizeof(list)))
		log_error("%s: no function matches '%s'; similar names: %s", option_of(r), r->func,
			  list);
	else
		log_error("%s: no function matches '%s'", option_of(r), r->func);
	name_suggest_free(&names);
	return -EINVAL;
}

void values_drop(struct plan *p, struct plan_func *f, const char *why)
{
	struct plan_values *v = &p->values;
	const uint32_t first = f->first_value, n = (uint32_t)f->n_args + f->n_results;

	log_warn("%s: the values of %s are not recorded: %s", f->n_args ? "--args" : "--ret",
		 f->name, why);
	for (uint32_t i = first; i < first + n; i++)
		free(v->list[i].name);
	memmove(v->list + first, v->list + first + n, (v->n - first - n) * sizeof(*v->list));
	v->n -= n;
	f->n_args = f->n_results = 0;
	for (struct plan_func *later = f + 1; later < p->funcs + p->n_funcs; later++)
		if (later->first_value > first)
			later->first_value -= n;
}

/* 0 or -ENOMEM. */
static int note_named(struct search *s)
{
	const struct plan_values *v = &s->p->values;

	for (size_t i = 0; i < v->n_requests; i++) {
		int hit = v->requests[i].wide ? 0 : request_hits(&v->requests[i], s->f->name);

		if (hit < 0)
			return hit;
		s->f->values_named |= hit;
	}
	return 0;
}

/* A pattern costs the values of a function that has too many of them, and nothing else. */
static int find_of_function(struct search *s)
{
	struct plan_func *f = s->f;
	char why[64];
	int err;

	f->first_value = (uint32_t)s->p->values.n;
	err = note_named(s);
	if (!err)
		err = find_requests(s, false);
	if (!err)
		err = find_requests(s, true);
	if (err != -E2BIG)
		return err;
	snprintf(why, sizeof(why), "more than %d values of one function", VALUES_MAX);
	if (!f->values_named) {
		values_drop(s->p, f, why);
		return 0;
	}
	log_error("%s: more than %d values of %s", option_of(s->r), VALUES_MAX, f->name);
	return -EINVAL;
}

int values_find(struct plan *p)
{
	struct godebug *debug;
	int err = 0;

	if (!p->values.n_requests)
		return 0;
	for (size_t i = 0; i < p->values.n_requests; i++)
		if (!p->values.requests[i].used)
			return log_unused(p, &p->values.requests[i]);
	debug = godebug_open(p->binary);
	if (!debug && errno == ENOMEM)
		return -ENOMEM;
	for (size_t i = 0; i < p->n_funcs && !err; i++) {
		struct search s = { .p = p, .f = &p->funcs[i], .debug = debug };

		if (s.f->fate == PLAN_WRAPPER) /* not meant: it calls the function that is */
			continue;
		err = find_of_function(&s);
		gosignature_free(s.signature);
	}
	godebug_close(debug);
	for (size_t i = 0; i < p->values.n_requests && !err; i++) {
		const struct value_request *r = &p->values.requests[i];

		if (r->found)
			continue;
		log_error("%s: '%s': no function that matches has such a value", option_of(r),
			  r->text);
		err = -EINVAL;
	}
	return err;
}
