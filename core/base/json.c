// SPDX-License-Identifier: BSD-2-Clause
#include "base/json.h"

#include <inttypes.h>
#include <math.h>

#include "base/text_format.h"
#include "base/utf8.h"

void json_init(struct json *j, FILE *out, bool pretty)
{
	*j = (struct json){ .out = out, .pretty = pretty };
}

static void newline(struct json *j)
{
	if (!j->pretty)
		return;
	fputc('\n', j->out);
	for (unsigned i = 0; i < j->level; i++)
		fputs("  ", j->out);
}

static void before_item(struct json *j)
{
	if (j->after_key) {
		j->after_key = false;
		return;
	}
	if (j->has_item >> j->level & 1)
		fputc(',', j->out);
	j->has_item |= 1ull << j->level;
	if (j->level)
		newline(j);
}

void json_open(struct json *j, char bracket)
{
	before_item(j);
	fputc(bracket, j->out);
	j->level++;
	j->has_item &= ~(1ull << j->level);
}

void json_close(struct json *j, char bracket)
{
	bool any = j->has_item >> j->level & 1;

	j->level--;
	if (any)
		newline(j);
	fputc(bracket, j->out);
	if (!j->level)
		fputc('\n', j->out);
}

/* Of s, up to the first byte that is written as another one. */
static size_t plain_bytes(const struct json *j, const char *s)
{
	size_t n = 0;

	while (s[n] >= 0x20 && s[n] < 0x7f && s[n] != '"' && s[n] != '\\' &&
	       !(s[n] == '<' && j->in_html))
		n++;
	return n;
}

static void quoted(struct json *j, const char *s)
{
	fputc('"', j->out);
	for (;;) {
		const size_t plain = plain_bytes(j, s);

		fwrite(s, 1, plain, j->out);
		s += plain;
		if (!*s)
			break;
		int n = utf8_len(s);

		if (n == 0) {
			fputs("\\ufffd", j->out);
			s++;
		} else if (n > 1 && text_control(s)) {
			if (n == 2)
				fprintf(j->out, "\\u%04x", (unsigned char)s[1]);
			else
				text_escape(j->out, s, n);
			s += n;
		} else if (n > 1) {
			fwrite(s, 1, n, j->out);
			s += n;
		} else {
			if (*s == '"' || *s == '\\')
				fprintf(j->out, "\\%c", *s);
			else
				fprintf(j->out, "\\u%04x", (unsigned)*s);
			s++;
		}
	}
	fputc('"', j->out);
}

void json_key(struct json *j, const char *key)
{
	before_item(j);
	quoted(j, key);
	fputs(j->pretty ? ": " : ":", j->out);
	j->after_key = true;
}

void json_str(struct json *j, const char *s)
{
	before_item(j);
	if (s)
		quoted(j, s);
	else
		fputs("null", j->out);
}

void json_u64(struct json *j, uint64_t v)
{
	before_item(j);
	fprintf(j->out, "%" PRIu64, v);
}

void json_i64(struct json *j, int64_t v)
{
	before_item(j);
	fprintf(j->out, "%" PRId64, v);
}

void json_double(struct json *j, double v)
{
	before_item(j);
	if (isfinite(v))
		fprintf(j->out, "%.17g", v);
	else
		fputs("null", j->out);
}

void json_decimal(struct json *j, uint64_t v, unsigned decimals)
{
	uint64_t unit = 1;

	for (unsigned i = 0; i < decimals; i++)
		unit *= 10;
	before_item(j);
	fprintf(j->out, "%" PRIu64 ".%0*" PRIu64, v / unit, (int)decimals, v % unit);
}

void json_bool(struct json *j, bool v)
{
	before_item(j);
	fputs(v ? "true" : "false", j->out);
}

void json_null(struct json *j)
{
	json_str(j, NULL);
}

void json_kv_str(struct json *j, const char *key, const char *s)
{
	json_key(j, key);
	json_str(j, s);
}

void json_kv_u64(struct json *j, const char *key, uint64_t v)
{
	json_key(j, key);
	json_u64(j, v);
}

void json_kv_bool(struct json *j, const char *key, bool v)
{
	json_key(j, key);
	json_bool(j, v);
}
