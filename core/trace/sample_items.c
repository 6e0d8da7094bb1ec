// SPDX-License-Identifier: BSD-2-Clause
#include "trace/sample_items.h"

#include <errno.h>

#include "trace/items.h"

/* ---- writing */

/* Up to three strings, then up to six numbers: the form of most items. */
static int put_item(struct bytes *b, const char *const *strings, size_t n_strings,
		    const uint64_t *v, size_t n_v)
{
	size_t room = n_v * VARINT_MAX_BYTES;

	for (size_t i = 0; i < n_strings; i++) {
		size_t n = item_str_bytes(strings[i]);

		if (!n)
			return -E2BIG;
		room += n;
	}
	uint8_t *p = item_room(b, room);
	if (!p)
		return -ENOMEM;
	for (size_t i = 0; i < n_strings; i++)
		p = item_put_str(p, strings[i]);
	for (size_t i = 0; i < n_v; i++)
		p = varint_put(p, v[i]);
	b->n = (size_t)(p - b->data);
	return 0;
}

int sample_put_process(struct bytes *b, const struct sample_process *p)
{
	const char *const strings[] = { p->comm, p->exe };
	const uint64_t v[] = { p->pid, p->start_ns };

	return put_item(b, strings, 2, v, 2);
}

int sample_put_image(struct bytes *b, const struct sample_image *i)
{
	const char *const strings[] = { i->path };
	/* TRACE_NONE + 1 wraps to 0 */
	const uint64_t v[] = { (uint32_t)(i->process + 1), i->kind,     i->start,
			       i->end - i->start,          i->file_off, i->from_ns };
	size_t before = b->n;
	int err = put_item(b, strings, 1, v, 6);
	uint8_t *p = err ? NULL : item_room(b, 1 + SAMPLE_BUILD_ID_BYTES);

	if (!p) {
		b->n = before;
		return err ? err : -ENOMEM;
	}
	*p++ = i->build_id_len;
	memcpy(p, i->build_id, i->build_id_len);
	b->n += 1u + i->build_id_len;
	return 0;
}

int sample_put_labels(struct bytes *b, const struct sample_labels *l)
{
	size_t before = b->n;
	const uint64_t n = l->n;
	int err = put_item(b, NULL, 0, &n, 1);

	for (size_t i = 0; i < l->n && !err; i++) {
		const char *const pair[] = { l->keys[i], l->values[i] };

		err = put_item(b, pair, 2, NULL, 0);
	}
	if (err)
		b->n = before;
	return err;
}

int sample_put_stack(struct bytes *b, const struct sample_stack *s)
{
	uint8_t *p = item_room(b, (3 + (size_t)s->n) * VARINT_MAX_BYTES);
	uint64_t last = 0;

	if (!p)
		return -ENOMEM;
	p = varint_put(p, s->process);
	p = varint_put(p, s->flags);
	p = varint_put(p, s->n);
	for (uint32_t i = 0; i < s->n; i++) {
		p = varint_put(p, zigzag((int64_t)(s->pcs[i] - last)));
		last = s->pcs[i];
	}
	b->n = (size_t)(p - b->data);
	return 0;
}

int sample_put_symbol(struct bytes *b, const struct sample_symbol *s)
{
	const char *const strings[] = { s->name, s->linker, s->file };
	const uint64_t v[] = { s->start_line, s->kind };

	return put_item(b, strings, 3, v, 2);
}

int sample_put_location(struct bytes *b, const struct sample_location *l)
{
	uint8_t *p = item_room(b, (3 + 2 * (size_t)l->n) * VARINT_MAX_BYTES);

	if (!p)
		return -ENOMEM;
	p = varint_put(p, (uint32_t)(l->process + 1));
	p = varint_put(p, l->pc);
	p = varint_put(p, l->n);
	for (uint32_t i = 0; i < l->n; i++) {
		p = varint_put(p, l->frames[i].symbol);
		p = varint_put(p, l->frames[i].line);
	}
	b->n = (size_t)(p - b->data);
	return 0;
}

int sample_put_death(struct bytes *b, const struct sample_death *d)
{
	const uint64_t v[] = { d->ts_ns, d->goid, d->process, d->tid, d->stack, d->signal };
	const uint64_t kind = d->kind;
	size_t before = b->n;
	int err = put_item(b, NULL, 0, v, 6);

	if (!err)
		err = put_item(b, NULL, 0, &kind, 1);
	if (err)
		b->n = before;
	return err;
}

int sample_put(struct bytes *b, struct sample *last, const struct sample *s, unsigned type)
{
	const uint64_t v[] = { zigzag((int64_t)(s->ts_ns - last->ts_ns)),
			       zigzag((int64_t)(s->goid - last->goid)),
			       zigzag((int64_t)(s->weight_ns - last->weight_ns)),
			       s->process,
			       zigzag((int64_t)s->tid - last->tid),
			       zigzag((int64_t)s->stack - last->stack) };
	size_t before = b->n;
	const uint64_t more[] = { s->labels, s->state, s->reason, s->error_ns };
	int err = put_item(b, NULL, 0, v, 6);

	if (!err)
		err = put_item(b, NULL, 0, more,
			       type == CHUNK_WEIGHED  ? 4
			       : type == CHUNK_STATED ? 3
						      : 1);
	if (err)
		b->n = before;
	else
		*last = *s;
	return err;
}

/* ---- reading */

static const char *fault_of(int err, const char *what)
{
	return !err ? NULL : err == -ENOMEM ? "" : what;
}

/* Strings as copies in s, to be freed in any case. False when one is bad, or *oom. */
static bool get_strings(struct item_in *in, char **s, size_t n, bool *oom)
{
	for (size_t i = 0; i < n; i++)
		if (!item_get_str(in, &s[i], oom))
			return false;
	return true;
}

static const char *or_none(const char *s)
{
	return *s ? s : NULL;
}

static const char *get_process(struct sample_tables *t, struct item_in *in)
{
	char *s[2] = { NULL, NULL };
	struct sample_process x = { 0 };
	const char *fault = "a bad process";
	bool oom = false;

	if (get_strings(in, s, 2, &oom) && item_get_u32(in, &x.pid) &&
	    item_get_u(in, UINT64_MAX, &x.start_ns)) {
		x.comm = s[0];
		x.exe = or_none(s[1]);
		fault = fault_of(sample_tables_process(t, &x), "too many processes");
	}
	free(s[0]);
	free(s[1]);
	return oom ? "" : fault;
}

static bool get_image_fields(struct item_in *in, struct sample_image *x)
{
	uint64_t kind, bytes, id_len;

	if (!item_get_u32(in, &x->process) || !item_get_u(in, IMAGE_KINDS - 1, &kind) ||
	    !item_get_u(in, UINT64_MAX, &x->start) ||
	    !item_get_u(in, UINT64_MAX - x->start, &bytes) ||
	    !item_get_u(in, UINT64_MAX, &x->file_off) || !item_get_u(in, UINT64_MAX, &x->from_ns) ||
	    !item_get_u(in, SAMPLE_BUILD_ID_BYTES, &id_len) || (size_t)(in->end - in->p) < id_len)
		return false;
	x->process--; /* 0 becomes TRACE_NONE */
	x->kind = (uint8_t)kind;
	x->end = x->start + bytes;
	x->build_id_len = (uint8_t)id_len;
	memcpy(x->build_id, in->p, id_len);
	in->p += id_len;
	return true;
}

static const char *get_image(struct sample_tables *t, struct item_in *in)
{
	char *path = NULL;
	struct sample_image x = { 0 };
	const char *fault = "a bad image";
	bool oom = false;

	if (get_strings(in, &path, 1, &oom) && get_image_fields(in, &x)) {
		x.path = path;
		fault = fault_of(sample_tables_image(t, &x), "an image of no known process");
	}
	free(path);
	return oom ? "" : fault;
}

static const char *get_labels(struct sample_tables *t, struct item_in *in)
{
	char *s[2 * LABELS_MAX_PAIRS] = { NULL };
	const char *keys[LABELS_MAX_PAIRS], *values[LABELS_MAX_PAIRS], *fault = "bad labels";
	bool oom = false;
	uint64_t n;

	if (!item_get_u(in, LABELS_MAX_PAIRS, &n))
		return fault;
	if (get_strings(in, s, 2 * n, &oom)) {
		for (size_t i = 0; i < n; i++) {
			keys[i] = s[2 * i];
			values[i] = s[2 * i + 1];
		}
		const struct sample_labels x = { .n = n, .keys = keys, .values = values };
		fault = fault_of(sample_tables_labels(t, &x), "bad labels");
	}
	for (size_t i = 0; i < 2 * n; i++)
		free(s[i]);
	return oom ? "" : fault;
}

static const char *get_stack(struct sample_tables *t, struct item_in *in)
{
	uint64_t pcs[STACK_MAX_FRAMES], flags, n, diff, last = 0;
	struct sample_stack x = { .pcs = pcs };

	if (!item_get_u32(in, &x.process) || !item_get_u(in, STACK_FLAGS, &flags) ||
	    !item_get_u(in, STACK_MAX_FRAMES, &n))
		return "a bad stack";
	for (uint64_t i = 0; i < n; i++) {
		if (!item_get_u(in, UINT64_MAX, &diff))
			return "a stack that is cut off";
		last += (uint64_t)unzigzag(diff);
		pcs[i] = last;
	}
	x.n = (uint32_t)n;
	x.flags = (uint32_t)flags;
	return fault_of(sample_tables_stack(t, &x), "a stack of no known process, or too many");
}

static const char *get_symbol(struct sample_tables *t, struct item_in *in)
{
	char *s[3] = { NULL, NULL, NULL };
	struct sample_symbol x = { 0 };
	const char *fault = "a bad symbol";
	bool oom = false;
	uint64_t kind;

	if (get_strings(in, s, 3, &oom) && item_get_u32(in, &x.start_line) &&
	    item_get_u(in, SYMBOL_KINDS - 1, &kind)) {
		x.name = s[0];
		x.linker = or_none(s[1]);
		x.file = or_none(s[2]);
		x.kind = (uint8_t)kind;
		fault = fault_of(sample_tables_symbol(t, &x), "too many symbols");
	}
	for (size_t i = 0; i < 3; i++)
		free(s[i]);
	return oom ? "" : fault;
}

static const char *get_location(struct sample_tables *t, struct item_in *in)
{
	struct sample_frame frames[LOCATION_MAX_FRAMES];
	struct sample_location x = { .frames = frames };
	uint64_t n;

	if (!item_get_u32(in, &x.process) || !item_get_u(in, UINT64_MAX, &x.pc) ||
	    !item_get_u(in, LOCATION_MAX_FRAMES, &n))
		return "a bad location";
	x.process--;
	x.n = (uint32_t)n;
	for (uint64_t i = 0; i < n; i++)
		if (!item_get_u32(in, &frames[i].symbol) || !item_get_u32(in, &frames[i].line))
			return "a location that is cut off";
	return fault_of(sample_tables_location(t, &x), "a location of no known process or symbol");
}

static const char *get_death(struct sample_tables *t, struct item_in *in)
{
	struct sample_death x = { 0 };
	uint64_t signal, kind;

	if (!item_get_u(in, UINT64_MAX, &x.ts_ns) || !item_get_u(in, UINT64_MAX, &x.goid) ||
	    !item_get_u32(in, &x.process) || !item_get_u32(in, &x.tid) ||
	    !item_get_u32(in, &x.stack) || !item_get_u(in, UINT8_MAX, &signal) ||
	    !item_get_u(in, DEATH_KINDS - 1, &kind))
		return "a bad death";
	x.signal = (uint8_t)signal;
	x.kind = (uint8_t)kind;
	return fault_of(sample_tables_death(t, &x), "a death of no known process or stack");
}

const char *sample_get_table(struct sample_tables *t, unsigned type, const uint8_t *p, size_t len,
			     uint32_t count)
{
	static const char *(*const get[CHUNK_TYPES])(struct sample_tables * t,
						     struct item_in * in) = {
		[CHUNK_PROCESSES] = get_process, [CHUNK_IMAGES] = get_image,
		[CHUNK_LABELS] = get_labels,     [CHUNK_STACKS] = get_stack,
		[CHUNK_SYMBOLS] = get_symbol,    [CHUNK_LOCATIONS] = get_location,
		[CHUNK_DEATHS] = get_death,
	};
	struct item_in in = { p, p + len };

	for (uint32_t i = 0; i < count; i++) {
		const char *fault = get[type](t, &in);

		if (fault)
			return fault;
	}
	return in.p == in.end ? NULL : "bytes after its last item";
}

/* What it did, where that is said. */
static bool get_state(struct item_in *in, struct sample *x)
{
	uint64_t state, reason;

	if (!item_get_u(in, SAMPLE_STATE_UNKNOWN, &state) || state == STATE_RUNNING ||
	    !item_get_u(in, UINT8_MAX, &reason))
		return false;
	x->state = (uint8_t)state;
	x->reason = (uint8_t)reason;
	return true;
}

const char *sample_get(const struct sample_tables *t, const uint8_t *p, size_t len, uint32_t count,
		       unsigned type, struct sample *to)
{
	struct item_in in = { p, p + len };
	struct sample x = { 0 };

	for (uint32_t i = 0; i < count; i++) {
		uint64_t ts, goid, weight, tid, stack;

		if (!item_get_u(&in, UINT64_MAX, &ts) || !item_get_u(&in, UINT64_MAX, &goid) ||
		    !item_get_u(&in, UINT64_MAX, &weight) || !item_get_u32(&in, &x.process) ||
		    !item_get_u(&in, UINT64_MAX, &tid) || !item_get_u(&in, UINT64_MAX, &stack) ||
		    !item_get_u32(&in, &x.labels))
			return "a sample that is cut off";
		if (type != CHUNK_SAMPLES && !get_state(&in, &x))
			return "a sample in a state that there is not";
		if (type == CHUNK_WEIGHED && !item_get_u(&in, UINT64_MAX, &x.error_ns))
			return "a sample that is cut off";
		x.ts_ns += (uint64_t)unzigzag(ts);
		x.goid += (uint64_t)unzigzag(goid);
		x.weight_ns += (uint64_t)unzigzag(weight);
		x.tid += (uint32_t)unzigzag(tid);
		x.stack += (uint32_t)unzigzag(stack);
		if (!sample_tables_has(t, &x))
			return "a sample of no known process, stack or labels";
		to[i] = x;
	}
	return in.p == in.end ? NULL : "bytes after its last sample";
}
