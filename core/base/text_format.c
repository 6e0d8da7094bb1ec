// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/text_format.h"
#include "base/utf8.h"

#define DEEPEST_INDENT 40

const char *human_ns(uint64_t ns, char buf[16])
{
	static const struct {
		double limit, unit;
		const char *name;
	} units[] = {
		{ 999.5e3, 1e3, "us" },
		{ 999.5e6, 1e6, "ms" },
		{ 1e300, 1e9, "s" },
	};
	unsigned u = 0;

	if (ns < 1000) {
		snprintf(buf, 16, "%uns", (unsigned)ns);
		return buf;
	}
	while ((double)ns >= units[u].limit)
		u++;
	double v = (double)ns / units[u].unit;

	snprintf(buf, 16, "%.*f%s", v < 9.995 ? 2 : v < 99.95 ? 1 : 0, v, units[u].name);
	return buf;
}

const char *human_count(uint64_t n, char buf[16])
{
	static const char units[] = "kMGTPE";
	double v = (double)n / 1e3;
	unsigned u = 0;

	if (n < 100000) {
		snprintf(buf, 16, "%u", (unsigned)n);
		return buf;
	}
	for (; v >= 999.5; v /= 1e3)
		u++;
	snprintf(buf, 16, "%.*f%c", v < 9.995 ? 2 : v < 99.95 ? 1 : 0, v, units[u]);
	return buf;
}

double share_pct(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

int text_width(uint64_t n, int least)
{
	int w = snprintf(NULL, 0, "%" PRIu64, n);

	return w > least ? w : least;
}

const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

void text_style(FILE *out, enum text_style style)
{
	static const char *const codes[] = {
		[STYLE_NONE] = "",           [STYLE_BOLD] = "\033[1m",     [STYLE_DIM] = "\033[2m",
		[STYLE_REASON] = "\033[36m", [STYLE_WARNING] = "\033[33m", [STYLE_END] = "\033[0m",
	};

	fputs(codes[style], out);
}

void text_heading(bool colour, FILE *out, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fputs(colour ? "\033[1m" : "", out);
	vfprintf(out, fmt, ap);
	fputs(colour ? "\033[0m\n" : "\n", out);
	va_end(ap);
}

int text_control(const char *s)
{
	const unsigned char *c = (const unsigned char *)s;

	if (!*c)
		return 0;
	if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0)
		return 2; /* U+0080 to U+009F */
	/* U+202A to U+202E, U+2066 to U+2069: what follows is shown in another order. */
	if (c[0] == 0xe2 && ((c[1] == 0x80 && c[2] >= 0xaa && c[2] <= 0xae) ||
			     (c[1] == 0x81 && c[2] >= 0xa6 && c[2] <= 0xa9)))
		return 3;
	return *c < 0x20 || *c == 0x7f;
}

int text_char(const char *s, bool *unsafe)
{
	int control = text_control(s), len = utf8_len(s);

	*unsafe = control || !len;
	return control ? control : len ? len : 1;
}

void text_escape(FILE *out, const char *s, int n)
{
	const unsigned char last = (unsigned char)s[n - 1];

	if (n == 3)
		fprintf(out, "\\u%04x",
			0x2000u | ((unsigned char)s[1] & 0x3fu) << 6 | (last & 0x3fu));
	else /* of a C1 character the second byte is its code */
		fprintf(out, "\\x%02x", last);
}

/* Returns the number of bytes of s up to its end, its first unsafe character or its first `stop`.
 */
static size_t safe_bytes(const char *s, char stop)
{
	bool unsafe = false;
	size_t n = 0;

	while (s[n] && s[n] != stop) {
		int len = s[n] >= ' ' && s[n] <= '~' ? 1 : text_char(s + n, &unsafe);

		if (unsafe)
			break;
		n += (size_t)len;
	}
	return n;
}

void text_safe(FILE *out, const char *s)
{
	for (;;) {
		bool unsafe;
		size_t n = safe_bytes(s, '\0');

		fwrite(s, 1, n, out);
		s += n;
		if (!*s)
			return;
		int len = text_char(s, &unsafe);

		text_escape(out, s, len);
		s += len;
	}
}

int text_indent(FILE *out, uint64_t level, unsigned room)
{
	const uint64_t most = room && room / 2 < DEEPEST_INDENT ? room / 2 : DEEPEST_INDENT;
	int n = fprintf(out, "%*s", (int)(2 * (level < most ? level : most)), "");

	if (level > most)
		n += fprintf(out, "[%" PRIu64 "] ", level);
	return n;
}

int text_stream_close(FILE *f, char **text)
{
	bool failed = fflush(f) || ferror(f);

	if (!fclose(f) && !failed && *text)
		return 0;
	free(*text);
	*text = NULL;
	return -ENOMEM;
}

void text_frame(FILE *out, const char *name)
{
	for (;;) {
		bool unsafe;
		size_t n = safe_bytes(name, ';');

		fwrite(name, 1, n, out);
		name += n;
		if (!*name)
			return;
		name += text_char(name, &unsafe);
		fputc(unsafe ? ' ' : ',', out);
	}
}
