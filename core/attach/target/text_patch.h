/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the jumps to stubs into the text of a process, and removes them. The process must not
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
	/* The page in work, and the range of its changed bytes. page_bytes 0: there is no page. */
	uint64_t page_vaddr;
	uint8_t page[TEXT_PAGE];
	size_t page_bytes, changed_from, changed_to;
	/* A page could not be written, so earlier results for its sites are wrong. */
	bool lost;
};

/*
 * Reads the page of link-time address vaddr, unless it is there. Writes the previous page first. So
 * sites of one page that follow each other are read and written at once. The caller must then call
 * text_patch_close_page. Without text_patch_turn_page every site is written by itself.
 */
void text_patch_turn_page(struct text_patch *p, uint64_t vaddr);
void text_patch_close_page(struct text_patch *p);

/* Reads n bytes at link-time address vaddr. Returns false if it cannot. Bytes of the page in work
 * are those of its last reading, with changes. */
bool text_patch_read(const struct text_patch *p, uint64_t vaddr, void *to, size_t n);

/* Finds the address of the image. Checks by the bytes of one instruction `syscall` that the text is
 * the file's. Returns NULL, or a static clause on why the text cannot be patched. */
const char *text_patch_find(struct text_patch *p, pid_t pid, int exe_fd);

/* Returns NULL if the process executes the file `exe_fd`; else a static clause. */
const char *text_patch_other_image(pid_t pid, int exe_fd);

/* Returns true if the memory of mem_fd belongs to no process any more. Returns false if it cannot
 * be read for another reason; then stubs may still be in use. */
bool text_patch_memory_ended(const struct text_patch *p);

/* Returns true if text_patch_memory_ended does, or if the process executes another file than
 * `exe_fd` now. */
bool text_patch_image_gone(const struct text_patch *p, pid_t pid, int exe_fd);

/*
 * Writes the jump to the site's stub. `stubs`: the stubs' bytes, read from the process. Returns
 * false if the bytes to displace differ from the file or cannot be written, or if the stub has no
 * breakpoint. Then nothing has changed. (Code that was moved to make room stays in its stub.)
 */
bool text_patch_site(struct text_patch *p, const struct plan_site *s, const uint8_t *stubs);

/* Puts back the bytes that text_patch_site displaced, for a site without plan_branches. Returns
 * false if the jump is not there as it was written, or if the bytes cannot be written. */
bool text_patch_undo_site(struct text_patch *p, const struct plan_site *s);

/* Returns 1 if the jump of text_patch_site is there, 0 if not, or -EIO if the text cannot be read.
 */
int text_patch_is_there(const struct text_patch *p, const struct plan_site *s);

/* Returns true if the site's window equals the file. Then no byte is to be put back. */
bool text_patch_is_files(const struct text_patch *p, const struct plan_site *site);

/* Write and remove the jump to the hook in runtime.sigtramp, like text_patch_site and
 * text_patch_undo_site. text_patch_sigtramp returns NULL or a static clause. */
const char *text_patch_sigtramp(struct text_patch *p);
bool text_patch_undo_sigtramp(struct text_patch *p);

#endif
