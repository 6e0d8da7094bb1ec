/* SPDX-License-Identifier: BSD-2-Clause */
/* Reasons other than the program why two traces differ. */
#ifndef GOTRACE_DIFF_NOTES_H
#define GOTRACE_DIFF_NOTES_H

#include "analysis/notes.h"
#include "analysis/trace_load.h"

/* Adds the reasons why A (the first) and B are not directly comparable. by_path: their paths are
 * also compared. 0 or -ENOMEM; notes_free in either case. */
int diff_notes(const struct loaded_trace *a, const struct loaded_trace *b, bool by_path,
	       struct notes *to);

#endif
