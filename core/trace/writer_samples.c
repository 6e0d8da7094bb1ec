// SPDX-License-Identifier: BSD-2-Clause
/* The part of the writer that samples go through. What they name is kept, to find what is the same,
 * and for whoever makes symbols of it at the end. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/hash_index.h"
#include "base/log.h"
#include "trace/sample_items.h"
#include "trace/writer_internal.h"

/* Chunks in the order in which they are written: each names only what is before it. */
static const uint16_t order[] = { CHUNK_PROCESSES, CHUNK_IMAGES,  CHUNK_LABELS,   CHUNK_STACKS,
				  CHUNK_DEATHS,    CHUNK_SYMBOLS, CHUNK_LOCATIONS };
#define N_ORDER (sizeof(order) / sizeof(order[0]))

struct writer_samples {
	struct sample_tables tables;
	struct hash_index by_stack, by_labels;
	struct table waiting[CHUNK_TYPES]; /* items that no chunk carries yet */
	struct table samples;
	struct sample last; /* of those */
	bool weighed;       /* those, and all later ones, are of CHUNK_WEIGHED */
	uint64_t first_ns, n;
	/* addresses of stacks in the file, as readers count them, and of those that wait */
	uint64_t pcs_written, pcs_waiting;
	bool logged[CHUNK_TYPES];
};

static struct writer_samples *get(struct trace_writer *w)
{
	if (!w->samples)
		w->samples = calloc(1, sizeof(*w->samples));
	if (!w->samples)
		log_no_memory("no memory for writing samples");
	return w->samples;
}

/* Of what is refused alone once is said why; no memory ends the trace. */
static int refuse(struct trace_writer *w, uint16_t type, const char *what, int err)
{
	if (err == -ENOMEM) {
		log_no_memory("no memory for writing samples");
		return chunk_file_refuse(w->file, err);
	}
	if (!w->samples->logged[type])
		log_warn("%s cannot be written into the trace: %s", what,
			 err == -E2BIG ? "there are too many, or a string is too long"
				       : "it names what is not there, or is too large");
	w->samples->logged[type] = true;
	return err;
}

/* As it is: where packing would make more of a file than a reader believes. */
static int put_plain(struct trace_writer *w, struct chunk_head *h, const struct table *t)
{
	h->stored_bytes = h->raw_bytes = (uint32_t)t->b.n;
	h->payload_crc = (uint32_t)crc32_z(0, t->b.data, t->b.n);
	return chunk_file_put_packed(w->file, h, t->b.data);
}

static int put_table(struct trace_writer *w, uint16_t type)
{
	struct writer_samples *s = w->samples;
	struct table *t = &s->waiting[type];
	struct chunk_head h = { .type = type, .count = t->count };
	const uint64_t file = chunk_file_bytes(w->file);
	bool plain;
	int err;

	if (!t->count)
		return 0;
	if (type == CHUNK_STACKS) {
		s->pcs_written += s->pcs_waiting;
		s->pcs_waiting = 0;
		plain = s->pcs_written > STACK_PCS_FREE + STACK_PCS_RATIO * file;
	} else {
		plain = w->tables_bytes + t->b.n > TABLES_FREE_BYTES + TABLES_MAX_RATIO * file;
	}
	if (!plain && type != CHUNK_STACKS)
		return writer_put_table(w, type, t);
	const struct block_piece piece = { t->b.data, t->b.n };
	if (type != CHUNK_STACKS)
		w->tables_bytes += t->b.n;
	err = plain ? put_plain(w, &h, t) : chunk_file_put(w->file, &h, &piece, 1);
	t->count = 0;
	t->b.n = 0;
	return err;
}

static uint16_t type_of(const struct writer_samples *s)
{
	return s->weighed ? CHUNK_WEIGHED : CHUNK_SAMPLES;
}

int writer_put_samples(struct trace_writer *w)
{
	struct writer_samples *s = w->samples;
	int err = 0;

	for (size_t i = 0; s && i < N_ORDER && !err; i++)
		err = put_table(w, order[i]);
	if (!s || err || !s->samples.count)
		return err;
	struct chunk_head h = { .type = type_of(s),
				.count = s->samples.count,
				.first_ns = s->first_ns };
	const struct block_piece piece = { s->samples.b.data, s->samples.b.n };
	err = chunk_file_hand_over(w->file, &h, &piece, 1);
	s->samples.count = 0;
	s->samples.b.n = 0;
	s->last = (struct sample){ 0 };
	return err;
}

uint64_t writer_samples(const struct trace_writer *w)
{
	return w->samples ? w->samples->n : 0;
}

uint64_t writer_samples_bytes_max(const struct trace_writer *w)
{
	const struct writer_samples *s = w->samples;
	uint64_t n = s ? chunk_bytes_max(s->samples.b.n) : 0;

	for (size_t i = 0; s && i < N_ORDER; i++)
		n += chunk_bytes_max(s->waiting[order[i]].b.n);
	return n;
}

void writer_free_samples(struct trace_writer *w)
{
	struct writer_samples *s = w->samples;

	if (!s)
		return;
	for (size_t i = 0; i < N_ORDER; i++)
		free(s->waiting[order[i]].b.data);
	free(s->samples.b.data);
	hash_index_free(&s->by_stack);
	hash_index_free(&s->by_labels);
	sample_tables_free(&s->tables);
	free(s);
}

const struct sample_tables *trace_writer_tables(const struct trace_writer *w)
{
	return w->samples ? &w->samples->tables : NULL;
}

/* An item waits; writes all when it is time to. */
static int wait_for(struct trace_writer *w, uint16_t type)
{
	struct table *t = &w->samples->waiting[type];

	t->count++;
	return t->b.n >= TABLE_CHUNK_BYTES ? writer_put_samples(w) : 0;
}

int trace_writer_process(struct trace_writer *w, const struct sample_process *p, uint32_t *number)
{
	struct writer_samples *s = get(w);
	int err = s ? chunk_file_error(w->file) : -ENOMEM;

	if (err)
		return err;
	*number = (uint32_t)s->tables.n_processes;
	err = sample_tables_process(&s->tables, p);
	if (!err)
		err = sample_put_process(&s->waiting[CHUNK_PROCESSES].b, p);
	return err ? refuse(w, CHUNK_PROCESSES, "a process", err) : wait_for(w, CHUNK_PROCESSES);
}

int trace_writer_image(struct trace_writer *w, const struct sample_image *i, uint32_t *number)
{
	struct writer_samples *s = get(w);
	int err = s ? chunk_file_error(w->file) : -ENOMEM;

	if (err)
		return err;
	*number = (uint32_t)s->tables.n_images;
	err = sample_tables_image(&s->tables, i);
	if (!err)
		err = sample_put_image(&s->waiting[CHUNK_IMAGES].b, i);
	return err ? refuse(w, CHUNK_IMAGES, "a mapped file", err) : wait_for(w, CHUNK_IMAGES);
}

static uint32_t hash_str(uint32_t hash, const char *s)
{
	return hash_u64_pair(hash, hash_bytes(s, strlen(s)));
}

static uint32_t hash_labels(const struct sample_labels *l)
{
	uint32_t hash = (uint32_t)l->n;

	for (size_t i = 0; i < l->n; i++)
		hash = hash_str(hash_str(hash, l->keys[i]), l->values[i]);
	return hash;
}

static bool same_labels(const struct sample_labels *a, const struct sample_labels *b)
{
	bool same = a->n == b->n;

	for (size_t i = 0; same && i < a->n; i++)
		same = !strcmp(a->keys[i], b->keys[i]) && !strcmp(a->values[i], b->values[i]);
	return same;
}

int trace_writer_labels(struct trace_writer *w, const struct sample_labels *l, uint32_t *number)
{
	struct writer_samples *s = get(w);
	int err = s ? chunk_file_error(w->file) : -ENOMEM;
	uint32_t hash = hash_labels(l);
	size_t at;

	if (err)
		return err;
	for (uint32_t i = hash_index_first(&s->by_labels, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&s->by_labels, hash, &at))
		if (same_labels(&s->tables.labels[i], l)) {
			*number = i + 1;
			return 0;
		}
	err = sample_tables_labels(&s->tables, l);
	if (!err)
		err = hash_index_put(&s->by_labels, hash, (uint32_t)s->tables.n_labels - 1);
	if (!err)
		err = sample_put_labels(&s->waiting[CHUNK_LABELS].b, l);
	*number = (uint32_t)s->tables.n_labels;
	return err ? refuse(w, CHUNK_LABELS, "a set of labels", err) : wait_for(w, CHUNK_LABELS);
}

static uint32_t hash_stack(const struct sample_stack *x)
{
	uint32_t hash = hash_u64_pair(x->process, (uint64_t)x->flags << 32 | x->n);

	for (uint32_t i = 0; i < x->n; i++)
		hash = hash_u64_pair(hash, x->pcs[i]);
	return hash;
}

static bool same_stack(const struct sample_stack *a, const struct sample_stack *b)
{
	return a->process == b->process && a->flags == b->flags && a->n == b->n &&
	       (!a->n || !memcmp(a->pcs, b->pcs, a->n * sizeof(*a->pcs)));
}

int trace_writer_stack(struct trace_writer *w, const struct sample_stack *x, uint32_t *number)
{
	struct writer_samples *s = get(w);
	int err = s ? chunk_file_error(w->file) : -ENOMEM;
	uint32_t hash = hash_stack(x);
	size_t at;

	if (err)
		return err;
	for (uint32_t i = hash_index_first(&s->by_stack, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&s->by_stack, hash, &at))
		if (same_stack(&s->tables.stacks[i], x)) {
			*number = i;
			return 0;
		}
	*number = (uint32_t)s->tables.n_stacks;
	err = sample_tables_stack(&s->tables, x);
	if (!err)
		err = hash_index_put(&s->by_stack, hash, *number);
	if (!err)
		err = sample_put_stack(&s->waiting[CHUNK_STACKS].b, x);
	if (err)
		return refuse(w, CHUNK_STACKS, "a stack", err);
	s->pcs_waiting += x->n > STACK_MIN_PCS ? x->n : STACK_MIN_PCS;
	return wait_for(w, CHUNK_STACKS);
}

int trace_writer_sample(struct trace_writer *w, const struct sample *x)
{
	struct writer_samples *s = get(w);
	int err = s ? chunk_file_error(w->file) : -ENOMEM;

	if (err)
		return err;
	if (!sample_tables_has(&s->tables, x))
		return refuse(w, CHUNK_SAMPLES, "a sample", -EINVAL);
	if (x->state && !s->weighed) {
		err = writer_put_samples(w);
		if (err)
			return err;
		s->weighed = true;
	}
	if (!s->samples.count)
		s->first_ns = x->ts_ns;
	err = sample_put(&s->samples.b, &s->last, x, type_of(s));
	if (err)
		return refuse(w, CHUNK_SAMPLES, "a sample", err);
	s->n++;
	return ++s->samples.count == SAMPLES_BLOCK ? writer_put_samples(w) : 0;
}

int trace_writer_death(struct trace_writer *w, const struct sample_death *d)
{
	struct writer_samples *s = get(w);
	int err = s ? chunk_file_error(w->file) : -ENOMEM;

	if (!err)
		err = sample_tables_death(&s->tables, d);
	if (!err)
		err = sample_put_death(&s->waiting[CHUNK_DEATHS].b, d);
	return err ? refuse(w, CHUNK_DEATHS, "a death", err) : wait_for(w, CHUNK_DEATHS);
}

/* A location whose symbols have other numbers here. */
static int put_location(struct trace_writer *w, const struct sample_location *l,
			const uint32_t *numbers)
{
	struct writer_samples *s = w->samples;
	struct sample_frame frames[LOCATION_MAX_FRAMES];
	struct sample_location copy = *l;

	if (sample_tables_find(&s->tables, l->process, l->pc))
		return 0;
	for (uint32_t i = 0; i < l->n && i < LOCATION_MAX_FRAMES; i++) {
		frames[i] = l->frames[i];
		frames[i].symbol = numbers[frames[i].symbol];
	}
	copy.frames = frames;
	int err = sample_tables_location(&s->tables, &copy);
	if (!err)
		err = sample_put_location(&s->waiting[CHUNK_LOCATIONS].b, &copy);
	return err ? refuse(w, CHUNK_LOCATIONS, "an address", err) : wait_for(w, CHUNK_LOCATIONS);
}

int trace_writer_symbols(struct trace_writer *w, const struct sample_tables *from)
{
	struct writer_samples *s = get(w);
	int err = s ? chunk_file_error(w->file) : -ENOMEM;
	uint32_t *numbers = malloc((from->n_symbols + 1) * sizeof(*numbers));
	bool added;

	if (!err)
		err = numbers ? sample_tables_sort(&s->tables) : -ENOMEM;
	if (err) {
		free(numbers);
		return err;
	}
	for (size_t i = 0; i < from->n_symbols && !err; i++) {
		err = sample_tables_symbol_once(&s->tables, &from->symbols[i], &numbers[i], &added);
		if (!err && !added)
			continue;
		if (!err)
			err = sample_put_symbol(&s->waiting[CHUNK_SYMBOLS].b, &from->symbols[i]);
		err = err ? refuse(w, CHUNK_SYMBOLS, "a symbol", err) : wait_for(w, CHUNK_SYMBOLS);
	}
	for (size_t i = 0; i < from->n_locations && !err; i++)
		err = put_location(w, &from->locations[i], numbers);
	free(numbers);
	return err ? err : sample_tables_sort(&s->tables);
}
