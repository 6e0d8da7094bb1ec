/* SPDX-License-Identifier: BSD-2-Clause */
/* The room that tables of code that is not Go's take, and which of them give way. */
#ifndef GOTRACE_SAMPLE_NATIVES_ROOM_H
#define GOTRACE_SAMPLE_NATIVES_ROOM_H

#include "attach/sample/natives.h"

size_t natives_most_rows(const struct natives *n);
/* For so many rows of one more file. Files that no living process has mapped, and that were not
 * used in this call, give way. False: there is none. */
bool natives_make_room(struct natives *n, uint64_t rows);
/* A place for one more, to be filled in. Those that are in use stay where they are. NULL: no
 * memory. */
struct native_file *natives_new_file(struct natives *n);
/* Did its rows find no room, and is it time to look again? */
bool natives_may_try(struct natives *n, const struct native_file *f);

#endif
