/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the jumps to stubs into the text of a process, and takes them out again. It must not
 * execute these bytes meanwhile. */
#ifndef GOTRACE_TEXT_PATCH_H
#define GOTRACE_TEXT_PATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "plan/plan.h"

#define TEXT_PAGE 4096

/* The memory of a process that executes the plan's binary. */
struct text_patch {
	const struct plan *plan; /* borrowed */
	int mem_fd;              /* /proc/PID/mem, borrowed */
	uint64_t bias;           /* run-time minus link-time address */
	/* the page that is being changed, and which of its bytes have to be written; 0 bytes: none
	 */
	uint64_t page_vaddr;
	uint8_t page[TEXT_PAGE];
	size_t page_bytes, changed_from, changed_to;
	bool lost; /* a page could not be written: what was said of its sites is not true */
};

/*
 * Sites of one page, one after the other, are read and written at once: reads the page that holds
 * link-time address vaddr, unless it is there, after it has written the one before. To be followed
 * by text_patch_close_page; without it every site is written by itself.
 */
void text_patch_turn_page(struct text_patch *p, uint64_t vaddr);
void text_patch_close_page(struct text_patch *p);

/* Whether n bytes at link-time address vaddr could be read; those of a page that was turned to are
 * as they were then. */
bool text_patch_read(const struct text_patch *p, uint64_t vaddr, void *to, size_t n);

/* Finds the address of the image and checks that the text is the file's. NULL, or a clause, static:
 * why it cannot be patched. */
const char *text_patch_find(struct text_patch *p, pid_t pid, int exe_fd);

/* NULL where the process executes the file `exe_fd`; else a clause, static. */
const char *text_patch_other_image(pid_t pid, int exe_fd);

/* True where the memory that mem_fd stands for is no process's any more. false where it cannot be
 * read for another reason: stubs may still be in use. */
bool text_patch_memory_ended(const struct text_patch *p);

/* True where text_patch_memory_ended is, or the process executes another file than `exe_fd` now. */
bool text_patch_image_gone(const struct text_patch *p, pid_t pid, int exe_fd);

/*
 * Writes the jump to the site's stub, whose bytes are `stubs` as read from the process. false, and
 * nothing has changed: the bytes to displace are not the file's or cannot be written, or the stub
 * has no breakpoint. (Code that was moved to make room stays in its stub.)
 */
bool text_patch_site(struct text_patch *p, const struct plan_site *s, const uint8_t *stubs);

/* Puts back what text_patch_site displaced, for a site without plan_branches. false: the jump is
 * not there any more as it was written, or the bytes cannot be written. */
bool text_patch_undo_site(struct text_patch *p, const struct plan_site *s);

/* The jump of text_patch_site is there: 1 or 0, or -EIO where the text cannot be read. */
int text_patch_is_there(const struct text_patch *p, const struct plan_site *s);

/* True where the site's window is as the file has it: nothing is to be put back. */
bool text_patch_is_files(const struct text_patch *p, const struct plan_site *site);

/* As text_patch_site and text_patch_undo_site, for the jump to the hook, in runtime.sigtramp. NULL,
 * or a clause, static. */
const char *text_patch_sigtramp(struct text_patch *p);
bool text_patch_undo_sigtramp(struct text_patch *p);

#endif
