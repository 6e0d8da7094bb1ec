/* SPDX-License-Identifier: BSD-2-Clause */
/* The room for tables of executables, and the choice of tables to free. */
#ifndef GOTRACE_SAMPLE_BINARIES_ROOM_H
#define GOTRACE_SAMPLE_BINARIES_ROOM_H

#include "sample/binaries.h"

/* Makes room for so many rows of one more executable. Frees tables of executables that no living
 * process executes. Returns false if there is no room. Pointers to known executables may be stale
 * afterwards. */
bool binaries_make_room(struct binaries *b, uint64_t rows);
/* Makes a place for one more known executable, in the same way. */
bool binaries_make_place(struct binaries *b);
/* Removes the rows of an executable and the watches of its panics from the BPF program. */
void binaries_take_back(struct binaries *b, struct known_binary *x);

#endif
