/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of languages by the addresses that stand for them in stacks. */
#ifndef GOTRACE_LANG_NAMES_H
#define GOTRACE_LANG_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash_index.h"
#include "sample/lang/lang.h"
#include "trace/samples.h"

/* Beyond that the names are dropped, and programs give them again. */
#define LANG_CODES_MAX  (1u << 16)
#define LANG_BYTES_MAX  (12u << 20)
#define LANG_NAME_BYTES 1100

struct lang_names {
	struct lang_function {
		char *name, *file;
		uint32_t line;
		uint64_t address;
	} * functions;
	size_t n, cap;
	struct hash_index by_name;
	/* The function of each code object, by the process's serial number. */
	struct lang_code {
		uint64_t code;
		uint32_t serial, function;
		uint32_t process, trace; /* where its name is, or will be; trace 0: nowhere */
	} * codes;
	size_t n_codes, cap_codes;
	struct hash_index by_code;
	size_t bytes;         /* all strings take so much, with what malloc takes besides */
	uint64_t n_addresses; /* how many were given, with those of dropped names */
	uint32_t trace;       /* number of the present trace, from 1 on */
	uint64_t n_dropped;   /* how often all were dropped */
	/* Addresses that the trace has no names for yet. */
	struct lang_unwritten {
		uint64_t address;
		uint32_t process, function; /* function: TRACE_NONE for LANG_UNREADABLE */
	} * unwritten;
	size_t n_unwritten, cap_unwritten;
	struct hash_index by_unwritten;
};

/* Returns true if there is no room for the names of another stack or another function. The caller
 * calls lang_names_write then. */
bool lang_names_full(const struct lang_names *l);

/* Takes the names of a function. Returns 0 or -ENOMEM. */
int lang_names_take(struct lang_names *l, const struct sample_code_record *r);
/* Returns the address of the function whose code is at `code` of the process with that serial
 * number, for stacks of process number `process`. Returns LANG_UNREADABLE if its names are not
 * known. */
uint64_t lang_names_address(struct lang_names *l, uint32_t serial, uint64_t code, uint32_t process);
/* Writes the names of addresses that were returned since the last call. Returns 0 or -errno of the
 * trace. */
int lang_names_write(struct lang_names *l, struct trace_writer *w);
/* Another trace begins. */
void lang_names_again(struct lang_names *l);
void lang_names_free(struct lang_names *l);

/* Makes UTF-8 of a text of the program, in at most `size` bytes with NUL. A text that was cut ends
 * with "...". Returns false if it could not be read. Control characters become '?'. */
bool lang_text(char *to, size_t size, const struct sample_text *t, const uint8_t *bytes,
	       size_t most);

#endif
