/* SPDX-License-Identifier: BSD-2-Clause */
/* What `gotrace goroutines` shows, and how. */
#ifndef GOTRACE_GOROUTINES_H
#define GOTRACE_GOROUTINES_H

#include <stdbool.h>
#include <stdio.h>

#include "attach/sample/goroutine_groups.h"
#include "trace/samples.h"

struct goroutines_shown {
	const struct goroutine_groups *groups; /* sorted */
	const struct wait_reasons *reasons;
	struct sample_tables tables; /* symbols of their addresses, of process 0 */
	pid_t pid;
	char comm[64];
	uint64_t again_ns;      /* from the look before to this one; 0: there was one look only */
	uint64_t look_ns;       /* how long this one took */
	size_t listed, claimed; /* so many were looked at, of so many */
	size_t limit;           /* groups; 0: all */
	bool colour;
	unsigned width; /* columns of the terminal; 0: any */
};

/* Finds the symbols of all addresses. 0 or -errno (logged). */
int goroutines_name(struct goroutines_shown *s);
void goroutines_text(const struct goroutines_shown *s, FILE *out);
void goroutines_csv(const struct goroutines_shown *s, FILE *out);
void goroutines_json(const struct goroutines_shown *s, FILE *out);

#endif
