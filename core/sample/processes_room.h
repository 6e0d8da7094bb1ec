/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory that the data on processes takes, and the choice of processes to remove. */
#ifndef GOTRACE_SAMPLE_PROCESSES_ROOM_H
#define GOTRACE_SAMPLE_PROCESSES_ROOM_H

#include "sample/processes.h"

/* Returns the process that had this pid at ts_ns. If ts_ns is before all known processes, returns
 * the oldest. NULL: it is not known. */
struct process *process_find(const struct processes *p, uint32_t pid, uint64_t ts_ns);
/* Returns true if the process has threads besides its first one. */
bool process_has_threads(uint32_t pid);
/* Notes that all threads of the process have ended. */
void process_end(struct processes *p, struct process *one, uint64_t ts_ns);
/* Passes the mappings of a process to the BPF program. If no place is free, removes the process
 * without a sample for longest. That process gets a place again with its next sample. */
void process_tell(struct processes *p, struct process *one);
/* Takes its mappings out of the BPF program from ts_ns on. */
void process_untell(struct processes *p, struct process *one, uint64_t ts_ns);
/* The caller calls it after the memory of `one` has changed. */
void process_charge(struct processes *p, struct process *one);
void process_free_images(struct process *one);
/* Frees the memory of a process. */
void process_free(struct processes *p, struct process *one);
/* Compares two struct process **, for qsort: the one that was used first comes first. */
int process_used_first(const void *x, const void *y);
/* Removes the processes with `gone`, and closes the gaps in `all`. */
void processes_compact(struct processes *p);
/* Makes room if the processes take too much memory. Removes first ended processes without samples.
 * Then it removes running processes, those without a sample for longest first; the next sample adds
 * such a process again. If this is not enough, sets `full`: until processes_again it removes no
 * process, and new ones may take a quarter more. Pointers and indexes may be stale afterwards.
 * Returns false if there is no room for another process. */
bool processes_make_room(struct processes *p);

#endif
