// SPDX-License-Identifier: BSD-2-Clause
#include "base/go_command.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/shell_word.h"
#include "base/text_format.h"

/* Flags that have a value, which may be the next word: 'go help build', 'go help testflag'. */
static const char *const build_values[] = {
	"C",    "p",       "asmflags",   "buildmode",     "compiler", "coverpkg", "covermode",
	"exec", "gcflags", "gccgoflags", "installsuffix", "ldflags",  "mod",      "modfile",
	"o",    "overlay", "pgo",        "pkgdir",        "tags",     "toolexec", NULL,
};
static const char *const test_values[] = {
	"bench",      "benchtime",        "blockprofile", "blockprofilerate",
	"count",      "coverprofile",     "cpu",          "cpuprofile",
	"fuzz",       "fuzzminimizetime", "fuzztime",     "list",
	"memprofile", "memprofilerate",   "mutexprofile", "mutexprofilefraction",
	"outputdir",  "parallel",         "run",          "shuffle",
	"skip",       "timeout",          "trace",        NULL,
};
static const char *const test_switches[] = {
	"benchmem", "failfast", "fullpath", "short", "v", NULL
};
static const char *const build_switches[] = { "a",          "asan",       "buildvcs", "cover",
					      "linkshared", "modcacherw", "msan",     "race",
					      "trimpath",   NULL };
/* They say what the go command does, not what is built or run. C: see line.folder. */
static const char *const others[] = { "C",    "c", "i",    "json", "n", "vet",
				      "work", "x", "exec", "o",    NULL };

static bool is_in(const char *const *list, const char *name, size_t n)
{
	for (; *list; list++)
		if (strlen(*list) == n && !strncmp(*list, name, n))
			return true;
	return false;
}

struct line {
	FILE *build, *run;  /* options and arguments of both */
	const char *folder; /* go's -C; NULL: none */
	char *const *packages;
	size_t n_packages; /* that stand together, or files */
	bool test, more_packages;
};

/* Writes the flag, and its value if that is the next word. How many words they are. */
static size_t write_flag(FILE *to, const char *prefix, char *const *argv, const char *name,
			 bool has_value)
{
	const bool next = has_value && argv[1] && !strchr(name, '=');

	char *word = NULL;

	if (!to || asprintf(&word, "-%s%s", prefix, name) < 0)
		return 1 + next;
	putc(' ', to);
	shell_word(to, word);
	free(word);
	if (next) {
		putc(' ', to);
		shell_word(to, argv[1]);
	}
	return 1 + next;
}

/* A flag of the tests themselves. Without '=' nobody knows if the next word is its value: go takes
 * it for one behind the packages. */
static size_t take_unknown(const struct line *l, char *const *argv)
{
	const bool next = l->n_packages && !strchr(argv[0], '=') && argv[1] && argv[1][0] != '-';

	for (size_t i = 0; i <= next; i++) {
		putc(' ', l->run);
		shell_word(l->run, argv[i]);
	}
	return 1 + next;
}

/* argv[0] begins with '-'. How many words it and its value are. */
static size_t take_flag(struct line *l, char *const *argv)
{
	const char *name = argv[0] + (argv[0][1] == '-' ? 2 : 1);
	const char *plain = l->test && !strncmp(name, "test.", 5) ? name + 5 : name;
	const size_t n = strcspn(plain, "=");

	if (l->test && is_in(test_switches, plain, n))
		return write_flag(l->run, "test.", argv, plain, false);
	if (l->test && is_in(test_values, plain, n)) {
		if (!strncmp(plain, "coverprofile", n))
			fputs(" -cover", l->build);
		if (!strncmp(plain, "fuzz", n)) /* as go test has it */
			fputs(" -test.fuzzcachedir=\"$(go env GOCACHE)/fuzz\"", l->run);
		return write_flag(l->run, "test.", argv, plain, true);
	}
	const bool value = is_in(build_values, name, n) ||
			   (l->test && is_in(others, name, n) && *name == 'v');

	if (*name == 'C' && n == 1)
		l->folder = name[1] ? name + 2 : argv[1];
	if (is_in(others, name, n))
		return write_flag(NULL, "", argv, name, value);
	if (l->test && !value && !is_in(build_switches, name, n))
		return take_unknown(l, argv);
	return write_flag(l->build, "", argv, name, value);
}

static bool is_go_file(const char *word)
{
	const size_t n = strlen(word);

	return n > 3 && !strcmp(word + n - 3, ".go");
}

static bool is_flag(const char *word)
{
	return word[0] == '-' && word[1];
}

static void write_words(FILE *to, char *const *argv)
{
	for (; *argv; argv++) {
		putc(' ', to);
		shell_word(to, *argv);
	}
}

/* The package, or the files, at argv[0]. How many words that are. */
static size_t take_packages(struct line *l, char *const *argv)
{
	size_t n = 1;

	while (is_go_file(argv[0]) && argv[n] && is_go_file(argv[n]))
		n++;
	l->more_packages |= l->n_packages > 0;
	if (!l->n_packages) {
		l->packages = argv;
		l->n_packages = n;
	}
	return n;
}

/* Flags of go, packages and flags of tests in any order; all behind -args is the tests'. */
static void take_test(struct line *l, char *const *argv)
{
	while (*argv) {
		if (!strcmp(*argv, "-args") || !strcmp(*argv, "--args")) {
			write_words(l->run, argv + 1);
			return;
		}
		argv += is_flag(*argv) ? take_flag(l, argv) : take_packages(l, argv);
	}
}

/* Flags, a package or files, arguments of the program. */
static void take_run(struct line *l, char *const *argv)
{
	while (*argv && is_flag(*argv))
		argv += take_flag(l, argv);
	if (*argv)
		argv += take_packages(l, argv);
	write_words(l->run, argv);
}

static void write_cd(FILE *out, const char *folder)
{
	fputs("cd ", out);
	shell_word(out, folder);
	fputs(" && ", out);
}

/* "stringer" of golang.org/x/tools/cmd/stringer@v0.1.0, and of .../stringer/v2@v2.0.1. */
static void write_program(FILE *out, const char *package)
{
	size_t end = strcspn(package, "@");

	for (int i = 0; i < 2; i++) {
		size_t from = end;

		while (from && package[from - 1] != '/')
			from--;
		const size_t n = end - from;

		if (from && package[from] == 'v' && n > 1 &&
		    strspn(package + from + 1, "0123456789") == n - 1) {
			end = from - 1;
			continue;
		}
		fprintf(out, "%.*s", (int)n, package + from);
		return;
	}
}

/* A test binary is of one package, and is run where that is: what it reads lies there. */
static void write_test(const struct line *l, const char *build, const char *run, FILE *out)
{
	const char *one = l->n_packages ? l->packages[0] : ".";
	const bool many = l->more_packages || strstr(one, "..."),
		   near = !many && one[0] == '.' && strcmp(one, ".") && !is_go_file(one);

	if (near)
		write_cd(out, one);
	fprintf(out, "go test -c -o prog.test%s", build);
	if (many)
		fputs(" PACKAGE", out);
	else if (near || !l->n_packages)
		fputs(" .", out);
	for (size_t i = 0; !many && !near && i < l->n_packages; i++) {
		putc(' ', out);
		shell_word(out, l->packages[i]);
	}
	fprintf(out, " && gotrace record -- ./prog.test%s", run);
}

static void write_run(const struct line *l, const char *build, const char *run, FILE *out)
{
	const char *one = l->n_packages ? l->packages[0] : ".";
	const bool versioned = strchr(one, '@');

	fputs(versioned ? "GOBIN=$PWD go install" : "go build -o prog", out);
	fputs(build, out);
	for (size_t i = 0; i < (l->n_packages ? l->n_packages : 1); i++) {
		putc(' ', out);
		shell_word(out, l->n_packages ? l->packages[i] : ".");
	}
	fputs(" && gotrace record -- ./", out);
	if (versioned)
		write_program(out, one);
	else
		fputs("prog", out);
	fputs(run, out);
}

char *go_command_instead(char *const *argv)
{
	const char *base = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
	struct line l = { 0 };
	char *build = NULL, *run = NULL, *all = NULL;
	size_t n_build, n_run, n_all;

	if (strcmp(base, "go"))
		return NULL;
	for (argv++; *argv && is_flag(*argv);)
		argv += !strncmp(*argv, "-C", 2) ? take_flag(&l, argv) : 1;
	l.test = *argv && !strcmp(*argv, "test");
	if (!*argv || (!l.test && strcmp(*argv, "run")))
		return NULL;
	l.build = open_memstream(&build, &n_build);
	l.run = open_memstream(&run, &n_run);
	if (l.build && l.run)
		(l.test ? take_test : take_run)(&l, argv + 1);
	int err = (l.build ? text_stream_close(l.build, &build) : -1) |
		  (l.run ? text_stream_close(l.run, &run) : -1);
	FILE *out = err ? NULL : open_memstream(&all, &n_all);

	if (out && l.folder)
		write_cd(out, l.folder);
	if (out)
		(l.test ? write_test : write_run)(&l, build, run, out);
	free(build);
	free(run);
	return out && !text_stream_close(out, &all) ? all : NULL;
}
