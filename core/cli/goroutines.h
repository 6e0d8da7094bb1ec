/* SPDX-License-Identifier: BSD-2-Clause */
/* The output of `gotrace goroutines`. */
#ifndef GOTRACE_GOROUTINES_H
#define GOTRACE_GOROUTINES_H

#include <stdbool.h>
#include <stdio.h>

#include "sample/goroutine_groups.h"
#include "trace/samples.h"

struct goroutines_shown {
	const struct goroutine_groups *groups; /* sorted */
	const struct wait_reasons *reasons;
	struct sample_tables tables; /* symbols of their addresses, for process 0 */
	pid_t pid;
	char comm[64];
	uint64_t again_ns;      /* time between the two looks, or 0 if there was one look */
	uint64_t look_ns;       /* duration of this look */
	size_t listed, claimed; /* goroutines that were looked at, and all */
	size_t limit;           /* most groups to print; 0: all */
	bool colour;
	unsigned width; /* columns of the terminal; 0: any number */
};

/* Finds the symbols of all addresses. Returns 0 or -errno (logged). */
int goroutines_name(struct goroutines_shown *s);
void goroutines_text(const struct goroutines_shown *s, FILE *out);
void goroutines_csv(const struct goroutines_shown *s, FILE *out);
void goroutines_json(const struct goroutines_shown *s, FILE *out);

#endif
