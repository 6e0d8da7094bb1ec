// SPDX-License-Identifier: BSD-2-Clause
#include "export/otlp/otlp_out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_index.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "export/otlp/frame_type.h"
#include "export/protoout.h"
#include "otlp.pb-c.h"

/* An entry of one of the tables. Its key is its encoding as a part of the dictionary, which begins
 * with the table's number. */
struct entry {
	size_t key_off, key_bytes; /* in the dictionary */
	int32_t number;            /* in its table */
};

/* Encodings one after the other: those of messages of one type are a message with what all of them
 * repeat (protoout.h). */
struct bytes {
	uint8_t *data;
	size_t n, cap;
};

enum table { MAPPINGS, LOCATIONS, FUNCTIONS, LINKS, STRINGS, ATTRIBUTES, STACKS, N_TABLES };

struct otlp_out {
	struct entry *entries;
	size_t n_entries, cap_entries;
	struct hash_index index; /* finds an entry by its key */
	int32_t count[N_TABLES];
	struct bytes dictionary, resources;
	struct protoout packed;
	int err; /* the first */
};

/* What a profile's own numbers are here. */
struct adding {
	struct otlp_out *o;
	const Pprof__Profile *p;
	int32_t *strings; /* 0: not asked for yet */
	int32_t *mappings, *functions, *locations;
	bool *of_go;                   /* by mapping: functions in it are Go's */
	int32_t *stacks, **attributes; /* by sample */
};

static const struct {
	const char *name, *otlp;
} names[] = {
	{ "pid", "process.pid" },
	{ "tid", "thread.id" },
	{ "program", "process.executable.name" },
	{ "executable", "process.executable.path" },
	{ "host", "host.name" },
	{ "container_id", "container.id" },
	{ "container", "k8s.container.name" },
	{ "pod", "k8s.pod.name" },
	{ "pod_uid", "k8s.pod.uid" },
	{ "namespace", "k8s.namespace.name" },
	{ "node", "k8s.node.name" },
};

const char *otlp_name(const char *name)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i].name, name))
			return names[i].otlp;
	return name;
}

static void fail(struct otlp_out *o, int err)
{
	if (!o->err)
		o->err = err;
}

static void append(struct otlp_out *o, struct bytes *to, const void *data, size_t n)
{
	if (!o->err && n > SIZE_MAX - to->n)
		fail(o, -E2BIG);
	if (!o->err && vec_reserve(&to->data, &to->cap, to->n + n))
		fail(o, -ENOMEM);
	if (!o->err && n)
		memcpy(to->data + to->n, data, n);
	to->n += o->err ? 0 : n;
}

static void put(struct otlp_out *o, struct bytes *to, const ProtobufCMessage *part)
{
	if (!o->err)
		o->err = protoout_pack(&o->packed, part);
	append(o, to, o->packed.data, o->err ? 0 : o->packed.n);
}

/* The message that `inner` is, as field 1 or 2 of another. */
static void put_within(struct otlp_out *o, struct bytes *to, int field, const struct bytes *inner)
{
	Otlp__Within w = OTLP__WITHIN__INIT;
	const ProtobufCBinaryData data = { inner->n, inner->data };

	*(field == 1 ? &w.first : &w.second) = data;
	put(o, to, &w.base);
}

/* ---- the tables */

/* The number of the entry that `part` is alone. */
static int32_t enter(struct otlp_out *o, enum table t, const Otlp__Dictionary *part)
{
	size_t at;

	if (!o->err)
		o->err = protoout_pack(&o->packed, &part->base);
	if (o->err)
		return 0;
	const uint8_t *key = o->packed.data;
	const size_t bytes = o->packed.n;
	const uint32_t hash = hash_bytes(key, bytes);

	for (uint32_t i = hash_index_first(&o->index, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&o->index, hash, &at)) {
		const struct entry *e = &o->entries[i];

		if (e->key_bytes == bytes && !memcmp(o->dictionary.data + e->key_off, key, bytes))
			return e->number;
	}
	if (o->count[t] == INT32_MAX || o->n_entries == HASH_NONE - 1)
		fail(o, -E2BIG);
	else if (vec_reserve(&o->entries, &o->cap_entries, o->n_entries + 1))
		fail(o, -ENOMEM);
	const struct entry e = { o->dictionary.n, bytes, o->count[t] };

	append(o, &o->dictionary, key, bytes);
	if (!o->err && hash_index_put(&o->index, hash, (uint32_t)o->n_entries))
		fail(o, -ENOMEM);
	if (o->err)
		return 0;
	o->entries[o->n_entries++] = e;
	o->count[t]++;
	return e.number;
}

#define ENTER(o, table, field, x)                             \
	({                                                    \
		Otlp__Dictionary d_ = OTLP__DICTIONARY__INIT; \
		d_.n_##field = 1;                             \
		d_.field = &(x);                              \
		enter((o), (table), &d_);                     \
	})

static int32_t enter_string(struct otlp_out *o, const char *s)
{
	char *clean = utf8_copy(s);
	int32_t i;

	if (!clean) {
		fail(o, -ENOMEM);
		return 0;
	}
	i = ENTER(o, STRINGS, string_table, clean);
	free(clean);
	return i;
}

static int32_t enter_attribute(struct otlp_out *o, const char *key, Otlp__Value *value)
{
	Otlp__Attribute a = OTLP__ATTRIBUTE__INIT, *x = &a;

	a.key = enter_string(o, key);
	a.value = value;
	return ENTER(o, ATTRIBUTES, attribute_table, x);
}

static int32_t enter_text(struct otlp_out *o, const char *key, const char *text)
{
	Otlp__Value v = OTLP__VALUE__INIT;
	char *clean = utf8_copy(text);
	int32_t i;

	if (!clean) {
		fail(o, -ENOMEM);
		return 0;
	}
	v.value_case = OTLP__VALUE__VALUE_TEXT;
	v.text = clean;
	i = enter_attribute(o, key, &v);
	free(clean);
	return i;
}

/* The first entry of each stands for nothing. Some decoders want the lengths of a link's parts. */
static void enter_nothing(struct otlp_out *o)
{
	static uint8_t zeros[16];
	Otlp__Mapping m = OTLP__MAPPING__INIT, *mapping = &m;
	Otlp__Location l = OTLP__LOCATION__INIT, *location = &l;
	Otlp__Function f = OTLP__FUNCTION__INIT, *function = &f;
	Otlp__Link k = OTLP__LINK__INIT, *link = &k;
	Otlp__Attribute a = OTLP__ATTRIBUTE__INIT, *attribute = &a;
	Otlp__Stack s = OTLP__STACK__INIT, *stack = &s;

	k.trace_id = (ProtobufCBinaryData){ 16, zeros };
	k.span_id = (ProtobufCBinaryData){ 8, zeros };
	enter_string(o, "");
	ENTER(o, MAPPINGS, mapping_table, mapping);
	ENTER(o, LOCATIONS, location_table, location);
	ENTER(o, FUNCTIONS, function_table, function);
	ENTER(o, LINKS, link_table, link);
	ENTER(o, ATTRIBUTES, attribute_table, attribute);
	ENTER(o, STACKS, stack_table, stack);
}

/* ---- a profile's own tables */

/* As it is in the profile. */
static const char *text(struct adding *a, int64_t i)
{
	if (i >= 0 && (uint64_t)i < a->p->n_string_table)
		return a->p->string_table[i];
	fail(a->o, -EINVAL);
	return "";
}

/* The number here, of those that are asked for alone: no entry is there for nothing. */
static int32_t string(struct adding *a, int64_t i)
{
	const char *s = text(a, i);

	if (a->o->err)
		return 0;
	if (!a->strings[i])
		a->strings[i] = enter_string(a->o, s);
	return a->strings[i];
}

/* Of a number from 1 to n; 0 is nothing. */
static int32_t known(struct adding *a, const int32_t *of, uint64_t id, size_t n)
{
	if (id > n)
		fail(a->o, -EINVAL);
	return id && id <= n ? of[id - 1] : 0;
}

static void take_mappings(struct adding *a)
{
	for (size_t i = 0; i < a->p->n_mapping && !a->o->err; i++) {
		const Pprof__Mapping *m = a->p->mapping[i];
		Otlp__Mapping x = OTLP__MAPPING__INIT, *to = &x;
		const char *id = text(a, m->build_id);
		int32_t attribute;

		if (m->id != i + 1)
			fail(a->o, -EINVAL);
		x.memory_start = m->memory_start;
		x.memory_limit = m->memory_limit;
		x.file_offset = m->file_offset;
		x.filename = string(a, m->filename);
		if (*id) {
			/* Go's own has parts: "a/b/c/d". */
			attribute = enter_text(a->o,
					       strchr(id, '/') ? "process.executable.build_id.go"
							       : "process.executable.build_id.gnu",
					       id);
			x.n_attribute_indices = 1;
			x.attribute_indices = &attribute;
		}
		a->mappings[i] = ENTER(a->o, MAPPINGS, mapping_table, to);
	}
}

static void take_functions(struct adding *a)
{
	for (size_t i = 0; i < a->p->n_function && !a->o->err; i++) {
		const Pprof__Function *f = a->p->function[i];
		Otlp__Function x = OTLP__FUNCTION__INIT, *to = &x;

		if (f->id != i + 1)
			fail(a->o, -EINVAL);
		x.name = string(a, f->name);
		x.system_name = string(a, f->system_name);
		x.filename = string(a, f->filename);
		x.start_line = f->start_line;
		a->functions[i] = ENTER(a->o, FUNCTIONS, function_table, to);
	}
}

/* The outermost function of a location; NULL for none. */
static const Pprof__Function *outermost(struct adding *a, const Pprof__Location *l)
{
	const uint64_t id = l->n_line ? l->line[l->n_line - 1]->function_id : 0;

	return id && id <= a->p->n_function ? a->p->function[id - 1] : NULL;
}

static void find_go(struct adding *a)
{
	for (size_t i = 0; i < a->p->n_location && !a->o->err; i++) {
		const Pprof__Location *l = a->p->location[i];
		const Pprof__Function *f = outermost(a, l);

		if (f && l->mapping_id && l->mapping_id <= a->p->n_mapping)
			a->of_go[l->mapping_id - 1] |= frame_is_go(text(a, f->filename));
	}
}

/* The attribute of a location, 0 for none. */
static int32_t type_of(struct adding *a, const Pprof__Location *l)
{
	const Pprof__Function *f = outermost(a, l);
	const bool mapped = l->mapping_id && l->mapping_id <= a->p->n_mapping;
	const struct frame_place p = {
		.address = l->address,
		.mapping = mapped ? text(a, a->p->mapping[l->mapping_id - 1]->filename) : NULL,
		.file = f ? text(a, f->filename) : "",
		.linker = f ? text(a, f->system_name) : "",
		.beside_go = mapped && a->of_go[l->mapping_id - 1],
	};
	const char *type = a->o->err ? NULL : frame_type(&p);

	return type ? enter_text(a->o, "profile.frame.type", type) : 0;
}

static void take_locations(struct adding *a)
{
	Otlp__Line *lines = NULL, **of = NULL;
	size_t cap_lines = 0, cap_of = 0;

	for (size_t i = 0; i < a->p->n_location && !a->o->err; i++) {
		const Pprof__Location *l = a->p->location[i];
		Otlp__Location x = OTLP__LOCATION__INIT, *to = &x;
		int32_t type;

		if (l->id != i + 1)
			fail(a->o, -EINVAL);
		if (vec_reserve(&lines, &cap_lines, l->n_line + 1) ||
		    vec_reserve(&of, &cap_of, l->n_line + 1)) {
			fail(a->o, -ENOMEM);
			break;
		}
		for (size_t k = 0; k < l->n_line; k++) {
			of[k] = &lines[k];
			lines[k] = (Otlp__Line)OTLP__LINE__INIT;
			lines[k].function_index = known(a, a->functions, l->line[k]->function_id,
							a->p->n_function);
			lines[k].line = l->line[k]->line;
		}
		x.mapping_index = known(a, a->mappings, l->mapping_id, a->p->n_mapping);
		x.address = l->address;
		x.n_lines = l->n_line;
		x.lines = of;
		type = type_of(a, l);
		x.n_attribute_indices = type != 0;
		x.attribute_indices = &type;
		a->locations[i] = ENTER(a->o, LOCATIONS, location_table, to);
	}
	free(lines);
	free(of);
}

/* A label with neither a text nor a number is one of an empty text. */
static int32_t take_label(struct adding *a, const Pprof__Label *l)
{
	Otlp__Value number = OTLP__VALUE__INIT;

	if (l->str || !l->num)
		return enter_text(a->o, otlp_name(text(a, l->key)), text(a, l->str));
	number.value_case = OTLP__VALUE__VALUE_NUMBER;
	number.number = l->num;
	return enter_attribute(a->o, otlp_name(text(a, l->key)), &number);
}

/* Its stack and its labels. */
static void take_sample(struct adding *a, size_t i)
{
	const Pprof__Sample *s = a->p->sample[i];
	Otlp__Stack x = OTLP__STACK__INIT, *to = &x;
	int32_t *at = malloc((s->n_location_id + 1) * sizeof(*at));

	a->attributes[i] = malloc((s->n_label + 1) * sizeof(**a->attributes));
	if (!at || !a->attributes[i])
		fail(a->o, -ENOMEM);
	for (size_t k = 0; k < s->n_location_id && !a->o->err; k++)
		at[k] = known(a, a->locations, s->location_id[k], a->p->n_location);
	x.n_location_indices = s->n_location_id;
	x.location_indices = at;
	a->stacks[i] = ENTER(a->o, STACKS, stack_table, to);
	for (size_t k = 0; k < s->n_label && !a->o->err; k++)
		a->attributes[i][k] = take_label(a, s->label[k]);
	if (s->n_value != a->p->n_sample_type)
		fail(a->o, -EINVAL);
	free(at);
}

static void take_all(struct adding *a)
{
	const Pprof__Profile *p = a->p;

	a->strings = calloc(p->n_string_table + 1, sizeof(*a->strings));
	a->mappings = calloc(p->n_mapping + 1, sizeof(*a->mappings));
	a->of_go = calloc(p->n_mapping + 1, sizeof(*a->of_go));
	a->functions = calloc(p->n_function + 1, sizeof(*a->functions));
	a->locations = calloc(p->n_location + 1, sizeof(*a->locations));
	a->stacks = calloc(p->n_sample + 1, sizeof(*a->stacks));
	a->attributes = calloc(p->n_sample + 1, sizeof(*a->attributes));
	if (!a->strings || !a->mappings || !a->of_go || !a->functions || !a->locations ||
	    !a->stacks || !a->attributes) {
		fail(a->o, -ENOMEM);
		return;
	}
	take_mappings(a);
	take_functions(a);
	find_go(a);
	take_locations(a);
	for (size_t i = 0; i < p->n_sample && !a->o->err; i++)
		take_sample(a, i);
}

static void forget(struct adding *a)
{
	for (size_t i = 0; a->attributes && i < a->p->n_sample; i++)
		free(a->attributes[i]);
	free(a->attributes);
	free(a->strings);
	free(a->mappings);
	free(a->of_go);
	free(a->functions);
	free(a->locations);
	free(a->stacks);
}

/* ---- profiles */

static void fill_type(struct adding *a, Otlp__ValueType *to, const Pprof__ValueType *from)
{
	to->type = string(a, from->type);
	to->unit = string(a, from->unit);
}

/* What pprof calls comments is an attribute, a list; none: 0. */
static int32_t take_comments(struct adding *a)
{
	const size_t n = a->p->n_comment;
	Otlp__Value all = OTLP__VALUE__INIT, *values = calloc(n + 1, sizeof(*values)),
		    **of = calloc(n + 1, sizeof(*of));
	Otlp__List list = OTLP__LIST__INIT;
	int32_t i = 0;

	if (!values || !of)
		fail(a->o, -ENOMEM);
	for (size_t k = 0; k < n && !a->o->err; k++) {
		of[k] = &values[k];
		values[k] = (Otlp__Value)OTLP__VALUE__INIT;
		values[k].value_case = OTLP__VALUE__VALUE_TEXT;
		values[k].text = utf8_copy(text(a, a->p->comment[k]));
		if (!values[k].text)
			fail(a->o, -ENOMEM);
	}
	list.n_values = n;
	list.values = of;
	all.value_case = OTLP__VALUE__VALUE_LIST;
	all.list = &list;
	if (n && !a->o->err)
		i = enter_attribute(a->o, "pprof.profile.comment", &all);
	for (size_t k = 0; values && k < n; k++)
		if (values[k].value_case)
			free(values[k].text);
	free(values);
	free(of);
	return i;
}

/* All but the samples. */
static void put_head(struct adding *a, size_t type, const struct otlp_source *of, struct bytes *to)
{
	static const uint8_t none[sizeof(of->id)];
	const Pprof__Profile *p = a->p;
	Otlp__Profile x = OTLP__PROFILE__INIT;
	Otlp__ValueType values = OTLP__VALUE_TYPE__INIT, period = OTLP__VALUE_TYPE__INIT;
	uint8_t id[sizeof(of->id)];
	int32_t comments = take_comments(a);

	fill_type(a, &values, p->sample_type[type]);
	x.sample_type = &values;
	if (p->period_type) {
		fill_type(a, &period, p->period_type);
		x.period_type = &period;
	}
	x.period = p->period;
	x.time_unix_nano = (uint64_t)p->time_nanos;
	x.duration_nano = (uint64_t)p->duration_nanos;
	if (memcmp(of->id, none, sizeof(none)) != 0) {
		memcpy(id, of->id, sizeof(id));
		id[sizeof(id) - 1] ^= (uint8_t)type;
		x.profile_id = (ProtobufCBinaryData){ sizeof(id), id };
	}
	x.n_attribute_indices = comments != 0;
	x.attribute_indices = &comments;
	put(a->o, to, &x.base);
}

static void put_profile(struct adding *a, size_t type, const struct otlp_source *of,
			struct bytes *scope)
{
	struct bytes profile = { 0 };
	size_t n = 0;

	while (n < a->p->n_sample && !a->p->sample[n]->value[type])
		n++;
	if (n == a->p->n_sample)
		return;
	put_head(a, type, of, &profile);
	for (size_t i = 0; i < a->p->n_sample && !a->o->err; i++) {
		const Pprof__Sample *s = a->p->sample[i];
		Otlp__Profile part = OTLP__PROFILE__INIT;
		Otlp__Sample x = OTLP__SAMPLE__INIT, *samples = &x;

		if (!s->value[type])
			continue;
		x.stack_index = a->stacks[i];
		x.n_attribute_indices = s->n_label;
		x.attribute_indices = a->attributes[i];
		x.n_values = 1;
		x.values = &s->value[type];
		part.n_samples = 1;
		part.samples = &samples;
		put(a->o, &profile, &part.base);
	}
	put_within(a->o, scope, 2, &profile);
	free(profile.data);
}

static void put_attribute(struct otlp_out *o, const struct otlp_attribute *from, struct bytes *to)
{
	Otlp__Resource part = OTLP__RESOURCE__INIT;
	Otlp__KeyValue one = OTLP__KEY_VALUE__INIT, *attributes = &one;
	Otlp__Value value = OTLP__VALUE__INIT;
	char *key = utf8_copy(from->name), *clean = utf8_copy(from->text ? from->text : "");

	if (!key || !clean)
		fail(o, -ENOMEM);
	one.key = key;
	one.value = &value;
	value.value_case = from->text ? OTLP__VALUE__VALUE_TEXT : OTLP__VALUE__VALUE_NUMBER;
	if (from->text)
		value.text = clean;
	else
		value.number = from->number;
	part.n_attributes = 1;
	part.attributes = &attributes;
	put(o, to, &part.base);
	free(key);
	free(clean);
}

static void put_resource(struct otlp_out *o, const struct otlp_source *of, struct bytes *to)
{
	struct bytes attributes = { 0 };

	for (size_t i = 0; i < of->n && !o->err; i++)
		put_attribute(o, &of->attributes[i], &attributes);
	put_within(o, to, 1, &attributes);
	free(attributes.data);
}

static void put_scope(struct otlp_out *o, const struct otlp_source *of, struct bytes *to)
{
	Otlp__ScopeProfiles part = OTLP__SCOPE_PROFILES__INIT;
	Otlp__Scope scope = OTLP__SCOPE__INIT;

	scope.name = (char *)(uintptr_t) "gotrace";
	if (of->version)
		scope.version = (char *)(uintptr_t)of->version;
	part.scope = &scope;
	put(o, to, &part.base);
}

struct otlp_out *otlp_out_new(void)
{
	struct otlp_out *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	enter_nothing(o);
	if (!o->err)
		return o;
	otlp_out_free(o);
	return NULL;
}

int otlp_out_add(struct otlp_out *o, const Pprof__Profile *p, const struct otlp_source *of)
{
	struct adding a = { .o = o, .p = p };
	struct bytes resource = { 0 }, scope = { 0 };

	take_all(&a);
	put_resource(o, of, &resource);
	put_scope(o, of, &scope);
	for (size_t i = 0; i < p->n_sample_type && !o->err; i++)
		put_profile(&a, i, of, &scope);
	put_within(o, &resource, 2, &scope);
	put_within(o, &o->resources, 1, &resource);
	free(resource.data);
	free(scope.data);
	forget(&a);
	return o->err;
}

size_t otlp_out_size(const struct otlp_out *o)
{
	return o->dictionary.n + o->resources.n + 16;
}

uint8_t *otlp_out_message(struct otlp_out *o, size_t *n)
{
	struct bytes all = { 0 };

	append(o, &all, o->resources.data, o->resources.n);
	put_within(o, &all, 2, &o->dictionary);
	*n = all.n;
	if (!o->err)
		return all.data;
	free(all.data);
	return NULL;
}

void otlp_out_free(struct otlp_out *o)
{
	if (!o)
		return;
	hash_index_free(&o->index);
	free(o->entries);
	free(o->dictionary.data);
	free(o->resources.data);
	protoout_free(&o->packed);
	free(o);
}
