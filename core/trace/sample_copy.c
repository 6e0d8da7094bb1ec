// SPDX-License-Identifier: BSD-2-Clause
#include "trace/sample_copy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_index.h"
#include "base/log.h"
#include "base/vec.h"
#include "trace/keys.h"

/* Numbers of one source in the copy; TRACE_NONE: not yet. */
struct numbers {
	uint32_t *of;
	size_t n, cap;
};

struct sample_copy {
	struct trace_writer *w;
	struct sample_copy_options opt;
	struct sample_copy_counts counts;
	struct hash_index by_process, by_image, by_symbol, by_location;
	struct sample_tables symbols; /* and locations, to be written last */
	char *reasons[UINT8_MAX + 1]; /* by number, from 1 on */
	unsigned n_reasons;
	/* of the source that is being read */
	const struct sample_tables *from;
	struct numbers processes, stacks, labels;
	const struct trace_info *texts;   /* of its reasons */
	uint8_t reason_of[UINT8_MAX + 1]; /* 0: not yet */
	bool *unwanted;                   /* processes */
	size_t cap_unwanted;
	size_t n_images; /* that have been looked at */
	bool bad_source;
	int err;
};

/* Not what is of its end, its service, or of what it has samples of. */
static bool is_of_copies(const char *key)
{
	static const char *const not [] = { KEY_SAMPLE_SERVICE, KEY_SAMPLE_LABELS_OF,
					    KEY_SAMPLE_WALL, KEY_STATES };
	static const char *const no_list[] = { "end.", KEY_WARN, KEY_STATES_REASON };
	bool is = true;

	for (size_t i = 0; i < sizeof(not ) / sizeof(*not ); i++)
		is &= strcmp(key, not [i]) != 0;
	for (size_t i = 0; i < sizeof(no_list) / sizeof(*no_list); i++)
		is &= strncmp(key, no_list[i], strlen(no_list[i])) != 0;
	return is;
}

int sample_copy_head(struct trace_info *to, const struct trace_info *from, bool waiting)
{
	int err = 0;

	for (size_t i = 0; i < from->n_kvs && !err; i++)
		if (is_of_copies(from->kvs[i].key))
			err = trace_info_set(to, from->kvs[i].key, from->kvs[i].value);
	if (!err && waiting)
		err = trace_info_set(to, KEY_SAMPLE_WALL, "1");
	if (!err && waiting)
		err = trace_info_set(to, KEY_STATES, "1");
	return err;
}

/* Room for n numbers; new ones are TRACE_NONE. */
static int grow(struct numbers *x, size_t n)
{
	int err = vec_reserve(&x->of, &x->cap, n);

	for (; !err && x->n < n; x->n++)
		x->of[x->n] = TRACE_NONE;
	return err;
}

static uint32_t hash_text(uint32_t h, const char *s)
{
	return hash_u64_pair(h, s ? hash_bytes(s, strlen(s)) : 0);
}

static bool same_text(const char *a, const char *b)
{
	return !a == !b && (!a || !strcmp(a, b));
}

/* ---- processes and what they have mapped */

/* One that a source before had already has that number. */
static int put_process(struct sample_copy *c, const struct sample_process *p, uint32_t *number)
{
	const struct sample_tables *t = trace_writer_tables(c->w);
	const uint32_t hash = hash_text(hash_u64_pair(p->pid, p->start_ns), p->exe);
	size_t at;

	for (uint32_t i = hash_index_first(&c->by_process, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&c->by_process, hash, &at)) {
		const struct sample_process *x = &t->processes[i];

		if (x->pid == p->pid && x->start_ns == p->start_ns && same_text(x->exe, p->exe) &&
		    same_text(x->comm, p->comm)) {
			*number = i;
			return 0;
		}
	}
	int err = trace_writer_process(c->w, p, number);

	if (!err) /* of the same number: locations name it */
		err = sample_tables_process(&c->symbols, p);
	return err ? err : hash_index_put(&c->by_process, hash, *number);
}

/* TRACE_NONE: it is not wanted. */
static uint32_t process_of(struct sample_copy *c, uint32_t number)
{
	const struct sample_tables *t = c->from;

	if (grow(&c->processes, t->n_processes) ||
	    vec_reserve(&c->unwanted, &c->cap_unwanted, t->n_processes)) {
		c->err = -ENOMEM;
		return TRACE_NONE;
	}
	uint32_t *to = &c->processes.of[number];

	if (*to != TRACE_NONE || c->unwanted[number])
		return *to;
	if (c->opt.process && !c->opt.process(c->opt.ctx, number, &t->processes[number]))
		c->unwanted[number] = true;
	else
		c->err = put_process(c, &t->processes[number], to);
	return *to;
}

static void put_image(struct sample_copy *c, const struct sample_image *from)
{
	struct sample_image x = *from;
	uint32_t number;
	size_t at;

	if (x.process != TRACE_NONE)
		x.process = process_of(c, x.process);
	if (c->err || (x.process == TRACE_NONE && from->process != TRACE_NONE))
		return;
	const uint32_t hash = sample_image_hash(&x);

	for (uint32_t i = hash_index_first(&c->by_image, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&c->by_image, hash, &at))
		if (sample_image_same(&trace_writer_tables(c->w)->images[i], &x))
			return;
	c->err = trace_writer_image(c->w, &x, &number);
	if (!c->err)
		c->err = hash_index_put(&c->by_image, hash, number);
}

/* All that the source has told of by now: the later ones count. */
static void put_images(struct sample_copy *c)
{
	for (; c->n_images < c->from->n_images && !c->err; c->n_images++)
		put_image(c, &c->from->images[c->n_images]);
}

/* ---- samples */

static uint32_t stack_of(struct sample_copy *c, uint32_t number, uint32_t process)
{
	if (grow(&c->stacks, c->from->n_stacks)) {
		c->err = -ENOMEM;
		return TRACE_NONE;
	}
	uint32_t *to = &c->stacks.of[number];

	if (*to == TRACE_NONE) {
		struct sample_stack x = c->from->stacks[number];

		x.process = process;
		c->err = trace_writer_stack(c->w, &x, to);
	}
	return *to;
}

/* Labels count from 1. */
static uint32_t labels_of(struct sample_copy *c, uint32_t number)
{
	if (!number)
		return 0;
	if (grow(&c->labels, c->from->n_labels)) {
		c->err = -ENOMEM;
		return 0;
	}
	uint32_t *to = &c->labels.of[number - 1];

	if (*to == TRACE_NONE)
		c->err = trace_writer_labels(c->w, &c->from->labels[number - 1], to);
	return *to;
}

/* The number of a text; 0: there are too many. */
static uint8_t put_reason(struct sample_copy *c, const char *text)
{
	for (unsigned i = 1; i <= c->n_reasons; i++)
		if (!strcmp(c->reasons[i], text))
			return (uint8_t)i;
	if (c->n_reasons == UINT8_MAX)
		return 0;
	char *new = strdup(text);

	if (!new) {
		c->err = -ENOMEM;
		return 0;
	}
	c->reasons[++c->n_reasons] = new;
	return (uint8_t)c->n_reasons;
}

static const char *reason_text(const struct trace_info *info, unsigned number)
{
	char key[48];

	snprintf(key, sizeof(key), KEY_STATES_REASON ".%u", number);
	return trace_info_get(info, key);
}

/* Whatever is copied first, each has the number that it has there. */
static void put_reasons(struct sample_copy *c, const struct trace_info *info)
{
	const char *text;

	for (unsigned i = 1; i <= UINT8_MAX && (text = reason_text(info, i)); i++)
		put_reason(c, text);
}

static uint8_t reason_of(struct sample_copy *c, uint8_t reason)
{
	const char *text = reason_text(c->texts, reason);
	char number[32];

	if (!reason || c->reason_of[reason])
		return c->reason_of[reason];
	snprintf(number, sizeof(number), "reason %u", reason);

	c->reason_of[reason] = put_reason(c, text && *text ? text : number);
	return c->reason_of[reason];
}

int sample_copy_reasons(const struct sample_copy *c, struct trace_info *to)
{
	char key[48];
	int err = 0;

	for (unsigned i = 1; i <= c->n_reasons && !err; i++) {
		snprintf(key, sizeof(key), KEY_STATES_REASON ".%u", i);
		err = trace_info_set(to, key, c->reasons[i]);
	}
	return err;
}

static bool in_time(const struct sample_copy *c, uint64_t ts_ns)
{
	return ts_ns >= c->opt.from_ns && (!c->opt.to_ns || ts_ns < c->opt.to_ns);
}

static void put_sample(struct sample_copy *c, const struct sample *from)
{
	struct sample x = *from;

	if (!in_time(c, x.ts_ns))
		return;
	x.process = process_of(c, x.process);
	if (x.process == TRACE_NONE || c->err)
		return;
	x.stack = stack_of(c, x.stack, x.process);
	if (!c->err)
		x.labels = labels_of(c, x.labels);
	if (!c->err)
		x.reason = reason_of(c, x.reason);
	if (!c->err)
		c->err = trace_writer_sample(c->w, &x);
	if (c->err)
		return;
	c->counts.samples++;
	*(x.state ? &c->counts.waiting_ns : &c->counts.weight_ns) += x.weight_ns;
}

static void put_deaths(struct sample_copy *c)
{
	for (size_t i = 0; i < c->from->n_deaths && !c->err; i++) {
		struct sample_death x = c->from->deaths[i];

		if (!in_time(c, x.ts_ns))
			continue;
		x.process = process_of(c, x.process);
		if (x.process == TRACE_NONE || c->err)
			continue;
		x.stack = stack_of(c, x.stack, x.process);
		if (!c->err)
			c->err = trace_writer_death(c->w, &x);
	}
}

/* ---- symbols */

static int symbol_of(struct sample_copy *c, const struct sample_symbol *s, uint32_t *number)
{
	const uint32_t hash = hash_text(hash_text(s->start_line, s->name), s->file);
	size_t at;

	for (uint32_t i = hash_index_first(&c->by_symbol, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&c->by_symbol, hash, &at)) {
		const struct sample_symbol *x = &c->symbols.symbols[i];

		if (x->start_line == s->start_line && x->kind == s->kind &&
		    same_text(x->name, s->name) && same_text(x->linker, s->linker) &&
		    same_text(x->file, s->file)) {
			*number = i;
			return 0;
		}
	}
	*number = (uint32_t)c->symbols.n_symbols;
	int err = sample_tables_symbol(&c->symbols, s);

	return err ? err : hash_index_put(&c->by_symbol, hash, *number);
}

static void keep_location(struct sample_copy *c, const struct sample_location *from)
{
	struct sample_frame frames[LOCATION_MAX_FRAMES];
	struct sample_location x = *from;

	if (x.process != TRACE_NONE)
		x.process = process_of(c, x.process);
	if (c->err || (x.process == TRACE_NONE && from->process != TRACE_NONE))
		return;
	const uint32_t hash = hash_u64_pair(x.pc, x.process);
	size_t at;

	for (uint32_t i = hash_index_first(&c->by_location, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&c->by_location, hash, &at))
		if (c->symbols.locations[i].pc == x.pc &&
		    c->symbols.locations[i].process == x.process)
			return;
	for (uint32_t i = 0; i < x.n && !c->err; i++) {
		frames[i] = from->frames[i];
		c->err = symbol_of(c, &c->from->symbols[frames[i].symbol], &frames[i].symbol);
	}
	x.frames = frames;
	if (!c->err)
		c->err = sample_tables_location(&c->symbols, &x);
	if (!c->err)
		c->err = hash_index_put(&c->by_location, hash,
					(uint32_t)c->symbols.n_locations - 1);
}

/* ---- all of it */

struct sample_copy *sample_copy_new(struct trace_writer *w, const struct sample_copy_options *opt)
{
	struct sample_copy *c = calloc(1, sizeof(*c));

	if (!c) {
		log_no_memory("no memory to copy samples");
		return NULL;
	}
	c->w = w;
	if (opt)
		c->opt = *opt;
	if (c->opt.reasons)
		put_reasons(c, c->opt.reasons);
	return c;
}

static void forget_source(struct sample_copy *c)
{
	c->processes.n = c->stacks.n = c->labels.n = c->n_images = 0;
	for (size_t i = 0; i < c->cap_unwanted; i++)
		c->unwanted[i] = false;
	memset(c->reason_of, 0, sizeof(c->reason_of));
}

int sample_copy_add(struct sample_copy *c, struct trace_reader *r)
{
	struct sample_span span;
	int got = 0;

	if (!trace_is_samples(trace_reader_info(r))) {
		log_error("a trace of calls cannot be put together with samples");
		return -ENOTSUP;
	}
	forget_source(c);
	c->texts = c->opt.reasons ? c->opt.reasons : trace_reader_info(r);
	while (!c->err && (got = trace_reader_samples(r, &span)) > 0) {
		c->from = trace_reader_tables_so_far(r);
		put_images(c);
		for (size_t i = 0; i < span.n && !c->err; i++)
			put_sample(c, &span.s[i]);
	}
	if (!c->err) {
		c->err = got ? got : trace_reader_resolve(r);
		c->bad_source = c->err && c->err != -ENOMEM;
	}
	c->from = trace_reader_tables(r);
	if (!c->err && c->from) {
		put_images(c);
		put_deaths(c);
		for (size_t i = 0; i < c->from->n_locations && !c->err; i++)
			keep_location(c, &c->from->locations[i]);
	}
	c->counts.lost += trace_info_u64(trace_reader_info(r), KEY_END_SAMPLES_LOST, 0);
	c->counts.incomplete |= !trace_reader_complete(r);
	c->from = NULL;
	if (c->err == -ENOMEM)
		log_no_memory("no memory to copy samples");
	return c->err;
}

bool sample_copy_bad_source(const struct sample_copy *c)
{
	return c->bad_source;
}

int sample_copy_end(struct sample_copy *c, struct sample_copy_counts *counts)
{
	if (!c->err)
		c->err = trace_writer_symbols(c->w, &c->symbols);
	*counts = c->counts;
	return c->err;
}

void sample_copy_free(struct sample_copy *c)
{
	if (!c)
		return;
	hash_index_free(&c->by_process);
	hash_index_free(&c->by_image);
	hash_index_free(&c->by_symbol);
	hash_index_free(&c->by_location);
	sample_tables_free(&c->symbols);
	free(c->processes.of);
	free(c->stacks.of);
	free(c->labels.of);
	for (unsigned i = 1; i <= c->n_reasons; i++)
		free(c->reasons[i]);
	free(c->unwanted);
	free(c);
}
