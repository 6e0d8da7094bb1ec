/* SPDX-License-Identifier: BSD-2-Clause */
/* The room that tables of executables take, and which of them give way. */
#ifndef GOTRACE_SAMPLE_BINARIES_ROOM_H
#define GOTRACE_SAMPLE_BINARIES_ROOM_H

#include "attach/sample/binaries.h"

/* For so many rows of one more; what no living process executes is given back for it. False: there
 * is none. Pointers to known ones may be stale afterwards. */
bool binaries_make_room(struct binaries *b, uint64_t rows);
/* For one more that is known; likewise. */
bool binaries_make_place(struct binaries *b);
/* The BPF program knows it no more: its rows, and what watches its panics, are gone. */
void binaries_take_back(struct binaries *b, struct known_binary *x);

#endif
