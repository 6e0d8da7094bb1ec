/* SPDX-License-Identifier: BSD-2-Clause */
/* The room for tables of code that is not Go's, and the choice of tables to free. */
#ifndef GOTRACE_SAMPLE_NATIVES_ROOM_H
#define GOTRACE_SAMPLE_NATIVES_ROOM_H

#include "sample/natives.h"

size_t natives_most_rows(const struct natives *n);
/* Makes room for so many rows of one more file. It frees files that no living process has mapped
 * and that this call has not used. Returns false if there is no room. */
bool natives_make_room(struct natives *n, uint64_t rows);
/* Returns a place for one more file; the caller fills it in. Files in use keep their places. NULL:
 * no memory. */
struct native_file *natives_new_file(struct natives *n);
/* Returns true if the rows of the file found no room and the next attempt is due. */
bool natives_may_try(struct natives *n, const struct native_file *f);

#endif
