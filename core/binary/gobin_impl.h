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
	/* of moduledata; gofunc 0 before Go 1.18 or when not found */
	uint64_t text, etext, gofunc;

	/* From .symtab; 0 when it is gone. */
	uint64_t sym_text, sym_etext, sym_moduledata;
	int64_t sym_tlsg;
	bool has_sym_tlsg;

	struct gofunc *funcs;
	size_t n_funcs;
	struct hash_index
		by_name; /* indexes into funcs; of one name's that with the lowest vaddr */
	/* names that had to be copied */
	char **names;
	size_t n_names, cap_names;

	char *version;
	int minor;
	char *modinfo; /* cut into strings by buildinfo_read */
	struct gomodule main_module;
	char *build_id;
};

/* .go.buildinfo: version, modules. 0, -ENOENT without logging when there is none
 * or it cannot be understood, -ENOMEM. */
int buildinfo_read(struct gobin *b);
/* The build id notes. 0 (build_id may be ""), -ENOMEM. */
int buildid_read(struct gobin *b);

/* moduledata: text, etext, gofunc; completes pcln.text_start. 0, or -EBADMSG
 * when the text's start is known from nowhere. Logs nothing. */
int moduledata_read(struct gobin *b);

/* Fills funcs from pclntab and .symtab. 0, -EBADMSG (logged), -ENOMEM. */
int gofuncs_read(struct gobin *b);
/* Addresses of the few symbols that help elsewhere (sym_*). */
void gosyms_special(struct gobin *b);
/* Calls fn for each symbol of .symtab that has a name; stops at a negative result and returns it.
 */
struct gosym {
	const char *name;
	uint64_t value, size;
	uint8_t type; /* STT_* */
};
int gosyms_each(const struct gobin *b, int (*fn)(void *ctx, const struct gosym *sym), void *ctx);

/* Logs in one line why a file without a function table is not for gotrace. -ENOTSUP: packed, or of
 * another compiler; -ENOEXEC: not Go. */
int gokind_refuse(const struct gobin *b);

/* Layout from DWARF: 0, -ENOENT when there is none or it lacks runtime.g. Logs nothing. */
int godwarf_layout(const struct gobin *b, struct golayout *out);
/* Layout of Go 1.MINOR from the table. 0 or -ENOENT. Logs nothing. */
int golayout_by_minor(int minor, struct golayout *out);

#endif
