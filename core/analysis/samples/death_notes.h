/* SPDX-License-Identifier: BSD-2-Clause */
/* What a trace knows of processes that died while they were recorded: who, of what, where. */
#ifndef GOTRACE_DEATH_NOTES_H
#define GOTRACE_DEATH_NOTES_H

#include "analysis/notes.h"
#include "base/json.h"
#include "trace/samples.h"

/*
 * "prog 4711 died of SIGSEGV in main.f < main.main < runtime.main (thread 4712, goroutine 1)", and
 * where its other threads were, those in the same place in one line. Nothing when t is NULL or has
 * no deaths.
 */
void deaths_notes(const struct sample_tables *t, struct notes *to);
/* All of them, as the value "deaths" of the object that is open in j; nothing when there are none.
 * Stacks that take more than 128 MB, and 500 bytes for each byte of the trace's file, are left out
 * and counted as "death_stacks_left_out". */
void deaths_json(const struct sample_tables *t, uint64_t file_bytes, struct json *j);

#endif
