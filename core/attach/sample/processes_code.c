// SPDX-License-Identifier: BSD-2-Clause
/* What the code at an address of a process is. */
#include "attach/sample/processes_room.h"

size_t processes_images(const struct processes *p, uint32_t pid, uint64_t ts_ns)
{
	const struct process *one = process_find(p, pid, ts_ns);

	return one ? one->n_images : 0;
}

#define USER_BITS 47 /* addresses above are the kernel's, or say what is missing */

static const struct sample_image *image_at(const struct processes *p, uint32_t pid, uint64_t ts_ns,
					   uint64_t pc)
{
	const struct process *one = process_find(p, pid, ts_ns);

	for (size_t i = one ? one->n_images : 0; i-- > 0;)
		if (pc >= one->images[i].start && pc < one->images[i].end)
			return &one->images[i];
	return NULL;
}

bool processes_have_tables(struct processes *p, uint32_t pid, uint64_t ts_ns, uint64_t pc)
{
	const struct sample_image *i = image_at(p, pid, ts_ns, pc);

	return i && natives_know(p->natives, pid, i);
}

bool processes_made_at_run_time(const struct processes *p, uint32_t pid, uint64_t ts_ns,
				uint64_t pc)
{
	const struct sample_image *i = image_at(p, pid, ts_ns, pc);

	/* The kernel tells of such a mapping a moment later than of a file's. */
	return i ? i->kind == IMAGE_PERF_MAP
		 : !(pc >> USER_BITS) && processes_images(p, pid, ts_ns) > 0;
}
