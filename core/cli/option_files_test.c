// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "base/log.h"

#include "cli/invoker_file.c"
#include "cli/option_files.c"

static char said[1024];

static void keep(void *ctx, enum log_level level, const char *line)
{
	(void)ctx;
	(void)level;
	snprintf(said, sizeof(said), "%s", line);
}

/* "a|b|c@FILE:2" */
static void show(const struct option_words *w, char out[1024])
{
	size_t n = 0;

	out[0] = '\0';
	for (int i = 0; i < w->n; i++)
		n += (size_t)snprintf(out + n, 1024 - n, "%s%s%s%s", i ? "|" : "", w->words[i],
				      w->places[i] ? "@" : "", w->places[i] ? w->places[i] : "");
}

TEST(test_words)
{
	static const struct {
		const char *text, *words;
		int err;
	} cases[] = {
		{ "", "", 0 },
		{ " \t\n# all of it\n", "", 0 },
		{ "-p main\n--waits # and so on\n", "-p@f:1|main@f:1|--waits@f:2", 0 },
		{ "-f 'main.(*T).F' -x \"a b\"", "-f@f:1|main.(*T).F@f:1|-x@f:1|a b@f:1", 0 },
		{ "a\\ b 'c\\d' \"e\\\"f\" g#h \\# '' i\"j\"'k'",
		  "a b@f:1|c\\d@f:1|e\"f@f:1|g#h@f:1|#@f:1|@f:1|ijk@f:1", 0 },
		{ "a\r\nb", "a@f:1|b@f:2", 0 },
		{ "'a\nb' c", "a\nb@f:1|c@f:2", 0 },
		{ "a\n 'b\nc", "a@f:1", -EINVAL },
		{ "a \\", "a@f:1|\\@f:1", 0 },
	};

	log_set_sink(keep, NULL);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct option_words w = { 0 };
		char out[1024];

		assert_int_equal(option_words_parse(&w, "f", cases[i].text, 0), cases[i].err);
		show(&w, out);
		assert_string_equal(out, cases[i].words);
		if (cases[i].err)
			assert_string_equal(said, "f:2: this quote is not closed: '");
		option_words_free(&w);
	}
	log_set_sink(NULL, NULL);
}

static void write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

TEST(test_files)
{
	char folder[] = "/tmp/gotrace-options-XXXXXX", out[1024];
	char *argv[] = { (char *)"gotrace", (char *)"record", (char *)"@outer", (char *)"-d1",
			 (char *)"--",      (char *)"prog",   (char *)"@not" };
	struct option_words w = { 0 };

	unsetenv("SUDO_UID");
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	write_text("outer", "-p main\n@inner\n");
	write_text("inner", "\n--waits");
	assert_int_equal(option_words_expand(&w, 7, argv, "GOTRACE_OPTIONS", NULL), 0);
	show(&w, out);
	assert_string_equal(
		out, "gotrace|record|-p@outer:1|main@outer:1|--waits@inner:2|-d1|--|prog|@not");
	option_words_free(&w);
	assert_int_equal(option_words_expand(&w, 2, argv, "GOTRACE_OPTIONS", "@inner -x 'a b'"), 0);
	show(&w, out);
	assert_string_equal(
		out, "gotrace|--waits@inner:2|-x@GOTRACE_OPTIONS:1|a b@GOTRACE_OPTIONS:1|record");
	option_words_free(&w);

	log_set_sink(keep, NULL);
	write_text("inner", "x\n@missing");
	assert_int_equal(option_words_expand(&w, 7, argv, "GOTRACE_OPTIONS", NULL), -ENOENT);
	assert_string_equal(said,
			    "inner:2: the named file of options: No such file or directory; a "
			    "file whose name begins with @ is given as ./@NAME");
	option_words_free(&w);
	write_text("inner", "@inner");
	assert_int_equal(option_words_expand(&w, 7, argv, "GOTRACE_OPTIONS", NULL), -ELOOP);
	assert_string_equal(said, "inner:1: options are 8 files deep: does one name itself?");
	option_words_free(&w);
	log_set_sink(NULL, NULL);
	unlink("outer");
	unlink("inner");
	assert_int_equal(chdir("/"), 0);
	rmdir(folder);
}

/* What is no text is not waited for, nor read without end. */
TEST(test_kinds)
{
	static const char *const others[] = { "fifo", "/dev/zero", "folder", "sparse" };
	char folder[] = "/tmp/gotrace-options-XXXXXX", word[64], wanted[256];
	char *argv[] = { (char *)"gotrace", word };
	struct option_words w = { 0 };

	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_int_equal(mkdir("folder", 0700), 0);
	write_text("sparse", "");
	assert_int_equal(truncate("sparse", 1ll << 40), 0);
	log_set_sink(keep, NULL);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		snprintf(word, sizeof(word), "@%s", others[i]);
		assert_int_equal(option_words_expand(&w, 2, argv, "", NULL), -EINVAL);
		snprintf(wanted, sizeof(wanted), "%s: not a file of options", word);
		assert_string_equal(said, wanted);
		option_words_free(&w);
	}
	log_set_sink(NULL, NULL);
	assert_int_equal(chdir("/"), 0);
	snprintf(wanted, sizeof(wanted), "rm -r %s", folder);
	assert_int_equal(system(wanted), 0);
}

/* Under sudo a file that the user may not read is not read, by way of a file of theirs either; no
 * message repeats a line. */
TEST(test_rights)
{
	char folder[] = "/tmp/gotrace-options-XXXXXX", command[128];
	char *argv[] = { (char *)"gotrace", (char *)"@secret" };
	struct option_words w = { 0 };

	if (getuid())
		skip();
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chmod(folder, 0755), 0);
	assert_int_equal(chdir(folder), 0);
	write_text("secret", "password");
	assert_int_equal(chmod("secret", 0600), 0);
	write_text("theirs", "\n@secret");
	setenv("SUDO_UID", "4242", 1);
	setenv("SUDO_GID", "4242", 1);
	log_set_sink(keep, NULL);
	assert_int_equal(option_words_expand(&w, 2, argv, "", NULL), -EACCES);
	assert_non_null(strstr(said, "@secret: Permission denied"));
	option_words_free(&w);
	argv[1] = (char *)"@theirs";
	assert_int_equal(option_words_expand(&w, 2, argv, "", NULL), -EACCES);
	assert_non_null(strstr(said, "theirs:2: "));
	assert_null(strstr(said, "secret"));
	option_words_free(&w);
	assert_int_equal(geteuid(), 0);
	setenv("SUDO_UID", "no", 1);
	assert_int_equal(option_words_expand(&w, 2, argv, "", NULL), -ECANCELED);
	option_words_free(&w);
	log_set_sink(NULL, NULL);
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	assert_int_equal(chdir("/"), 0);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

TESTS(test_words, test_files, test_kinds, test_rights)
