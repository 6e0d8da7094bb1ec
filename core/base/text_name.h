/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes names of functions in a line of a terminal. */
#ifndef GOTRACE_TEXT_NAME_H
#define GOTRACE_TEXT_NAME_H

#include <stdbool.h>
#include <stdio.h>

/* Returns the columns for a name where the rest of its line takes `used` of `width`; 0 when width
 * is 0. */
int text_room(unsigned width, size_t used);
/*
 * Writes `name` as text_safe does, in at most `room` columns; 0 for the whole name. A longer name
 * loses the folders of its packages' paths ("server.(*client).readLoop"), then its middle.
 */
void text_name(FILE *out, const char *name, int room);

/* Writes a function's name so, its package dim and the rest bold where `colour` is. */
void text_func_name(FILE *out, bool colour, const char *name, int room);

#endif
