/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading the arguments of options; what is wrong ends the program with a usage error. */
#ifndef GOTRACE_ARGS_H
#define GOTRACE_ARGS_H

#include <argp.h>
#include <stdint.h>

/* Index of word in names (ended by NULL); `what` stands for it in the message. */
int arg_choice(struct argp_state *state, const char *what, const char *word,
	       const char *const *names);
/* As arg_choice, of a table whose entries begin with a name; ended by one whose name is NULL. */
int arg_table(struct argp_state *state, const char *what, const char *word, const void *table,
	      size_t entry_bytes);
uint64_t arg_number(struct argp_state *state, const char *what, const char *s);
/* In nanoseconds; unit_ns is that of a bare number, 0: a unit is needed. */
uint64_t arg_duration(struct argp_state *state, const char *what, const char *s, uint64_t unit_ns);
/* A percentage, 0 to `most`; the sign may stand there. */
double arg_percent(struct argp_state *state, const char *what, const char *s, double most);

/* For a verb that takes one trace, gotrace.out unless given: handles its argument and the end of
 * all. 0, or ARGP_ERR_UNKNOWN for another key. */
error_t arg_trace(int key, char *arg, struct argp_state *state, const char **file);

#endif
