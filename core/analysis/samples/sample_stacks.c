// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/samples/sample_stacks.h"

#include <string.h>

#include "analysis/samples/sample_names.h"

static bool begins(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

/* ---- packages */

/* Bytes of a function's name up to the end of its package's path: "net/http" of
 * "net/http.(*conn).serve". */
static size_t package_bytes(const char *name)
{
	size_t n = strcspn(name, "[("), from = 0;

	for (size_t i = 0; i < n; i++)
		if (name[i] == '/')
			from = i + 1;
	const char *dot = memchr(name + from, '.', n - from);

	return dot ? (size_t)(dot - name) : n;
}

/* As much of the name as functions of its repository share, "example.com/owner/name"; the package
 * where its path is no address. */
static size_t repository_bytes(const char *name)
{
	const size_t package = package_bytes(name), first = strcspn(name, "/");
	size_t n = first;

	if (first >= package || !memchr(name, '.', first))
		return package;
	for (int i = 0; i < 2 && n < package; i++)
		n += 1 + strcspn(name + n + 1, "/");
	return n < package ? n : package;
}

static bool is_path_above(const char *name, size_t n, const char *below, size_t n_below)
{
	return n < n_below && below[n] == '/' && !memcmp(name, below, n);
}

bool sample_same_repository(const char *x, const char *y)
{
	const size_t n = repository_bytes(x), n_x = package_bytes(x), n_y = package_bytes(y);

	return (n == repository_bytes(y) && !memcmp(x, y, n)) || is_path_above(x, n_x, y, n_y) ||
	       is_path_above(y, n_y, x, n_x);
}

bool sample_same_owner(const char *x, const char *y)
{
	const char *dot = strrchr(x, '.');
	const size_t n = dot ? (size_t)(dot - x) : 0;

	return n > package_bytes(x) && !strncmp(x, y, n + 1) && strrchr(y, '.') == y + n;
}

bool sample_carries_bytes(const char *name)
{
	static const char *const packages[] = { "bufio",
						"compress/",
						"crypto/",
						"encoding/",
						"golang.org/x/",
						"internal/",
						"io",
						"mime/",
						"net",
						"net/",
						"runtime/",
						"syscall",
						"vendor/golang.org/" };
	const size_t n = package_bytes(name);

	for (size_t i = 0; i < sizeof(packages) / sizeof(packages[0]); i++) {
		const size_t len = strlen(packages[i]);

		if (begins(name, packages[i]) && (n == len || packages[i][len - 1] == '/'))
			return true;
	}
	return false;
}

/* ---- stacks */

static void look_at(struct stack_look *l, const char *name)
{
	if (begins(name, "runtime.")) {
		l->main |= !strcmp(name, "runtime.main");
		return;
	}
	if (!l->first)
		l->first = name;
	l->accepts |= !strcmp(name, "internal/poll.(*FD).Accept");
	l->reads |= !strcmp(name, "internal/poll.(*pollDesc).waitRead");
	l->strange |= !sample_carries_bytes(name) && !sample_same_repository(l->first, name);
}

struct stack_look sample_stack_look(const struct sample_tables *t, uint32_t stack)
{
	const struct sample_stack *x = &t->stacks[stack];
	struct stack_look l = { 0 };

	for (uint32_t i = x->n; i-- > 0;) {
		const struct sample_location *at = sample_tables_find(t, x->process, x->pcs[i]);

		l.strange |= !at;
		for (uint32_t k = at ? at->n : 0; k-- > 0;)
			if (!sample_elided(t, at, i, k))
				look_at(&l, t->symbols[at->frames[k].symbol].name);
	}
	return l;
}

bool sample_stack_passes(const struct sample_tables *t, uint32_t stack, const char *func)
{
	const struct sample_stack *x = &t->stacks[stack];

	for (uint32_t i = 0; i < x->n; i++) {
		const struct sample_location *at = sample_tables_find(t, x->process, x->pcs[i]);

		for (uint32_t k = 0; at && k < at->n; k++)
			if (sample_same_repository(t->symbols[at->frames[k].symbol].name, func))
				return true;
	}
	return false;
}
