/* SPDX-License-Identifier: BSD-2-Clause */
/* Arguments of options as values. A wrong one exits with a usage error that names `what`. */
#ifndef GOTRACE_ARGS_H
#define GOTRACE_ARGS_H

#include <argp.h>
#include <stdint.h>

/* Where word `index` of the command line comes from, "FILE:LINE"; NULL: from the command line. Set
 * by main; messages name it. */
typedef const char *arg_place_fn(int index);
extern arg_place_fn *arg_place;

/* As argp_error, for messages that hold words of the command line: it exits, with the message as
 * text_safe writes it. */
void arg_error(const struct argp_state *state, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* argp_parse, which exits, too, when there is no memory for it. argv[0] is "gotrace VERB". */
void arg_parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input);

/* Index of `word` in `names`, which ends with NULL. */
int arg_choice(struct argp_state *state, const char *what, const char *word,
	       const char *const *names);
/* As arg_choice, for a table whose entries of entry_bytes begin with a name; the last name is NULL.
 */
int arg_table(struct argp_state *state, const char *what, const char *word, const void *table,
	      size_t entry_bytes);
uint64_t arg_number(struct argp_state *state, const char *what, const char *s);
/* Nanoseconds. A number without a unit is in units of unit_ns; 0: a unit is required. */
uint64_t arg_duration(struct argp_state *state, const char *what, const char *s, uint64_t unit_ns);
/* A percentage from 0 to `most`, with or without %. */
double arg_percent(struct argp_state *state, const char *what, const char *s, double most);

/* The argp parser of a verb that takes one trace: sets *file to its argument, "gotrace.out" if
 * there is none. 0, or ARGP_ERR_UNKNOWN for other keys. */
error_t arg_trace(int key, char *arg, struct argp_state *state, const char **file);

#endif
