// SPDX-License-Identifier: BSD-2-Clause
/* Perf maps, which any process may write, and the kernel's list, into their reader (libFuzzer;
 * ci/fuzz.sh). An input is a byte, which of both, and a file. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/foreign_file.h"
#include "symbols/name_list.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is handed out is a name of the list, for each address at the ends of what there is. */
static void look(const struct name_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct named *x = &l->list[i];

		if (!*x->name || (i && x->start < l->list[i - 1].start))
			abort();
		const char *at = name_list_at(l, x->start);

		if (!at || !*at || name_list_at(l, x->start) != at)
			abort();
		name_list_at(l, x->start - 1);
		name_list_at(l, x->start + x->size);
	}
	name_list_at(l, 0);
	name_list_at(l, UINT64_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[] = "/tmp/name_list_fuzz.XXXXXX";
	struct name_list l = { 0 };
	const int fd = size ? mkstemp(path) : -1;

	if (!size)
		return 0;
	if (fd < 0 || write(fd, data + 1, size - 1) != (ssize_t)(size - 1))
		abort();
	close(fd);
	const int err = data[0] & 1 ? name_list_kallsyms(&l, path)
				    : name_list_perf_map(&l, path, geteuid(), UINT64_MAX);

	/* Each name has a byte or more of the file, and a line that ends it. */
	if (l.n_bytes > size || l.n > size / 4 + 1 || (err && l.n && !(data[0] & 1)))
		abort();
	if (!err)
		look(&l);
	name_list_free(&l);
	unlink(path);
	return 0;
}
