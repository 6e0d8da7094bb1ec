/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Linker symbol names, as cmd/compile (typecheck.closureName, types.Sym
 * LinkString) and cmd/internal/objabi.PathToPrefix put them together.
 */
#include "binary/goname.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool has_prefix(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Called for each character of each name: strchr takes several times as long. */
static bool opens(char c)
{
	return c == '[' || c == '(' || c == '{';
}

static bool closes(char c)
{
	return c == ']' || c == ')' || c == '}';
}

/* Equality, hash and wrappers of types without a name: "type:.eq.T", before
 * Go 1.20 "type..eq.T"; "go:(*struct {...}).M", before "go.(*struct {...}).M". */
static bool is_typealg(const char *name)
{
	return has_prefix(name, "type:.") || has_prefix(name, "type..");
}

static bool is_linker_made(const char *name)
{
	return has_prefix(name, "go:") || has_prefix(name, "go.(") ||
	       has_prefix(name, "go.struct ") || strcmp(name, "go.buildid") == 0;
}

/* The end of the bracket that opens at s (one after it), or the end of the
 * string. Struct tags in type arguments are quoted and may hold brackets. */
static const char *skip_bracket(const char *s, const char *end)
{
	int depth = 0;

	for (; s < end; s++) {
		if (*s == '"') {
			for (s++; s < end && *s != '"'; s++)
				if (*s == '\\' && s + 1 < end)
					s++;
			if (s == end)
				break;
		} else if (opens(*s)) {
			depth++;
		} else if (closes(*s) && --depth == 0) {
			return s + 1;
		}
	}
	return end;
}

/* The next '.' outside brackets, or end. */
static const char *part_end(const char *s, const char *end)
{
	while (s < end && *s != '.')
		s = opens(*s) ? skip_bracket(s, end) : s + 1;
	return s;
}

/* End of `stem` followed by digits at s, NULL when it is not there. */
static const char *numbered(const char *s, const char *end, const char *stem)
{
	size_t n = strlen(stem);

	if ((size_t)(end - s) <= n || strncmp(s, stem, n) != 0 || !digit(s[n]))
		return NULL;
	for (s += n; s < end && digit(*s); s++)
		;
	return s;
}

/* Whether [s, end) is `stem` and digits, with "-range1" bodies and "-fm" after it or not. */
static bool is_numbered(const char *s, const char *end, const char *stem)
{
	s = numbered(s, end, stem);
	while (s && s < end && *s == '-') {
		const char *next = numbered(s, end, "-range");

		if (!next)
			return end - s == 3 && strncmp(s, "-fm", 3) == 0;
		s = next;
	}
	return s == end;
}

static bool closure_like(const char *s, const char *end)
{
	return is_numbered(s, end, "func") || is_numbered(s, end, "gowrap") ||
	       is_numbered(s, end, "deferwrap") || is_numbered(s, end, "");
}

static bool part_is(const char *s, const char *end, const char *want)
{
	return (size_t)(end - s) == strlen(want) && strncmp(s, want, (size_t)(end - s)) == 0;
}

static bool is_init(const char *rest, const char *end)
{
	if (has_prefix(rest, "map.init.") && (size_t)(end - rest) > 9)
		return is_numbered(rest + 9, end, "");
	return part_is(rest, end, "init") ||
	       (has_prefix(rest, "init.") && is_numbered(rest + 5, end, ""));
}

static enum goname_kind kind_of(const char *rest, const char *end)
{
	enum goname_kind kind = GONAME_PLAIN;
	const char *stop;

	if (is_init(rest, end))
		return GONAME_INIT;
	if (end - rest > 3 && strncmp(end - 3, "-fm", 3) == 0)
		return GONAME_BOUND;
	for (const char *s = rest; s < end; s = stop + 1) {
		stop = part_end(s, end);
		const char *dash = memchr(s, '-', (size_t)(stop - s));

		if (s != rest &&
		    (is_numbered(s, stop, "gowrap") || is_numbered(s, stop, "deferwrap")))
			kind = GONAME_DEFERWRAP;
		else if (s != rest && closure_like(s, stop))
			kind = GONAME_CLOSURE;
		else if (dash && *s != '(' && numbered(dash, stop, "-range"))
			kind = GONAME_CLOSURE;
		if (stop == end)
			break;
	}
	return kind;
}

/*
 * Where the package ends and the rest begins: the first dot after the last
 * slash, both before any bracket. 0 when the name has no package (labels of
 * assembly files: "gogo", "memeqbody").
 */
static size_t package_len(const char *name)
{
	const size_t cut = strcspn(name, "[({ ");
	const char *slash = memrchr(name, '/', cut), *from = slash ? slash : name;
	const char *dot = memchr(from, '.', cut - (size_t)(from - name));

	return dot ? (size_t)(dot - name) : 0;
}

static int hex(char c)
{
	if (digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Copies n bytes with %xx resolved; returns the bytes written. out holds n at least. */
static size_t unescape(char *out, const char *s, size_t n)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		if (s[i] == '%' && n - i > 2 && hex(s[i + 1]) >= 0 && hex(s[i + 2]) >= 0) {
			out[k++] = (char)(hex(s[i + 1]) << 4 | hex(s[i + 2]));
			i += 2;
		} else {
			out[k++] = s[i];
		}
	}
	return k;
}

/*
 * The length of the receiver at the head of `rest`, 0 when there is none.
 * "(*T).M" shows it; "T.M" is distinguished from closures, inits and the like by what
 * comes after the dot. A closure inlined into another function ("F.G.func1")
 * cannot be distinguished from a method's and counts as one.
 */
static size_t receiver_len(const char *rest, const char *end)
{
	const char *first = part_end(rest, end);

	if (first == end || first == rest)
		return 0;
	if (*rest == '(')
		return (size_t)(first - rest);
	const char *second = part_end(first + 1, end);
	if (second == first + 1 || closure_like(first + 1, second) ||
	    part_is(rest, first, "init") ||
	    (part_is(rest, first, "map") && part_is(first + 1, second, "init")))
		return 0;
	const char *dash = memchr(rest, '-', (size_t)(first - rest));
	if (dash && numbered(dash, first, "-range"))
		return 0; /* the closure of a range-over-func body */
	return (size_t)(first - rest);
}

/* Bytes of the package as the linker spells it; 0: it has none. */
static size_t linker_package_len(const char *name)
{
	return is_typealg(name) || is_linker_made(name) ? 0 : package_len(name);
}

/* Without the mark of the ABI. */
static size_t name_len(const char *name)
{
	size_t len = strlen(name);

	return len > 5 && strcmp(name + len - 5, ".abi0") == 0 ? len - 5 : len;
}

size_t goname_package_bytes(const char *name)
{
	return linker_package_len(name);
}

char *goname_package(const char *name)
{
	size_t pkg = linker_package_len(name);
	char *out = calloc(1, pkg + 1);

	if (out)
		unescape(out, name, pkg);
	else
		errno = ENOMEM;
	return out;
}

bool goname_has_receiver(const char *name)
{
	size_t pkg = linker_package_len(name);

	return pkg && receiver_len(name + pkg + 1, name + name_len(name));
}

int goname_split(const char *name, struct goname *out)
{
	const size_t len = name_len(name), pkg = linker_package_len(name);
	const char *rest = name + (pkg ? pkg + 1 : 0), *end = name + len;
	size_t recv = pkg ? receiver_len(rest, end) : 0;

	*out = (struct goname){ .kind = is_typealg(name) ? GONAME_TYPEALG : GONAME_OTHER };
	out->package = calloc(1, pkg + 1);
	if (out->package)
		unescape(out->package, name, pkg);
	if (recv) {
		bool parens = rest[0] == '(' && rest[recv - 1] == ')';

		out->receiver = strndup(rest + parens, recv - 2 * (size_t)parens);
	}
	const char *fn = rest + (recv ? recv + 1 : 0);
	out->function = strndup(fn, (size_t)(end - fn));
	if (!out->package || !out->function || (recv && !out->receiver)) {
		goname_free(out);
		return -ENOMEM;
	}
	if (pkg) {
		out->kind = kind_of(rest, end);
		out->generic = memchr(rest, '[', (size_t)(end - rest)) != NULL;
	}
	return 0;
}

void goname_free(struct goname *n)
{
	free(n->package);
	free(n->receiver);
	free(n->function);
	*n = (struct goname){ 0 };
}

char *goname_display(const char *name)
{
	size_t len = strlen(name), pkg = linker_package_len(name);
	char *out = malloc(len + 1);

	if (!out) {
		errno = ENOMEM;
		return NULL;
	}
	size_t k = unescape(out, name, pkg);
	memcpy(out + k, name + pkg, len - pkg + 1);
	return out;
}

char *goname_shorten_generics(const char *name)
{
	size_t len = strlen(name), k = 0;
	const char *end = name + len;
	char *out = malloc(5 * len + 1); /* a lone "[" grows to "[...]" */

	if (!out) {
		errno = ENOMEM;
		return NULL;
	}
	bool special = is_typealg(name) || is_linker_made(name); /* there [4]T is an array */
	for (const char *s = name; s < end;) {
		if (*s == '[' && !special) {
			memcpy(out + k, "[...]", 5);
			k += 5;
			s = skip_bracket(s, end);
		} else {
			out[k++] = *s++;
		}
	}
	out[k] = 0;
	return out;
}
