// SPDX-License-Identifier: BSD-2-Clause
#include "cli/args.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/outfile.h"
#include "base/text_format.h"
#include "base/units.h"
#include "cli/cli.h"

arg_place_fn *arg_place;

/* Where the word comes from that a message is about: "FILE:LINE: ", or "". */
static const char *place_of(const struct argp_state *state, const char *message, char buf[512])
{
	int last = state->next - 1;
	const char *place = arg_place && last > 0 && last < state->argc ? arg_place(last) : NULL;
	const char *word = place ? strchr(state->argv[last], '=') : NULL;

	buf[0] = '\0';
	if (place && strstr(message, word ? word + 1 : state->argv[last])) {
		snprintf(buf, 512, "%s: ", place);
		arg_place = NULL; /* it is said */
	}
	return buf;
}

void arg_error(const struct argp_state *state, const char *fmt, ...)
{
	char line[1024], place[512], *safe = NULL;
	size_t size;
	FILE *f = open_memstream(&safe, &size);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (f) {
		text_safe(f, place_of(state, line, place));
		text_safe(f, line);
		fclose(f);
	}
	argp_error(state, "%s", safe ? safe : "wrong usage");
	free(safe);
}

/* --help and --usage end inside argp_parse. */
static bool parsing;

static void check_help(int status, void *ctx)
{
	(void)ctx;
	if (parsing && !status && outfile_check(stdout))
		_exit(STATUS_BAD_INPUT);
}

static error_t parse_log(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	(void)state;
	switch (key) {
	case 'q':
		log_set_level(LOG_LEVEL_WARN);
		return 0;
	case 'v':
		log_set_level(LOG_LEVEL_DEBUG);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

#define CHILDREN_MAX 8 /* that a verb has */

/* Options of all verbs. */
static const struct argp_option log_options[] = {
	{ "quiet", 'q', NULL, 0, "Print only warnings and errors on stderr", 0 },
	{ "verbose", 'v', NULL, 0, "Print messages of libbpf and of the kernel's verifier as well",
	  0 },
	{ 0 },
};
static const struct argp log_argp = { .options = log_options, .parser = parse_log };

void arg_parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input)
{
	struct argp all = *argp;
	struct argp_child children[CHILDREN_MAX + 2] = { 0 };
	size_t n = 0;

	for (; argp->children && argp->children[n].argp && n < CHILDREN_MAX; n++)
		children[n] = argp->children[n];
	children[n] = (struct argp_child){ &log_argp, 0, NULL, -1 };
	all.children = children;
	on_exit(check_help, NULL);
	parsing = true;
	error_t err = argp_parse(&all, argc, argv, flags, NULL, input);
	parsing = false;

	if (!err)
		return;
	log_no_memory("the options cannot be read: %s", strerror(err));
	exit(strcmp(argv[0], "gotrace record") ? STATUS_BAD_INPUT : STATUS_FAILED);
}

int arg_choice(struct argp_state *state, const char *what, const char *word,
	       const char *const *names)
{
	char list[128] = "";

	for (int i = 0; names[i]; i++) {
		if (!strcmp(names[i], word))
			return i;
		strncat(list, i ? ", " : "", sizeof(list) - strlen(list) - 1);
		strncat(list, names[i], sizeof(list) - strlen(list) - 1);
	}
	arg_error(state, "there is no %s '%s'; there are %s", what, word, list);
	return 0;
}

int arg_table(struct argp_state *state, const char *what, const char *word, const void *table,
	      size_t entry_bytes)
{
	const char *names[16] = { 0 };

	for (size_t i = 0; i + 1 < sizeof(names) / sizeof(names[0]); i++) {
		memcpy(&names[i], (const char *)table + i * entry_bytes, sizeof(names[i]));
		if (!names[i])
			break;
	}
	return arg_choice(state, what, word, names);
}

uint64_t arg_number(struct argp_state *state, const char *what, const char *s)
{
	uint64_t v = 0;

	if (parse_decimal(s, UINT64_MAX, &v))
		arg_error(state, "%s takes a number, not '%s'", what, s);
	return v;
}

uint64_t arg_duration(struct argp_state *state, const char *what, const char *s, uint64_t unit_ns)
{
	uint64_t ns = 0;
	int err = !unit_ns && !strcmp(s, "0") ? 0 : parse_duration_ns(s, unit_ns, &ns);

	if (err)
		arg_error(state, "%s takes a time such as %s, not '%s'", what,
			  unit_ns ? "0.5 or 20ms" : "10us or 1ms", s);
	return ns;
}

double arg_percent(struct argp_state *state, const char *what, const char *s, double most)
{
	char *end;
	double v = strtod(s, &end);

	if (end == s || (*end && strcmp(end, "%")) || !isfinite(v) || v < 0 || v > most)
		arg_error(state, "%s takes a percentage of at most %g, not '%s'", what, most, s);
	return v;
}

error_t arg_trace(int key, char *arg, struct argp_state *state, const char **file)
{
	if (key == ARGP_KEY_ARG) {
		if (*file)
			arg_error(state, "one trace at a time; 'gotrace diff' compares two");
		*file = arg;
		return 0;
	}
	if (key == ARGP_KEY_END && !*file)
		*file = "gotrace.out";
	return key == ARGP_KEY_END ? 0 : ARGP_ERR_UNKNOWN;
}
