/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The processors whose programs gotrace reads. A program's ELF header says which is its own, so any
 * host reads the programs of each. A folder of the processor's name has all that knows it.
 */
#ifndef GOTRACE_ARCH_H
#define GOTRACE_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arch_code; /* binary/arch_code.h */
struct arch_text; /* binary/disasm.h */
struct gobin;
struct gofunc;

#define ARCH_INT_REGS_MAX 16

/* Registers of Go's ABIInternal, by their ordinals (cmd/compile/abi-internal.md). */
struct arch_values {
	uint8_t n_ints, n_floats;
	uint8_t dwarf_ints[ARCH_INT_REGS_MAX]; /* DWARF's number of each integer register */
	uint8_t dwarf_float; /* DWARF's number of the first of the floating-point registers */
};

/* DWARF's numbers of the registers that lead from a frame to its caller. */
struct arch_frames {
	uint8_t sp, fp;
	/* A call pushes the return address, which is right below the CFA then. Only such
	 * processors get rows. */
	bool return_on_stack;
	/* bytes of the CFA's expression that the linker writes for a procedure linkage table; it
	 * begins with the stack pointer */
	uint8_t plt_expression_bytes;
};

/* Clauses for people that name registers and instructions. */
struct arch_words {
	/* the reasons not to probe a function */
	const char *assembly, *abi0, *refused;
	const char *sp_changes; /* the reason why an entry is at the first byte */
};

struct arch {
	const char *name;        /* "x86-64", in messages */
	const char *goarch;      /* "amd64", the value of GOARCH */
	uint16_t elf_machine;    /* e_machine */
	uint32_t relative_reloc; /* the relocation that adds the load address and nothing else */
	uint8_t pc_quantum;      /* the unit of the pc-value tables in bytes (pclntab's header) */
	uint8_t padding;         /* the byte that is between functions */
	struct arch_values values;
	struct arch_frames frames;
	struct arch_words words;
	bool has_stubs; /* core/plan has stubs for it, and `code` finds their windows */

	/* The instructions that runtime.sigtramp begins with in Go 1.19 to 1.27. In a program where
	 * it begins otherwise, nobody may change it. */
	const uint8_t *sigtramp;
	uint8_t sigtramp_bytes;

	/* Does what gobin_tls_g does. */
	int (*tls_of_g)(const struct gobin *b, int64_t *off);
	/* Does what gobin_text_writers does. */
	void (*text_writers)(const struct gobin *b, void (*fn)(void *ctx, const struct gofunc *f),
			     void *ctx);
	/* The following look at the instruction at p, which is linked to vaddr. `left` bytes may be
	 * read from p on. */
	/* Returns the address that it takes by its distance, alone or with the next instruction. 0:
	 * it does nothing of the kind. */
	uint64_t (*address_taken)(const uint8_t *p, size_t left, uint64_t vaddr);
	/* Returns such an address from which it loads a word of 8 bytes. *n is the number of words
	 * there, 2 at most. */
	uint64_t (*words_loaded)(const uint8_t *p, size_t left, uint64_t vaddr, unsigned *n);
	/* Returns the address that it calls, 0 when it calls none directly. */
	uint64_t (*called)(const uint8_t *p, size_t left, uint64_t vaddr);
	/* Returns true when it compares a byte-sized first result or argument with a constant, *n.
	 */
	bool (*byte_compared)(const uint8_t *p, size_t left, uint8_t *n);

	const struct arch_code *code;
	const struct arch_text *text;
};

/* Returns the processor with that e_machine, NULL when it is none of those. */
const struct arch *arch_of_machine(uint16_t elf_machine);
/* Writes the names of all processors, "x86-64" or "a, b or c", or their GOARCH. */
void arch_names(bool goarch, char *out, size_t size);

#endif
