/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arguments and results in a trace (FORMAT.md, "Arguments"): their definitions, and the bytes of
 * each.
 */
#ifndef GOTRACE_TRACE_VALUES_H
#define GOTRACE_TRACE_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Kinds of values. The numbers are stable, and those of enum govalue_type. */
enum trace_value_type {
	TRACE_VALUE_INT = 1,
	TRACE_VALUE_UINT,
	TRACE_VALUE_FLOAT,
	TRACE_VALUE_BOOL,
	TRACE_VALUE_STRING,
	TRACE_VALUE_POINTER,
	TRACE_VALUE_LENGTH, /* the length of a slice, map or channel */
	TRACE_VALUE_TYPE,   /* the name of the type in an interface; empty for nil */
	TRACE_VALUE_TYPES,
};

/* An argument or a result that is recorded with calls of a function. */
struct trace_value_def {
	uint32_t func; /* index into funcs */
	bool result;
	uint8_t type; /* enum trace_value_type */
	char *name;   /* the name that the user gave */
};

/* The values of one event, those of the definitions [first, first + n). They follow each other in
 * [data, data + bytes). */
struct trace_values {
	uint32_t at; /* index of the event in its span */
	uint32_t first, n;
	uint32_t bytes;
	const uint8_t *data;
};

struct trace_value {
	uint8_t how; /* VALUE_* of bpf/event.h: whether it could be read */
	uint8_t type;
	union {
		int64_t i;
		uint64_t u;
		double f;
	} v; /* for a string, its length */
	/* for a string or a type, the stored part of it, without a NUL */
	const char *text;
	size_t text_bytes;
};

/* The longest text of a value. */
#define TRACE_VALUE_TEXT_MAX 1024

/* Returns the most bytes that trace_value_put may write. */
static inline size_t trace_value_room(const struct trace_value *v)
{
	return 24 + v->text_bytes;
}
/* Writes v, whose text is no longer than TRACE_VALUE_TEXT_MAX, at p; returns the end of it. */
uint8_t *trace_value_put(uint8_t *p, const struct trace_value *v);
/* Reads a value of that type from [p, end). Returns the place after it, or NULL when it is not
 * sound. v->text points into the bytes. */
const uint8_t *trace_value_get(const uint8_t *p, const uint8_t *end, uint8_t type,
			       struct trace_value *v);

/* Prints a value for people: -5, "text"... (500 bytes), len 3, *errors.errorString, nil, ?nil. */
void trace_value_text(FILE *out, const struct trace_value *v);
/* Prints a value without quotes, for names of groups: /index */
void trace_value_plain(FILE *out, const struct trace_value *v);

/* Prints "name=text" for each value, joined by blanks. `arguments` and `results` choose the values.
 * A result without a name is "=text". Returns the number of values printed. */
size_t trace_values_text(FILE *out, const struct trace_value_def *defs,
			 const struct trace_values *v, bool arguments, bool results);

#endif
