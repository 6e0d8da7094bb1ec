// SPDX-License-Identifier: BSD-2-Clause
#include "trace/trace_values.h"

#include <inttypes.h>
#include <string.h>

#include "base/text_format.h"
#include "base/varint.h"
#include "bpf/event.h"
#include "trace/format.h"

/* ---- bytes */

static bool has_text(uint8_t type)
{
	return type == TRACE_VALUE_STRING || type == TRACE_VALUE_TYPE;
}

uint8_t *trace_value_put(uint8_t *p, const struct trace_value *v)
{
	uint64_t bits;

	*p++ = v->how;
	if (v->how != VALUE_OK && v->how != VALUE_NO_TEXT)
		return p;
	if (v->type == TRACE_VALUE_INT) {
		p = varint_put(p, zigzag(v->v.i));
	} else if (v->type == TRACE_VALUE_FLOAT) {
		memcpy(&bits, &v->v.f, sizeof(bits));
		p = put_u64(p, bits);
	} else if (v->type != TRACE_VALUE_TYPE) {
		p = varint_put(p, v->v.u);
	}
	if (!has_text(v->type) || v->how == VALUE_NO_TEXT)
		return p;
	p = varint_put(p, v->text_bytes);
	if (v->text_bytes)
		memcpy(p, v->text, v->text_bytes);
	return p + v->text_bytes;
}

static const uint8_t *get_text(const uint8_t *p, const uint8_t *end, struct trace_value *v)
{
	uint64_t n;

	p = varint_get(p, end, &n);
	if (!p || n > TRACE_VALUE_TEXT_MAX || n > (size_t)(end - p))
		return NULL;
	v->text = (const char *)p;
	v->text_bytes = n;
	return p + n;
}

const uint8_t *trace_value_get(const uint8_t *p, const uint8_t *end, uint8_t type,
			       struct trace_value *v)
{
	uint64_t bits = 0;

	*v = (struct trace_value){ .type = type, .text = "" };
	if (p == end || *p > VALUE_HOW_MAX)
		return NULL;
	v->how = *p++;
	if (v->how != VALUE_OK && v->how != VALUE_NO_TEXT)
		return p;
	if (type == TRACE_VALUE_FLOAT) {
		if (end - p < 8)
			return NULL;
		bits = get_u64(p);
		memcpy(&v->v.f, &bits, sizeof(bits));
		p += 8;
	} else if (type != TRACE_VALUE_TYPE) {
		p = varint_get(p, end, &bits);
		if (type == TRACE_VALUE_INT)
			v->v.i = unzigzag(bits);
		else
			v->v.u = bits;
	}
	return p && has_text(type) && v->how == VALUE_OK ? get_text(p, end, v) : p;
}

/* ---- text */

static void put_text(FILE *out, const char *s, size_t n, bool quoted)
{
	char copy[TRACE_VALUE_TEXT_MAX + 1];
	bool unsafe;

	memcpy(copy, s, n);
	copy[n] = '\0';
	for (size_t i = 0; i < n;) {
		int len = copy[i] ? text_char(copy + i, &unsafe) : 1;

		if (!copy[i]) {
			fputs("\\x00", out);
		} else if (quoted && (copy[i] == '"' || copy[i] == '\\')) {
			fprintf(out, "\\%c", copy[i]);
		} else if (copy[i] == '\n' || copy[i] == '\t') {
			fputs(copy[i] == '\n' ? "\\n" : "\\t", out);
		} else {
			if (unsafe)
				text_escape(out, copy + i, len);
			else
				fwrite(copy + i, 1, (size_t)len, out);
		}
		i += (size_t)len;
	}
}

static const char *unread(uint8_t how)
{
	return how == VALUE_NIL ? "?nil" : how == VALUE_IN_XMM ? "?xmm" : "?fault";
}

static void put(FILE *out, const struct trace_value *v, bool quoted)
{
	if (v->how != VALUE_OK) {
		fputs(unread(v->how), out);
		if (v->how == VALUE_NO_TEXT && quoted)
			fprintf(out, " (%" PRIu64 " bytes)", v->v.u);
		return;
	}
	switch (v->type) {
	case TRACE_VALUE_INT:
		fprintf(out, "%" PRId64, v->v.i);
		break;
	case TRACE_VALUE_FLOAT:
		fprintf(out, "%.15g", v->v.f);
		break;
	case TRACE_VALUE_BOOL:
		fputs(v->v.u ? "true" : "false", out);
		break;
	case TRACE_VALUE_POINTER:
		fprintf(out, v->v.u ? "0x%" PRIx64 : "nil", v->v.u);
		break;
	case TRACE_VALUE_LENGTH:
		fprintf(out, "len %" PRIu64, v->v.u);
		break;
	case TRACE_VALUE_TYPE:
		put_text(out, v->text_bytes ? v->text : "nil", v->text_bytes ? v->text_bytes : 3,
			 false);
		break;
	case TRACE_VALUE_STRING:
		fputs(quoted ? "\"" : "", out);
		put_text(out, v->text, v->text_bytes, quoted);
		fputs(quoted ? "\"" : "", out);
		if (v->text_bytes < v->v.u && quoted)
			fprintf(out, "... (%" PRIu64 " bytes)", v->v.u);
		else if (v->text_bytes < v->v.u)
			fputs("...", out);
		break;
	default:
		fprintf(out, "%" PRIu64, v->v.u);
	}
}

void trace_value_text(FILE *out, const struct trace_value *v)
{
	put(out, v, true);
}

void trace_value_plain(FILE *out, const struct trace_value *v)
{
	put(out, v, false);
}

size_t trace_values_text(FILE *out, const struct trace_value_def *defs,
			 const struct trace_values *v, bool arguments, bool results)
{
	const uint8_t *p = v->data, *end = p + v->bytes;
	size_t n = 0;

	for (uint32_t i = 0; i < v->n; i++) {
		const struct trace_value_def *d = &defs[v->first + i];
		struct trace_value one;

		p = trace_value_get(p, end, d->type, &one);
		if (!p)
			break;
		if (!(d->result ? results : arguments))
			continue;
		fputs(n++ ? " " : "", out);
		text_safe(out, d->name);
		fputc('=', out);
		trace_value_text(out, &one);
	}
	return n;
}
