/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Go's function table, as the linker writes it (cmd/link/internal/ld/pcln.go)
 * and the runtime reads it (runtime/symtab.go). Private to core/binary.
 */
#ifndef GOTRACE_PCLNTAB_H
#define GOTRACE_PCLNTAB_H

#include "binary/elffile.h"

/* Header magics, internal/abi/symtab.go. */
#define PCLNTAB_MAGIC_12  0xfffffffbu /* Go 1.2 to 1.15 */
#define PCLNTAB_MAGIC_116 0xfffffffau /* Go 1.16, 1.17 */
#define PCLNTAB_MAGIC_118 0xfffffff0u /* Go 1.18, 1.19 */
#define PCLNTAB_MAGIC_120 0xfffffff1u /* Go 1.20 and newer */

struct pclntab {
	uint64_t vaddr;     /* address of the header */
	const uint8_t *tab; /* start of the header, from which all offsets below count */
	uint64_t len;       /* bytes readable from tab */
	uint32_t magic;
	uint8_t quantum; /* bytes that a pc in the pc-value tables counts */
	uint64_t n_funcs;
	uint64_t text_start; /* 0 from Go 1.26 on, until moduledata fills it in */
	uint64_t name_off, cu_off, file_off, pc_off, func_off;
};

/* One _func of runtime/runtime2.go, whatever the version's layout. */
struct pclnfunc {
	uint64_t entry; /* vaddr */
	uint32_t name_off, pcsp, pcfile, pcln, n_pcdata, cu_off, start_line;
	uint8_t func_id, flag, n_funcdata;
	uint64_t data_off; /* offset of pcdata[0] from tab */
};

/* Finds the table by section name, else by its magic. Returns 0, -ENOENT when the file has none,
 * -ENOTSUP when it is Go 1.15's or older, or -EBADMSG when corrupt. Returns -EPROTO when all of its
 * header but the magic makes sense. Logs nothing. */
int pclntab_find(const struct elffile *e, struct pclntab *out);

/* Reads entry i of the ftab, 0 <= i <= n_funcs. Entry n_funcs is the end of the text and has no
 * func_off. Returns 0 or -EBADMSG. */
int pclntab_entry(const struct pclntab *t, const struct elffile *e, uint64_t i, uint64_t *entry,
		  uint64_t *func_off);
/* Reads the _func at func_off (from pclntab_entry). Returns 0 or -EBADMSG. */
int pclntab_func(const struct pclntab *t, const struct elffile *e, uint64_t func_off,
		 struct pclnfunc *out);
/* Returns the NUL-terminated string at `base` + off inside the table, NULL when it is not there. */
const char *pclntab_string(const struct pclntab *t, uint64_t base, uint64_t off);

/* Returns the name of file number file_no of f's compilation unit, inside the table. NULL when
 * there is none. */
const char *pclntab_file_name(const struct pclntab *t, const struct pclnfunc *f, int32_t file_no);

/* Walks one pc-value table. */
struct pcvalue {
	const uint8_t *p, *end;
	uint64_t pc; /* end of the value's range, exclusive */
	int32_t value;
	uint8_t quantum;
	bool first;
};
/* Begins at offset `table` in the pctab. Returns false when there is no such table. */
bool pcvalue_start(struct pcvalue *v, const struct pclntab *t, const struct pclnfunc *f,
		   uint32_t table);
/* Steps to the next range. Returns false at the end (also of a corrupt table). */
bool pcvalue_next(struct pcvalue *v);
/* Finds the value at vaddr. Returns 0, or -ENOENT when the table does not reach there. */
int pcvalue_at(const struct pclntab *t, const struct pclnfunc *f, uint32_t table, uint64_t vaddr,
	       int32_t *out);
/* Returns the offset in the pctab of f's PCDATA table i, 0 when it has none. */
uint32_t pclntab_pcdata(const struct pclntab *t, const struct pclnfunc *f, uint32_t i);
/* Returns the vaddr of f's FUNCDATA i, 0 when it has none. gofunc is moduledata.gofunc. */
uint64_t pclntab_funcdata(const struct pclntab *t, const struct elffile *e,
			  const struct pclnfunc *f, uint32_t i, uint64_t gofunc);

#endif
