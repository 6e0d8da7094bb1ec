/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of an open Go binary. Private to core/binary. */
#ifndef GOTRACE_GOBIN_IMPL_H
#define GOTRACE_GOBIN_IMPL_H

#include "base/hash_index.h"
#include "binary/elffile.h"
#include "binary/gobin.h"
#include "binary/pclntab.h"

struct gobin {
	char *path; /* for messages */
	struct elffile elf;
	struct pclntab pcln;
	/* from moduledata; gofunc is 0 before Go 1.18 or when not found */
	uint64_t text, etext, gofunc;

	/* From .symtab; 0 when it is gone. */
	uint64_t sym_text, sym_etext, sym_moduledata;
	int64_t sym_tlsg;
	bool has_sym_tlsg;

	struct gofunc *funcs;
	size_t n_funcs;
	struct hash_index
		by_name; /* indexes into funcs; of equal names the one with the lowest vaddr */
	/* names that had to be copied */
	char **names;
	size_t n_names, cap_names;

	char *version;
	int minor;
	char *modinfo; /* cut into strings by buildinfo_read */
	struct gomodule main_module;
	char *build_id;
};

/* Reads version and modules from .go.buildinfo. Returns 0, -ENOENT without logging when there is
 * none or it cannot be understood, or -ENOMEM. */
int buildinfo_read(struct gobin *b);
/* Reads the build id notes. Returns 0 (build_id may be "") or -ENOMEM. */
int buildid_read(struct gobin *b);

/* Reads text, etext and gofunc from moduledata, and completes pcln.text_start. Returns 0, or
 * -EBADMSG when no source gives the text's start. Logs nothing. */
int moduledata_read(struct gobin *b);

/* Fills funcs from pclntab and .symtab. Returns 0, -EBADMSG (logged), or -ENOMEM. */
int gofuncs_read(struct gobin *b);
/* Reads the addresses of the few symbols that help elsewhere (sym_*). */
void gosyms_special(struct gobin *b);
/* Calls fn for each symbol of .symtab that has a name; stops at a negative result and returns it.
 */
struct gosym {
	const char *name;
	uint64_t value, size;
	uint8_t type; /* STT_* */
};
int gosyms_each(const struct gobin *b, int (*fn)(void *ctx, const struct gosym *sym), void *ctx);

/* Logs in one line why gotrace cannot use a file without a function table. Returns -ENOTSUP for a
 * packed file, or another compiler's, and -ENOEXEC for not Go. */
int gokind_refuse(const struct gobin *b);

/* Reads the layout from DWARF. Returns 0, or -ENOENT when there is none or it lacks runtime.g. Logs
 * nothing. */
int godwarf_layout(const struct gobin *b, struct golayout *out);
/* Finds the layout of Go 1.MINOR in the table. Returns 0 or -ENOENT. Logs nothing. */
int golayout_by_minor(int minor, struct golayout *out);

#endif
