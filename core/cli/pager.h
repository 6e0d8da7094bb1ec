/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading on a terminal: a pager, colour and width, as git has them. */
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
	unsigned width; /* of the terminal; 0: standard output is none */
};

/* --color and --no-pager: an argp child whose input is a struct reading. */
extern const struct argp reading_argp;

/* Standard output is a terminal that shows colours, and nobody asked for none (NO_COLOR). */
bool reading_colour(void);
/* Columns of the terminal that standard output is; 0: it is none. */
unsigned reading_width(void);
/*
 * Before anything is printed: looks whether standard output is a terminal and, if it is one, sends
 * what is printed to a pager. 0 or -errno (logged).
 */
int reading_begin(struct reading *r);
/* After all was printed: waits until the reader has left the pager. 0 or -1 (logged) */
int reading_end(void);

#endif
