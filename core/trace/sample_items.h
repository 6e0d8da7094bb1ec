/* SPDX-License-Identifier: BSD-2-Clause */
/* Items of chunks with samples (FORMAT.md, "Samples"). Private to core/trace. */
#ifndef GOTRACE_SAMPLE_ITEMS_H
#define GOTRACE_SAMPLE_ITEMS_H

#include "trace/samples.h"
#include "trace/tables.h"

/* Append one item. 0, -ENOMEM, -E2BIG (a string is too long); *b is unchanged then. */
int sample_put_process(struct bytes *b, const struct sample_process *p);
int sample_put_image(struct bytes *b, const struct sample_image *i);
int sample_put_labels(struct bytes *b, const struct sample_labels *l);
int sample_put_stack(struct bytes *b, const struct sample_stack *s);
int sample_put_symbol(struct bytes *b, const struct sample_symbol *s);
int sample_put_death(struct bytes *b, const struct sample_death *d);
int sample_put_location(struct bytes *b, const struct sample_location *l);
/* Appends the sample s. last is the sample before it in the chunk, zeroed at first, and becomes s.
 * type is that of the chunk: CHUNK_SAMPLES, CHUNK_STATED or CHUNK_WEIGHED. */
int sample_put(struct bytes *b, struct sample *last, const struct sample *s, unsigned type);

/* Adds the `count` items of a payload to t; type is one of CHUNK_PROCESSES to CHUNK_LOCATIONS or
 * CHUNK_STACKS. Returns NULL, or the fault ("" for no memory). */
const char *sample_get_table(struct sample_tables *t, unsigned type, const uint8_t *p, size_t len,
			     uint32_t count);
/* Reads the samples of a chunk of that type into `to`, which has room for count. Returns NULL, or
 * the fault ("" for no memory). */
const char *sample_get(const struct sample_tables *t, const uint8_t *p, size_t len, uint32_t count,
		       unsigned type, struct sample *to);

#endif
