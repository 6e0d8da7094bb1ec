/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arguments and results of a function, with their places at the function's entry and at its RETs.
 * The places follow from Go's ABIInternal (cmd/compile/abi-internal.md) and the types in DWARF.
 *
 * The input is untrusted. Lengths and offsets in the file are checked.
 */
#ifndef GOTRACE_GOVALUE_H
#define GOTRACE_GOVALUE_H

#include "binary/gobin.h"

/* The type of a value, for people. Numbers are those of the trace format. */
enum govalue_type {
	GOVALUE_INT = 1,
	GOVALUE_UINT,
	GOVALUE_FLOAT,
	GOVALUE_BOOL,
	GOVALUE_STRING,
	GOVALUE_POINTER, /* also a func, an unsafe.Pointer */
	GOVALUE_LENGTH,  /* length of a slice, a map or a channel */
	GOVALUE_TYPE,    /* the type of the value in an interface */
	GOVALUE_TYPES,
};

#define GOVALUE_HOPS_MAX 4

enum govalue_source {
	GOVALUE_REG,   /* reg is the ordinal of an integer register */
	GOVALUE_FP,    /* reg is the ordinal of a floating-point register */
	GOVALUE_STACK, /* in memory; off[0] is from the return address's place */
};

/*
 * Without hops the value is in registers. Its first word is in `reg`, and a string's length in the
 * one after it. With hops it is in memory. The address is the source's word (or the place of the
 * return address) plus off[0]. Each further hop reads a pointer there and adds its off.
 */
struct govalue {
	uint8_t type;   /* enum govalue_type */
	uint8_t source; /* enum govalue_source */
	uint8_t reg;
	uint8_t bytes; /* size of a number: 1, 2, 4, 8 */
	uint8_t n_hops;
	/* GOVALUE_LENGTH: the word is a pointer to memory that begins with the length */
	bool counted;
	bool has_itab; /* GOVALUE_TYPE: the word is a pointer to an itab, else to the type itself */
	int32_t off[GOVALUE_HOPS_MAX];
};

struct godebug; /* the binary's DWARF, opened */

/* Returns NULL with errno ENOENT when the binary has no DWARF, EBADMSG or ENOMEM. Logs nothing.
 * Borrows b. */
struct godebug *godebug_open(const struct gobin *b);
void godebug_close(struct godebug *d);

struct gosignature; /* a function's arguments and results */

/* Returns NULL with errno ENOENT when DWARF does not have f, or ENOMEM. */
struct gosignature *gosignature_read(struct godebug *d, const struct gofunc *f);
void gosignature_free(struct gosignature *s);

/* Returns the name of the i-th argument (the receiver is the first) or result, NULL when there are
 * no more. A result without a name is called by its number. */
const char *gosignature_name(const struct gosignature *s, bool result, size_t i);

/*
 * Finds the place of an expression's value. Expressions are NAME[.FIELD...], through embedded
 * structs and pointers, or *NAME... for the target of a pointer. A result also has its number as a
 * name. Returns 0, -ENOENT when there is no such value, or -ENOTSUP when values of its type or
 * place are not read. `why` then gets the reason, a clause.
 */
int gosignature_find(const struct gosignature *s, bool result, const char *expr, struct govalue *v,
		     char *why, size_t why_size);

/* Returns the name of the type whose descriptor is at that link-time address, NULL when it is not
 * known. The first call reads all types. */
const char *godebug_type_at(struct godebug *d, uint64_t vaddr);

#endif
