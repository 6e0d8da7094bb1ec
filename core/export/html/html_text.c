// SPDX-License-Identifier: BSD-2-Clause
#include <stdlib.h>

#include "base/vec.h"
#include "export/html/html.h"

#define MOST_DIGITS 13 /* of 64 bits, five a digit */

void html_put(struct html_text *t, uint64_t v)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

	if (!t->err)
		t->err = vec_reserve(&t->s, &t->cap, t->n + MOST_DIGITS + 1);
	if (t->err)
		return;
	do {
		t->s[t->n++] = digits[(v & 31) | (v > 31 ? 32 : 0)];
		v >>= 5;
	} while (v);
	t->s[t->n] = '\0';
}

int html_column(struct json *j, const char *key, struct html_text *t)
{
	int err = t->err;

	json_kv_str(j, key, t->n ? t->s : "");
	free(t->s);
	*t = (struct html_text){ 0 };
	return err;
}

int html_code(struct html_codes *c, uint32_t code)
{
	int err = c->n && c->all[c->n - 1] == code ? 0 : vec_reserve(&c->all, &c->cap, c->n + 1);

	if (!err && !(c->n && c->all[c->n - 1] == code))
		c->all[c->n++] = code;
	return err;
}
