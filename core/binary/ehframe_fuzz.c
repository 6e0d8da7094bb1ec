// SPDX-License-Identifier: BSD-2-Clause
/* Sections .eh_frame into their reader (libFuzzer; ci/fuzz.sh). */
#include <stdlib.h>

#include "binary/ehframe.h"
#include "binary/x86_64/x86_arch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ehframe e;

	if (!ehframe_parse(&e, &x86_arch, data, size, 0x1000, 10000))
		for (size_t i = 1; i < e.n; i++)
			if (e.rows[i].vaddr <= e.rows[i - 1].vaddr)
				abort();
	ehframe_free(&e);
	ehframe_parse_ranges(&e, data, size, 0x1000);
	for (size_t i = 0; i < e.n_ranges; i++)
		if (i && e.ranges[i].from < e.ranges[i - 1].from)
			abort();
	ehframe_free(&e);
	return 0;
}
