/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers that the assembler's half and the C half of inline stubs share. Private to core/plan. */
#ifndef GOTRACE_INLINE_ASM_H
#define GOTRACE_INLINE_ASM_H

/* Offsets in struct ring_head and struct ring_slot. inline_stub.c asserts that they are equal. */
#define HEAD          0
#define RESERVED      8
#define LAST_GOID     16
#define LAST_PROCID   24
#define DROPPED       64
#define DROPPED_FIRST 72
#define DROPPED_LAST  80
#define DROPPED_GOID  88
#define TAIL          128
#define DROPPED_SEEN  136
#define M_G0          0 /* in every Go version */
#define STATE_WAITING 3 /* bpf/event.h */
#define SLOT_CLOCK    0
#define SLOT_DEPTH    8
#define SLOT_SITE     12
#define G_STACK_LO    0 /* equal in every Go version */
#define G_STACK_HI    8 /* likewise */
/* The two values that a stub compares g.atomicstatus with. INLINE_RECORDS is _Grunning: the
 * goroutine is not in a system call, no stack scan has begun, and it is not on g0. No status has
 * the value INLINE_SILENT. */
#define INLINE_RECORDS 2
#define INLINE_SILENT  0xff

/* Four bytes of a template that differ by program, by stub or by distance. */
#define PATCH_G_M       0
#define PATCH_G_GOID    1
#define PATCH_G_STATUS  2
#define PATCH_M_P       3
#define PATCH_M_PROCID  4
#define PATCH_FILL      5 /* the ring is full when it holds more bytes */
#define PATCH_MASK      6 /* turns a position into an offset among the slots */
#define PATCH_SLOT_SITE 7 /* the site's number */
#define PATCH_STATE     8 /* the goroutine's state, with the number that its event has */
#define PATCH_M_CURG    9
#define PATCH_G_REASON  10 /* g.waitreason */
#define PATCH_SPAN      11 /* how many statuses after _Grunning still have the P in m.p */
#define PATCH_G_GOPC    12
#define PATCH_G_STARTPC 13
#define PATCH_SCHED_PC  14
#define PATCH_MOREBUF   15 /* m.morebuf.sp */
#define PATCH_VALUES    16
/* Distances: to the table of rings, to the text's first function, and to parts of the same stub. */
#define PATCH_TABLE   16
#define PATCH_TEXT    17
#define PATCH_SLOW    18
#define PATCH_FULL    19
#define PATCH_CONTEXT 20
#define PATCH_WRITE   21
#define PATCH_DONE    22
#define PATCHES       23

/* Statuses in runtime.g.atomicstatus (runtime2.go), in its lowest byte. The next byte has the bit
 * of a stack scan. */
#define G_RUNNABLE 1
#define G_RUNNING  2
#define G_SYSCALL  3
#define G_WAITING  4

/* Patches of the hook. Distances: */
#define HOOK_STUBS    0
#define HOOK_TEXT     1
#define HOOK_GRANULES 2
#define HOOK_METAS    3
#define HOOK_SHAPES   4
#define HOOK_TABLE    5
#define HOOK_SIGNALS  6 /* struct ring_signals */
#define HOOK_BACK     7 /* the third instruction of runtime.sigtramp */
/* Sizes: */
#define HOOK_STUBS_BYTES 8
#define HOOK_TEXT_BYTES  9
#define HOOK_PATCHES     10

/* `undo` in struct region of inline_regions.h: */
#define UNDO_RAX  1
#define UNDO_RDX  2
#define UNDO_RING 4
#define UNDO_OURS 8 /* a fault here is one of the record, not of the program */
/* `resume` */
#define RESUME_NONE 0 /* not code of a stub, so the hook does nothing */
#define RESUME_TEXT 1 /* at the shown address in the text */
#define RESUME_HERE 2 /* at the present pc */
#define RESUME_STUB 3 /* at `at` in the stub */
/* `show` */
#define SHOW_FIXED  0 /* `shown` bytes after the window's first byte */
#define SHOW_MOVING 1 /* like SHOW_FIXED, plus pc's distance from the stub's first byte */
#define SHOW_TARGET 2 /* the target of the jump at pc */

#define REGION_BYTES 10
#define GRANULE_BITS 5 /* stubs begin at multiples of 32, by which the hook finds them */

/* The first instructions of runtime.sigtramp are sub $0x30,%rsp; mov %rbp,0x28(%rsp). */
#define SIGTRAMP_FRAME 0x30
#define SIGTRAMP_RBP   0x28

#endif
