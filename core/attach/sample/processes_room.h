/* SPDX-License-Identifier: BSD-2-Clause */
/* How much memory what is known of processes takes, and who is forgotten for want of it. */
#ifndef GOTRACE_SAMPLE_PROCESSES_ROOM_H
#define GOTRACE_SAMPLE_PROCESSES_ROOM_H

#include "attach/sample/processes.h"

/* The one that had this pid then; of times before all that are known, the oldest. NULL: it is not
 * known. */
struct process *process_find(const struct processes *p, uint32_t pid, uint64_t ts_ns);
/* Besides its first one. */
bool process_has_threads(uint32_t pid);
/* All of its threads have ended. */
void process_end(struct processes *p, struct process *one, uint64_t ts_ns);
/* Gives the BPF program the mappings of a process. The process without a sample for longest gives
 * way, and gets its place again with its next sample. */
void process_tell(struct processes *p, struct process *one);
/* Takes its mappings out of the BPF program from ts_ns on. */
void process_untell(struct processes *p, struct process *one, uint64_t ts_ns);
/* To be called after what one has grew or shrank. */
void process_charge(struct processes *p, struct process *one);
void process_free_images(struct process *one);
/* Frees what it has. */
void process_free(struct processes *p, struct process *one);
/* Of two struct process **, for qsort. */
int process_used_first(const void *x, const void *y);
/* Forgets those with `gone`, and puts all others in their places. */
void processes_compact(struct processes *p);
/* If there is too much: forgets those that have ended and have no samples, then what is known of
 * those that have had none for longest, which is read again when they have one. Where that does not
 * do it is `full`: nobody is forgotten until processes_again, and new ones may take a quarter more.
 * Pointers and indexes may be stale afterwards. False: there is room for no more. */
bool processes_make_room(struct processes *p);

#endif
