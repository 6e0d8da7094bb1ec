/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports the processes that died while they were recorded: the process, the signal and the
 * place. */
#ifndef GOTRACE_DEATH_NOTES_H
#define GOTRACE_DEATH_NOTES_H

#include "analysis/notes.h"
#include "base/json.h"
#include "trace/samples.h"

/*
 * Adds lines such as "prog 4711 died of SIGSEGV in main.f < main.main < runtime.main (thread 4712,
 * goroutine 1)", then the places of its other threads. Threads in one place share a line. Adds
 * nothing when t is NULL or has no deaths.
 */
void deaths_notes(const struct sample_tables *t, struct notes *to);
/* Writes all deaths as the value "deaths" of the open object in j, nothing when there are none.
 * Stacks that take more than 128 MB, and 500 bytes for each byte of the trace's file, are left out
 * and counted as "death_stacks_left_out". */
void deaths_json(const struct sample_tables *t, uint64_t file_bytes, struct json *j);

#endif
