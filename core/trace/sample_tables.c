// SPDX-License-Identifier: BSD-2-Clause
/* The tables that samples name, in memory. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/vec.h"
#include "trace/format.h"
#include "trace/keys.h"
#include "trace/samples.h"

bool trace_is_samples(const struct trace_info *t)
{
	const char *mode = trace_info_get(t, KEY_MODE);

	return mode && !strcmp(mode, MODE_SAMPLES);
}

bool trace_info_stretch(const struct trace_info *t, uint64_t *from_ns, uint64_t *to_ns)
{
	*from_ns = trace_info_u64(t, KEY_END_STRETCH_FROM_NS, 0);
	*to_ns = trace_info_u64(t, KEY_END_STRETCH_TO_NS, 0);
	return *from_ns && *to_ns > *from_ns;
}

static void free_str(const char *s)
{
	free((void *)(uintptr_t)s);
}

/* strdup that lets NULL through; *oom is set when there is no memory. */
static const char *copy_str(const char *s, bool *oom)
{
	char *copy = s ? strdup(s) : NULL;

	*oom |= s && !copy;
	return copy;
}

#define BLOCK_BYTES 16 /* what malloc takes besides, about */

static uint64_t str_bytes(const char *s)
{
	return s ? strlen(s) + 1 + BLOCK_BYTES : 0;
}

/* What no item can hold: tables and file would not be the same. */
static bool too_long(const char *s)
{
	return s && strlen(s) > STRING_MAX_BYTES;
}

int sample_tables_process(struct sample_tables *t, const struct sample_process *p)
{
	struct sample_process copy = *p;
	bool oom = false;

	if (too_long(p->comm) || too_long(p->exe))
		return -EINVAL;
	if (t->n_processes >= PROCESSES_MAX)
		return -E2BIG;
	if (vec_reserve(&t->processes, &t->cap_processes, t->n_processes + 1))
		return -ENOMEM;
	copy.comm = copy_str(p->comm ? p->comm : "", &oom);
	copy.exe = copy_str(p->exe, &oom);
	if (oom) {
		free_str(copy.comm);
		free_str(copy.exe);
		return -ENOMEM;
	}
	t->processes[t->n_processes++] = copy;
	t->bytes += sizeof(copy) + str_bytes(copy.comm) + str_bytes(copy.exe);
	return 0;
}

int sample_tables_image(struct sample_tables *t, const struct sample_image *i)
{
	struct sample_image copy = *i;
	bool oom = false, kernel = i->kind == IMAGE_KERNEL;

	if (i->kind >= IMAGE_KINDS || i->end < i->start || too_long(i->path) ||
	    i->build_id_len > SAMPLE_BUILD_ID_BYTES ||
	    (kernel ? i->process != TRACE_NONE : i->process >= t->n_processes))
		return -EINVAL;
	if (t->n_images >= IMAGES_MAX)
		return -E2BIG;
	if (vec_reserve(&t->images, &t->cap_images, t->n_images + 1))
		return -ENOMEM;
	copy.path = copy_str(i->path ? i->path : "", &oom);
	if (oom)
		return -ENOMEM;
	t->images[t->n_images++] = copy;
	t->bytes += sizeof(copy) + str_bytes(copy.path);
	return 0;
}

bool sample_image_same(const struct sample_image *a, const struct sample_image *b)
{
	return a->process == b->process && a->start == b->start && a->end == b->end &&
	       a->file_off == b->file_off && a->kind == b->kind && a->from_ns == b->from_ns &&
	       a->build_id_len == b->build_id_len &&
	       !memcmp(a->build_id, b->build_id, a->build_id_len) && !strcmp(a->path, b->path);
}

uint32_t sample_image_hash(const struct sample_image *x)
{
	const uint32_t file = hash_u64_pair(hash_bytes(x->build_id, x->build_id_len),
					    hash_bytes(x->path, strlen(x->path)));

	return hash_u64_pair(x->start ^ x->from_ns << 16,
			     hash_u64_pair(x->end ^ (uint64_t)x->process << 32, x->file_off) ^
				     file);
}

static void free_labels(struct sample_labels *l)
{
	for (size_t i = 0; i < l->n; i++) {
		if (l->keys)
			free_str(l->keys[i]);
		if (l->values)
			free_str(l->values[i]);
	}
	free((void *)(uintptr_t)l->keys);
	free((void *)(uintptr_t)l->values);
}

int sample_tables_labels(struct sample_tables *t, const struct sample_labels *l)
{
	const char **keys, **values;
	bool oom = false;

	if (l->n > LABELS_MAX_PAIRS)
		return -EINVAL;
	for (size_t i = 0; i < l->n; i++)
		if (strlen(l->keys[i]) > LABELS_MAX_STRING ||
		    strlen(l->values[i]) > LABELS_MAX_STRING)
			return -EINVAL;
	if (t->n_labels >= LABELS_MAX)
		return -E2BIG;
	if (vec_reserve(&t->labels, &t->cap_labels, t->n_labels + 1))
		return -ENOMEM;
	keys = calloc(l->n + 1, sizeof(*keys));
	values = calloc(l->n + 1, sizeof(*values));
	struct sample_labels copy = { .n = l->n, .keys = keys, .values = values };
	oom = !keys || !values;
	for (size_t i = 0; i < l->n && !oom; i++) {
		keys[i] = copy_str(l->keys[i], &oom);
		values[i] = copy_str(l->values[i], &oom);
	}
	if (oom) {
		free_labels(&copy);
		return -ENOMEM;
	}
	t->labels[t->n_labels++] = copy;
	t->bytes += sizeof(copy) + 2 * (BLOCK_BYTES + (l->n + 1) * sizeof(*keys));
	for (size_t i = 0; i < l->n; i++)
		t->bytes += str_bytes(keys[i]) + str_bytes(values[i]);
	return 0;
}

int sample_tables_stack(struct sample_tables *t, const struct sample_stack *s)
{
	struct sample_stack copy = *s;

	if (s->n > STACK_MAX_FRAMES || s->flags & ~STACK_FLAGS || s->process >= t->n_processes)
		return -EINVAL;
	if (t->n_stacks >= STACKS_MAX || t->n_pcs + s->n > STACK_PCS_MAX)
		return -E2BIG;
	uint64_t *pcs = malloc((s->n + 1) * sizeof(*pcs));
	if (!pcs || vec_reserve(&t->stacks, &t->cap_stacks, t->n_stacks + 1)) {
		free(pcs);
		return -ENOMEM;
	}
	if (s->n)
		memcpy(pcs, s->pcs, s->n * sizeof(*pcs));
	copy.pcs = pcs;
	t->n_pcs += s->n;
	t->stacks[t->n_stacks++] = copy;
	t->bytes += sizeof(copy) + BLOCK_BYTES + (s->n + 1) * sizeof(*pcs);
	return 0;
}

int sample_tables_symbol(struct sample_tables *t, const struct sample_symbol *s)
{
	struct sample_symbol copy = *s;
	bool oom = false;

	if (s->kind >= SYMBOL_KINDS || too_long(s->name) || too_long(s->linker) ||
	    too_long(s->file))
		return -EINVAL;
	if (t->n_symbols >= FUNCS_MAX)
		return -E2BIG;
	if (vec_reserve(&t->symbols, &t->cap_symbols, t->n_symbols + 1))
		return -ENOMEM;
	copy.name = copy_str(s->name ? s->name : "", &oom);
	copy.linker = copy_str(s->linker, &oom);
	copy.file = copy_str(s->file, &oom);
	if (oom) {
		free_str(copy.name);
		free_str(copy.linker);
		free_str(copy.file);
		return -ENOMEM;
	}
	t->symbols[t->n_symbols++] = copy;
	t->bytes += sizeof(copy) + str_bytes(copy.name) + str_bytes(copy.linker) +
		    str_bytes(copy.file);
	return 0;
}

static uint32_t hash_symbol(const struct sample_symbol *s)
{
	return hash_u64_pair(hash_bytes(s->name, strlen(s->name)), s->start_line);
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool same_symbol(const struct sample_symbol *a, const struct sample_symbol *b)
{
	return a->kind == b->kind && a->start_line == b->start_line &&
	       same_text(a->name, b->name) && same_text(a->linker, b->linker) &&
	       same_text(a->file, b->file);
}

int sample_tables_symbol_once(struct sample_tables *t, const struct sample_symbol *s,
			      uint32_t *number, bool *added)
{
	const uint32_t hash = s->name ? hash_symbol(s) : 0;
	size_t at;
	int err = 0;

	*added = false;
	for (; !err && t->n_indexed < t->n_symbols; t->n_indexed += !err)
		err = hash_index_put(&t->by_symbol, hash_symbol(&t->symbols[t->n_indexed]),
				     (uint32_t)t->n_indexed);
	for (uint32_t i = err ? HASH_NONE : hash_index_first(&t->by_symbol, hash, &at);
	     i != HASH_NONE; i = hash_index_next(&t->by_symbol, hash, &at))
		if (same_symbol(&t->symbols[i], s)) {
			*number = i;
			return 0;
		}
	*number = (uint32_t)t->n_symbols;
	err = err ? err : sample_tables_symbol(t, s);
	*added = !err;
	return err;
}

int sample_tables_location(struct sample_tables *t, const struct sample_location *l)
{
	struct sample_location copy = *l;

	if (!l->n || l->n > LOCATION_MAX_FRAMES ||
	    (sample_in_kernel(l->pc) ? l->process != TRACE_NONE : l->process >= t->n_processes))
		return -EINVAL;
	for (uint32_t i = 0; i < l->n; i++)
		if (l->frames[i].symbol >= t->n_symbols)
			return -EINVAL;
	if (t->n_locations >= LOCATIONS_MAX)
		return -E2BIG;
	struct sample_frame *frames = malloc(l->n * sizeof(*frames));
	if (!frames || vec_reserve(&t->locations, &t->cap_locations, t->n_locations + 1)) {
		free(frames);
		return -ENOMEM;
	}
	memcpy(frames, l->frames, l->n * sizeof(*frames));
	copy.frames = frames;
	t->locations[t->n_locations++] = copy;
	t->bytes += sizeof(copy) + BLOCK_BYTES + l->n * sizeof(*frames);
	return 0;
}

int sample_tables_death(struct sample_tables *t, const struct sample_death *d)
{
	const struct sample s = { .process = d->process, .stack = d->stack };

	if (d->kind >= DEATH_KINDS || !sample_tables_has(t, &s))
		return -EINVAL;
	if (t->n_deaths >= DEATHS_MAX)
		return -E2BIG;
	if (vec_reserve(&t->deaths, &t->cap_deaths, t->n_deaths + 1))
		return -ENOMEM;
	t->deaths[t->n_deaths++] = *d;
	t->bytes += sizeof(*d);
	return 0;
}

bool sample_tables_has(const struct sample_tables *t, const struct sample *s)
{
	return s->process < t->n_processes && s->labels <= t->n_labels && s->stack < t->n_stacks &&
	       t->stacks[s->stack].process == s->process;
}

static int compare_place(uint32_t process, uint64_t pc, const struct sample_location *l)
{
	int c = compare_u64(process, l->process);

	return c ? c : compare_u64(pc, l->pc);
}

static int by_place(const void *x, const void *y, void *ctx)
{
	const struct sample_tables *t = ctx;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	int c = compare_place(t->locations[a].process, t->locations[a].pc, &t->locations[b]);

	return c ? c : compare_u64(a, b);
}

static int index_images(struct sample_tables *t)
{
	if (t->n_images_indexed == t->n_images)
		return 0;
	image_index_free(&t->by_address);
	t->n_images_indexed = 0;
	int err = image_index_build(&t->by_address, t->images, t->n_images);

	t->n_images_indexed = err ? 0 : t->n_images;
	return err;
}

uint32_t sample_tables_image_at(const struct sample_tables *t, uint32_t process, uint64_t pc)
{
	return image_index_find(&t->by_address, process, pc);
}

static int sort_locations(struct sample_tables *t)
{
	if (t->n_sorted == t->n_locations)
		return 0;
	uint32_t *order = realloc(t->order, t->n_locations * sizeof(*order));
	if (!order)
		return -ENOMEM;
	t->order = order;
	for (size_t i = 0; i < t->n_locations; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, t->n_locations, sizeof(*order), by_place, t);
	t->n_sorted = t->n_locations;
	return 0;
}

int sample_tables_sort(struct sample_tables *t)
{
	int err = index_images(t);

	return err ? err : sort_locations(t);
}

const struct sample_location *sample_tables_find(const struct sample_tables *t, uint32_t process,
						 uint64_t pc)
{
	size_t lo = 0, hi = t->n_sorted;

	if (sample_in_kernel(pc))
		process = TRACE_NONE;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (compare_place(process, pc, &t->locations[t->order[mid]]) > 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == t->n_sorted || compare_place(process, pc, &t->locations[t->order[lo]]))
		return NULL;
	return &t->locations[t->order[lo]];
}

int sample_tables_merge(struct sample_tables *t, const struct sample_tables *from)
{
	struct sample_frame frames[LOCATION_MAX_FRAMES];
	uint32_t *numbers = malloc((from->n_symbols + 1) * sizeof(*numbers));
	int err = numbers ? 0 : -ENOMEM;
	bool added;

	for (size_t i = 0; i < from->n_symbols && !err; i++)
		err = sample_tables_symbol_once(t, &from->symbols[i], &numbers[i], &added);
	for (size_t i = 0; i < from->n_locations && !err; i++) {
		struct sample_location l = from->locations[i];

		for (uint32_t k = 0; k < l.n; k++) {
			frames[k] = l.frames[k];
			frames[k].symbol = numbers[frames[k].symbol];
		}
		l.frames = frames;
		err = sample_tables_location(t, &l);
	}
	free(numbers);
	return err ? err : sample_tables_sort(t);
}

void sample_tables_free(struct sample_tables *t)
{
	for (size_t i = 0; i < t->n_processes; i++) {
		free_str(t->processes[i].comm);
		free_str(t->processes[i].exe);
	}
	for (size_t i = 0; i < t->n_images; i++)
		free_str(t->images[i].path);
	for (size_t i = 0; i < t->n_labels; i++)
		free_labels(&t->labels[i]);
	for (size_t i = 0; i < t->n_stacks; i++)
		free((void *)(uintptr_t)t->stacks[i].pcs);
	for (size_t i = 0; i < t->n_symbols; i++) {
		free_str(t->symbols[i].name);
		free_str(t->symbols[i].linker);
		free_str(t->symbols[i].file);
	}
	for (size_t i = 0; i < t->n_locations; i++)
		free((void *)(uintptr_t)t->locations[i].frames);
	free(t->processes);
	free(t->images);
	free(t->labels);
	free(t->stacks);
	free(t->symbols);
	free(t->locations);
	free(t->deaths);
	hash_index_free(&t->by_symbol);
	image_index_free(&t->by_address);
	free(t->order);
	*t = (struct sample_tables){ 0 };
}

size_t sample_image_path_len(const struct sample_image *i)
{
	static const char deleted[] = " (deleted)";
	const size_t len = strlen(i->path), less = sizeof(deleted) - 1;

	return len > less && !strcmp(i->path + len - less, deleted) ? len - less : len;
}

const char *sample_image_file(const struct sample_image *i, size_t *len)
{
	const char *slash = strrchr(i->path, '/'), *file = slash && slash[1] ? slash + 1 : i->path;

	if (!strcmp(i->path, "//toolong") || !strcmp(i->path, "//enomem")) {
		*len = strlen(SAMPLE_UNKNOWN_PATH);
		return SAMPLE_UNKNOWN_PATH;
	}
	*len = sample_image_path_len(i) - (size_t)(file - i->path);
	return file;
}
