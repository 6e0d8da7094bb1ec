/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A streaming JSON writer. It writes commas and escapes. With `pretty` it indents by two spaces a
 * level, otherwise it writes no layout. It writes U+FFFD for each byte of a string that is not
 * UTF-8.
 */
#ifndef GOTRACE_JSON_H
#define GOTRACE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
	FILE *out;
	bool pretty;
	/* to be set after json_init; escapes '<', so that no string ends a script element */
	bool in_html;
	unsigned level;
	uint64_t has_item; /* bit l: level l has an item already */
	bool after_key;
};

void json_init(struct json *j, FILE *out, bool pretty); /* borrows out; at most 63 levels */
void json_open(struct json *j, char bracket);           /* '{' or '[' */
void json_close(struct json *j, char bracket);          /* '}' or ']' */
void json_key(struct json *j, const char *key);
void json_str(struct json *j, const char *s); /* NULL writes null */
void json_u64(struct json *j, uint64_t v);
void json_i64(struct json *j, int64_t v);
void json_double(struct json *j, double v); /* writes null for a number that is not finite */
/* Writes v / 10^decimals with all its digits, for example nanoseconds as milliseconds. decimals is
 * 1 to 9. */
void json_decimal(struct json *j, uint64_t v, unsigned decimals);
void json_bool(struct json *j, bool v);
void json_null(struct json *j);

/* write a key and its value */
void json_kv_str(struct json *j, const char *key, const char *s);
void json_kv_u64(struct json *j, const char *key, uint64_t v);
void json_kv_bool(struct json *j, const char *key, bool v);

#endif
