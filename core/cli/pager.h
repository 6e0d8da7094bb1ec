/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading on a terminal: a pager, colour and width, as in git. */
#ifndef GOTRACE_PAGER_H
#define GOTRACE_PAGER_H

#include <argp.h>
#include <stdbool.h>

enum colour_choice { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

struct reading {
	enum colour_choice choice;
	bool no_pager;
	/* set by reading_begin */
	bool colour;
	unsigned width; /* columns of the terminal; 0 if standard output is none */
};

/* --color and --no-pager: an argp child whose input is a struct reading. */
extern const struct argp reading_argp;

/* Returns true if standard output is a terminal with colours, and the user has not refused them
 * (NO_COLOR). */
bool reading_colour(void);
/* Returns the columns of the terminal on standard output, or 0 if it is no terminal. */
unsigned reading_width(void);
/*
 * Sends standard output to a pager if it is a terminal. The caller calls it before it prints.
 * Returns 0 or -errno (logged).
 */
int reading_begin(struct reading *r);
/* Waits until the reader has left the pager. The caller calls it after all output. Returns 0 or -1
 * (logged). */
int reading_end(void);

#endif
