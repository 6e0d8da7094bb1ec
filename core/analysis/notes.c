// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/notes.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/vec.h"

void notes_add(struct notes *l, const char *fmt, ...)
{
	va_list ap;

	if (!l->err)
		l->err = vec_reserve(&l->lines, &l->cap, l->n + 1);
	if (l->err)
		return;
	va_start(ap, fmt);
	if (vasprintf(&l->lines[l->n], fmt, ap) < 0)
		l->err = -ENOMEM;
	else
		l->n++;
	va_end(ap);
}

void notes_free(struct notes *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->lines[i]);
	free(l->lines);
	*l = (struct notes){ 0 };
}
