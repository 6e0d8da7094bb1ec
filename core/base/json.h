/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A streaming JSON writer: commas and escapes are its business, layout is two
 * spaces an object level in "pretty" and nothing otherwise. Strings that are
 * not UTF-8 have each bad byte written as U+FFFD.
 */
#ifndef GOTRACE_JSON_H
#define GOTRACE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
	FILE *out;
	bool pretty;
	/* to be set after json_init: '<' is escaped, so that no string ends a script element */
	bool in_html;
	unsigned level;
	uint64_t has_item; /* bit l: something was written already at level l */
	bool after_key;
};

void json_init(struct json *j, FILE *out, bool pretty); /* borrows out; at most 63 levels */
void json_open(struct json *j, char bracket);           /* '{' or '[' */
void json_close(struct json *j, char bracket);          /* '}' or ']' */
void json_key(struct json *j, const char *key);
void json_str(struct json *j, const char *s); /* NULL writes null */
void json_u64(struct json *j, uint64_t v);
void json_i64(struct json *j, int64_t v);
void json_double(struct json *j, double v); /* not finite: null */
/* v / 10^decimals with all its digits, such as nanoseconds as milliseconds; decimals 1 to 9 */
void json_decimal(struct json *j, uint64_t v, unsigned decimals);
void json_bool(struct json *j, bool v);
void json_null(struct json *j);

/* key and value in one call */
void json_kv_str(struct json *j, const char *key, const char *s);
void json_kv_u64(struct json *j, const char *key, uint64_t v);
void json_kv_bool(struct json *j, const char *key, bool v);

#endif
