// SPDX-License-Identifier: BSD-2-Clause
/* What the code at an address of a process is. */
#include <unistd.h>

#include "sample/go_chain.h"
#include "sample/processes_room.h"

size_t processes_images(const struct processes *p, uint32_t pid, uint64_t ts_ns)
{
	const struct process *one = process_find(p, pid, ts_ns);

	return one ? one->n_images : 0;
}

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

/* No file has the code at this pc. */
static bool is_made_at_run_time(const struct processes *p, const struct sample_record *r,
				uint64_t pc)
{
	const struct sample_image *i = image_at(p, r->pid, r->h.ts_ns, pc);

	/* The kernel tells of such a mapping a moment later than of a file's. */
	return i ? i->kind == IMAGE_PERF_MAP
		 : !(pc >> SAMPLE_USER_BITS) && processes_images(p, r->pid, r->h.ts_ns) > 0;
}

/* No thread begins in code that was made at run time. It may use rbp as it likes: where that is 0
 * the walk ends, and the callers are not known. So it is where there are tables, and the walk did
 * not have them. */
bool processes_lost_callers(const struct processes *p, const struct sample_record *r)
{
	const struct process *one = process_find(p, r->pid, r->h.ts_ns);

	if (r->flags & SAMPLE_NO_IMAGES && one && one->has_tables)
		return true;
	return r->n_user && is_made_at_run_time(p, r, r->pcs[r->n_kernel + r->n_user - 1]);
}

/* The kernel maps the page in which the code begins. */
static uint64_t bias_of(const struct process *one, const struct sample_binary *b)
{
	return one->code_start - (b->start_code & -(uint64_t)sysconf(_SC_PAGESIZE));
}

bool processes_reach_root(const struct processes *p, const struct sample_record *r,
			  uint32_t *n_user)
{
	const struct process *one = r->flags & SAMPLE_NO_BINARY
					    ? process_find(p, r->pid, r->h.ts_ns)
					    : NULL;
	struct sample_binary b;

	return one && one->code_start && binaries_facts(p->binaries, one->binary, &b) &&
	       go_chain_ends(&b, bias_of(one, &b), r->pcs + r->n_kernel, n_user);
}
