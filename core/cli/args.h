/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts arguments of options to values. A wrong one exits with a usage error that names `what`.
 */
#ifndef GOTRACE_ARGS_H
#define GOTRACE_ARGS_H

#include <argp.h>
#include <stdint.h>

/* Returns the place of word `index` of the command line, "FILE:LINE", or NULL if it comes from the
 * command line. main sets it, and messages name it. */
typedef const char *arg_place_fn(int index);
extern arg_place_fn *arg_place;

/* Prints a usage error and exits, like argp_error. Messages may contain words of the command line;
 * text_safe escapes them. */
void arg_error(const struct argp_state *state, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Calls argp_parse, and also exits without memory. argv[0] is "gotrace VERB". */
void arg_parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input);

/* Returns the index of `word` in `names`, which ends with NULL. */
int arg_choice(struct argp_state *state, const char *what, const char *word,
	       const char *const *names);
/* Returns the index of `word` in a table. Its entries of entry_bytes begin with a name; the last
 * name is NULL. */
int arg_table(struct argp_state *state, const char *what, const char *word, const void *table,
	      size_t entry_bytes);
uint64_t arg_number(struct argp_state *state, const char *what, const char *s);
/* Returns nanoseconds. A number without a unit is in units of unit_ns; 0: a unit is required. */
uint64_t arg_duration(struct argp_state *state, const char *what, const char *s, uint64_t unit_ns);
/* Returns a percentage from 0 to `most`. The argument may end with %. */
double arg_percent(struct argp_state *state, const char *what, const char *s, double most);

/* The argp parser of a verb that takes one trace. Sets *file to its argument, or "gotrace.out" if
 * there is none. Returns 0, or ARGP_ERR_UNKNOWN for other keys. */
error_t arg_trace(int key, char *arg, struct argp_state *state, const char **file);

#endif
