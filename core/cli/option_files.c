// SPDX-License-Identifier: BSD-2-Clause
#include "cli/option_files.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/vec.h"
#include "cli/invoker_file.h"

#define DEEPEST    8         /* files in files */
#define FILE_BYTES (1 << 20) /* a larger one is none of options */

/* place: NULL, or malloced, taken over even on failure. */
static int add(struct option_words *w, const char *word, char *place)
{
	char *copy = strdup(word);
	int err = copy ? 0 : -ENOMEM;

	if (!err)
		err = vec_reserve(&w->words, &w->cap_words, (size_t)w->n + 2);
	if (!err)
		err = vec_reserve(&w->places, &w->cap_places, (size_t)w->n + 2);
	if (err) {
		log_no_memory("no memory for the options");
		free(copy);
		free(place);
		return err;
	}
	w->words[w->n] = copy;
	w->places[w->n++] = place;
	w->words[w->n] = w->places[w->n] = NULL;
	return 0;
}

/* from: the place of the word in another file that names it, which a message does not repeat, or
 * "". */
static int add_file(struct option_words *w, const char *path, const char *from, int depth)
{
	char *text = invoker_file_read(path, FILE_BYTES);
	int err = text ? 0 : -errno;
	const char *name = *from ? "the named file of options" : path;

	if (err == -EINVAL)
		log_error("%s%s%s: not a file of options", from, *from ? ": " : "@", name);
	else if (err && err != -ECANCELED)
		log_error("%s%s%s: %s; a file whose name begins with @ is given as ./@NAME", from,
			  *from ? ": " : "@", name, strerror(-err));
	if (!err)
		err = option_words_parse(w, path, text, depth + 1);
	free(text);
	return err;
}

/* A word as it is read. */
struct word {
	char *text;
	size_t n, cap;
	bool begun;
	int line; /* where it began */
};

static int put(struct word *x, char c, int line)
{
	int err = vec_reserve(&x->text, &x->cap, x->n + 2);

	if (err)
		return err;
	if (!x->begun)
		x->line = line;
	x->begun = true;
	if (c)
		x->text[x->n++] = c;
	x->text[x->n] = '\0';
	return 0;
}

/* What is between quotes, *s behind the first; leaves it behind the second. 0, -EINVAL or -ENOMEM.
 */
static int put_quoted(struct word *x, const char **s, int *line)
{
	char quote = (*s)[-1];
	int err = put(x, '\0', *line);

	for (; !err && **s && **s != quote; (*s)++) {
		if (quote == '"' && **s == '\\' && (*s)[1])
			(*s)++;
		*line += **s == '\n';
		err = put(x, **s, *line);
	}
	if (!err && !**s)
		return -EINVAL;
	(*s)++;
	return err;
}

static int end_word(struct option_words *w, struct word *x, const char *name, int depth)
{
	char *place = NULL;
	int err = 0;

	if (!x->begun)
		return 0;
	if (asprintf(&place, "%s:%d", name, x->line) < 0)
		return -ENOMEM;
	if (x->text[0] == '@' && depth >= DEEPEST) {
		log_error("%s: options are %d files deep: does one name itself?", place, depth);
		err = -ELOOP;
	} else if (x->text[0] == '@') {
		err = add_file(w, x->text + 1, place, depth);
	} else {
		err = add(w, x->text, place);
		place = NULL;
	}
	free(place);
	x->n = 0;
	x->begun = false;
	return err;
}

int option_words_parse(struct option_words *w, const char *name, const char *text, int depth)
{
	struct word x = { 0 };
	const char *s = text;
	int line = 1, err = 0;

	while (!err && *s) {
		char c = *s++;

		if (c == '#' && !x.begun) {
			s += strcspn(s, "\n");
		} else if (strchr(" \t\r\n", c)) {
			err = end_word(w, &x, name, depth);
			line += c == '\n';
		} else if (c == '\'' || c == '"') {
			int from = line;

			err = put_quoted(&x, &s, &line);
			if (err == -EINVAL)
				log_error("%s:%d: this quote is not closed: %c", name, from, c);
		} else {
			if (c == '\\' && *s)
				c = *s++;
			err = put(&x, c, line);
			line += c == '\n';
		}
	}
	if (!err)
		err = end_word(w, &x, name, depth);
	free(x.text);
	return err;
}

int option_words_expand(struct option_words *w, int argc, char *const *argv, const char *env_name,
			const char *env)
{
	bool verbatim = false; /* of what is recorded */
	int err = argc ? add(w, argv[0], NULL) : 0;

	if (!err && env)
		err = option_words_parse(w, env_name, env, 0);
	for (int i = 1; !err && i < argc; i++) {
		verbatim |= !strcmp(argv[i], "--");
		err = !verbatim && argv[i][0] == '@' ? add_file(w, argv[i] + 1, "", 0)
						     : add(w, argv[i], NULL);
	}
	return err;
}

void option_words_free(struct option_words *w)
{
	for (int i = 0; i < w->n; i++) {
		free(w->words[i]);
		free(w->places[i]);
	}
	free((void *)w->words);
	free((void *)w->places);
	*w = (struct option_words){ 0 };
}
