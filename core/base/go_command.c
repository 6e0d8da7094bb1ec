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
/* They say what the go command does, not what is built or run. */
static const char *const others[] = {
	"c", "i", "json", "n", "vet", "work", "x", "exec", "o", NULL
};

static bool is_in(const char *const *list, const char *name, size_t n)
{
	for (; *list; list++)
		if (strlen(*list) == n && !strncmp(*list, name, n))
			return true;
	return false;
}

struct line {
	FILE *build, *run; /* options and arguments of both */
	const char *package;
	size_t n_packages;
	bool test;
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

/* argv[0] begins with '-'. How many words it and its value are. */
static size_t take_flag(const struct line *l, char *const *argv)
{
	const char *name = argv[0] + (argv[0][1] == '-' ? 2 : 1);
	const char *plain = l->test && !strncmp(name, "test.", 5) ? name + 5 : name;
	const size_t n = strcspn(plain, "=");

	if (l->test && is_in(test_switches, plain, n))
		return write_flag(l->run, "test.", argv, plain, false);
	if (l->test && is_in(test_values, plain, n))
		return write_flag(l->run, "test.", argv, plain, true);
	return write_flag(is_in(others, name, n) ? NULL : l->build, "", argv, name,
			  is_in(build_values, name, n) || (l->test && !strcmp(name, "vet")));
}

static void take_package(struct line *l, const char *word)
{
	if (!l->n_packages++)
		l->package = word;
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

/* Flags of go, packages and flags of tests in any order; all behind -args is the tests'. */
static void take_test(struct line *l, char *const *argv)
{
	while (*argv) {
		if (!strcmp(*argv, "-args") || !strcmp(*argv, "--args")) {
			write_words(l->run, argv + 1);
			return;
		}
		if (is_flag(*argv))
			argv += take_flag(l, argv);
		else
			take_package(l, *argv++);
	}
}

/* Flags, a package or files, arguments of the program. */
static void take_run(struct line *l, char *const *argv)
{
	while (*argv && is_flag(*argv))
		argv += take_flag(l, argv);
	if (*argv)
		take_package(l, *argv++);
	for (; l->package && is_go_file(l->package) && *argv && is_go_file(*argv);
	     l->package = *argv++) {
		putc(' ', l->build);
		shell_word(l->build, l->package);
	}
	write_words(l->run, argv);
}

/* A test binary is of one package. */
static const char *package_of(const struct line *l)
{
	if (!l->n_packages)
		return ".";
	return l->test && (l->n_packages > 1 || strstr(l->package, "...")) ? "PACKAGE" : l->package;
}

char *go_command_instead(char *const *argv)
{
	const char *base = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
	struct line l = { .test = argv[1] && !strcmp(argv[1], "test") };
	char *build = NULL, *run = NULL, *all = NULL;
	size_t n_build, n_run;

	if (strcmp(base, "go") || !argv[1] || (!l.test && strcmp(argv[1], "run")))
		return NULL;
	l.build = open_memstream(&build, &n_build);
	l.run = open_memstream(&run, &n_run);
	if (l.build && l.run && l.test)
		take_test(&l, argv + 2);
	else if (l.build && l.run)
		take_run(&l, argv + 2);
	int err = (l.build ? text_stream_close(l.build, &build) : -1) |
		  (l.run ? text_stream_close(l.run, &run) : -1);

	if (!err && asprintf(&all, "go %s %s%s %s && gotrace record -- ./%s%s",
			     l.test ? "test -c" : "build", l.test ? "-o prog.test" : "-o prog",
			     build, package_of(&l), l.test ? "prog.test" : "prog", run) < 0)
		all = NULL;
	free(build);
	free(run);
	return all;
}
