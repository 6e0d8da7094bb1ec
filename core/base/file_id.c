// SPDX-License-Identifier: BSD-2-Clause
#include "base/file_id.h"

#include <stdio.h>
#include <string.h>

#define MARK       "Go"
#define MARK_BYTES 2
#define DIGITS     20 /* of a part, 6 bits each */

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

bool file_id_of_go(const char *build_id, size_t n, uint8_t id[FILE_ID_GO_BYTES])
{
	if (n < DIGITS + 1 || build_id[n - DIGITS - 1] != '/')
		return false;
	const char *part = build_id + n - DIGITS;

	memcpy(id, MARK, MARK_BYTES);
	for (size_t i = 0; i < DIGITS; i += 4) {
		uint32_t bits = 0;

		for (size_t k = i; k < i + 4; k++) {
			const char *at = part[k] ? strchr(digits, part[k]) : NULL;

			if (!at)
				return false;
			bits = bits << 6 | (uint32_t)(at - digits);
		}
		id[MARK_BYTES + i / 4 * 3] = (uint8_t)(bits >> 16);
		id[MARK_BYTES + i / 4 * 3 + 1] = (uint8_t)(bits >> 8);
		id[MARK_BYTES + i / 4 * 3 + 2] = (uint8_t)bits;
	}
	return true;
}

bool file_id_is_go(const uint8_t *id, size_t n)
{
	return n == FILE_ID_GO_BYTES && !memcmp(id, MARK, MARK_BYTES);
}

void file_id_text(const uint8_t *id, size_t n, char text[FILE_ID_TEXT_BYTES])
{
	*text = '\0';
	if (!file_id_is_go(id, n)) {
		for (size_t i = 0; i < n; i++)
			snprintf(text + 2 * i, 3, "%02x", id[i]);
		return;
	}
	char *to = text + snprintf(text, FILE_ID_TEXT_BYTES, "go:");

	for (const uint8_t *p = id + MARK_BYTES; p < id + n; p += 3) {
		const uint32_t bits = (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];

		for (int shift = 18; shift >= 0; shift -= 6)
			*to++ = digits[bits >> shift & 63];
	}
	*to = '\0';
}
