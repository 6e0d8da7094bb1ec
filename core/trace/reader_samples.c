// SPDX-License-Identifier: BSD-2-Clause
/* The part of the reader that samples go through. */
#include <stdlib.h>

#include "base/log.h"
#include "base/vec.h"
#include "trace/reader_internal.h"
#include "trace/sample_items.h"

const char *reader_count_table(struct trace_reader *r, const struct chunk_head *h)
{
	static const uint32_t max[CHUNK_TYPES] = {
		[CHUNK_KVS] = KVS_MAX,           [CHUNK_FUNCS] = FUNCS_MAX,
		[CHUNK_SITES] = SITES_MAX,       [CHUNK_PCS] = PCS_MAX,
		[CHUNK_VALUES] = VALUE_DEFS_MAX, [CHUNK_PROCESSES] = PROCESSES_MAX,
		[CHUNK_IMAGES] = IMAGES_MAX,     [CHUNK_LABELS] = LABELS_MAX,
		[CHUNK_SYMBOLS] = FUNCS_MAX,     [CHUNK_LOCATIONS] = LOCATIONS_MAX,
		[CHUNK_DEATHS] = DEATHS_MAX,
	};

	r->tables_bytes += h->raw_bytes;
	r->items[h->type] += h->count;
	if (r->tables_bytes > TABLES_FREE_BYTES + TABLES_MAX_RATIO * r->off)
		return "its tables unpack to far more than tables do";
	if (r->tables_bytes > TABLES_MAX_BYTES || r->items[h->type] > max[h->type])
		return "its tables are larger than any may be";
	return NULL;
}

const char *reader_take_sample_table(struct trace_reader *r, const struct chunk_head *h)
{
	struct sample_tables *t = &r->tables;
	size_t stacks = t->n_stacks;

	if (!r->started)
		return "names of samples before the start of events";
	if (h->type == CHUNK_STACKS) {
		/* What is in it cannot take more than its bytes, each an address at most. */
		if (r->stack_pcs > STACK_PCS_FREE + STACK_PCS_RATIO * r->off)
			return "its stacks unpack to far more than stacks do";
	} else {
		const char *fault = reader_count_table(r, h);

		if (fault)
			return fault;
	}
	const char *fault = sample_get_table(t, h->type, r->unpacker.raw, h->raw_bytes, h->count);
	for (size_t i = stacks; i < t->n_stacks; i++)
		r->stack_pcs += t->stacks[i].n > STACK_MIN_PCS ? t->stacks[i].n : STACK_MIN_PCS;
	if (!fault && r->stack_pcs > STACK_PCS_FREE + STACK_PCS_RATIO * r->off)
		fault = "its stacks unpack to far more than stacks do";
	return fault;
}

const char *reader_take_samples(struct trace_reader *r, const struct chunk_head *h)
{
	if (!r->started)
		return "samples before the start of events";
	if (h->count > BLOCK_MAX_EVENTS)
		return "more samples than a chunk may have";
	r->n_block = 0;
	if (vec_reserve(&r->samples, &r->cap_samples, h->count))
		return "";
	const char *fault = sample_get(&r->tables, r->unpacker.raw, h->raw_bytes, h->count, h->type,
				       r->samples);
	if (!fault) {
		r->n_block = h->count;
		r->n_samples += h->count;
	}
	return fault;
}

const struct sample_tables *trace_reader_tables(const struct trace_reader *r)
{
	/* The order of locations is no part of what is read. */
	if (sample_tables_sort((struct sample_tables *)(uintptr_t)&r->tables)) {
		log_no_memory("%s: no memory for its symbols", r->name);
		return NULL;
	}
	return trace_reader_tables_so_far(r);
}

const struct sample_tables *trace_reader_tables_so_far(const struct trace_reader *r)
{
	return r->tables.n_processes ? &r->tables : NULL;
}

void trace_reader_on_resolve(struct trace_reader *r, sample_resolve_fn *resolve, void *ctx)
{
	r->resolve = resolve;
	r->resolve_ctx = ctx;
}

int trace_reader_resolve(struct trace_reader *r)
{
	if (!r->resolve || !trace_reader_tables(r))
		return 0;
	return r->resolve(r->resolve_ctx, &r->tables);
}

void reader_free_samples(struct trace_reader *r)
{
	free(r->samples);
	sample_tables_free(&r->tables);
}
