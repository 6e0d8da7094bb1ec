// SPDX-License-Identifier: BSD-2-Clause
#include "attach/probes/btf_part.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_index.h"
#include "base/log.h"
#include "base/vec.h"

struct copy {
	const struct btf *all;
	struct btf *to;
	int *ids; /* by id in the kernel's, 0: not there yet */
	int pointer;
	struct hash_index names; /* of list */
	const char **list;
	size_t n, cap;
	const struct btf *object;
};

static int copy_type(struct copy *c, __u32 id);

static int copy_members(struct copy *c, const struct btf_type *t)
{
	const struct btf_member *m = btf_members(t);

	for (int i = 0; i < btf_vlen(t); i++) {
		int type = copy_type(c, m[i].type);

		if (type < 0)
			return type;
	}
	return 0;
}

/* Its members' types first: fields are added to what was added last. */
static int copy_struct(struct copy *c, const struct btf_type *t)
{
	const char *name = btf__name_by_offset(c->all, t->name_off);
	const struct btf_member *m = btf_members(t);
	int err = copy_members(c, t);

	if (err)
		return err;
	int id = btf_is_union(t) ? btf__add_union(c->to, name, t->size)
				 : btf__add_struct(c->to, name, t->size);
	for (int i = 0; id > 0 && i < btf_vlen(t); i++) {
		err = btf__add_field(c->to, btf__name_by_offset(c->all, m[i].name_off),
				     copy_type(c, m[i].type), btf_member_bit_offset(t, i),
				     btf_member_bitfield_size(t, i));
		if (err)
			return err;
	}
	return id;
}

static int copy_array(struct copy *c, const struct btf_type *t)
{
	const struct btf_array *a = btf_array(t);
	int index = copy_type(c, a->index_type), element = copy_type(c, a->type);

	if (index < 0 || element < 0)
		return index < 0 ? index : element;
	return btf__add_array(c->to, index, element, a->nelems);
}

/* A pointer's target is not copied. Typedefs and qualifiers are skipped. */
static int copy_new(struct copy *c, __u32 id)
{
	const struct btf_type *t = btf__type_by_id(c->all, id);

	if (!t)
		return -EINVAL;
	if (btf_is_mod(t) || btf_is_typedef(t) || btf_is_type_tag(t))
		return t->type ? copy_type(c, t->type) : 0;
	if (btf_is_composite(t))
		return copy_struct(c, t);
	if (btf_is_array(t))
		return copy_array(c, t);
	if (!btf_is_ptr(t))
		return btf__add_type(c->to, c->all, t);
	if (!c->pointer)
		c->pointer = btf__add_ptr(c->to, 0);
	return c->pointer;
}

static int copy_type(struct copy *c, __u32 id)
{
	if (!c->ids[id]) {
		int new = copy_new(c, id);

		if (new <= 0)
			return new;
		c->ids[id] = new;
	}
	return c->ids[id];
}

/* libbpf takes "task_struct___waits" for a view of task_struct. */
static size_t name_bytes(const char *name)
{
	const char *view = strstr(name, "___");

	return view ? (size_t)(view - name) : strlen(name);
}

static bool has_name(const struct copy *c, const char *name, size_t n)
{
	size_t at;
	const uint32_t hash = hash_bytes(name, n);

	for (uint32_t i = hash_index_first(&c->names, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&c->names, hash, &at))
		if (name_bytes(c->list[i]) == n && !memcmp(c->list[i], name, n))
			return true;
	return false;
}

/* The name of a type that an object may look for; NULL: none. Most such types are structs. */
static const char *name_of(const struct btf *b, const struct btf_type *t)
{
	if (!btf_is_composite(t) && !btf_is_any_enum(t) && !btf_is_typedef(t) && !btf_is_int(t))
		return NULL;
	const char *name = btf__name_by_offset(b, t->name_off);

	return name && *name ? name : NULL;
}

static int list_names(struct copy *c)
{
	int err = 0;

	for (__u32 id = 1; !err && id < btf__type_cnt(c->object); id++) {
		const char *name = name_of(c->object, btf__type_by_id(c->object, id));
		size_t n = name ? name_bytes(name) : 0;

		if (!n || has_name(c, name, n))
			continue;
		err = vec_reserve(&c->list, &c->cap, c->n + 1);
		if (!err)
			err = hash_index_put(&c->names, hash_bytes(name, n), (uint32_t)c->n);
		if (!err)
			c->list[c->n++] = name;
	}
	return err;
}

static int copy_named(struct copy *c)
{
	const __u32 n = btf__type_cnt(c->all);
	int err = list_names(c);

	for (__u32 id = 1; !err && id < n; id++) {
		const struct btf_type *t = btf__type_by_id(c->all, id);
		const char *name = btf_is_typedef(t) ? NULL : name_of(c->all, t);

		if (name && has_name(c, name, strlen(name)))
			err = copy_type(c, id) < 0 ? -EINVAL : 0;
	}
	return err;
}

struct btf *btf_part_of(const struct btf *all, const struct btf *object)
{
	struct copy c = { .all = all, .object = object };
	int err = -ENOMEM;

	c.to = btf__new_empty();
	c.ids = calloc(btf__type_cnt(all), sizeof(*c.ids));
	if (c.to && c.ids)
		err = copy_named(&c);
	if (err) {
		log_debug("types cannot be picked out: %s", strerror(-err));
		btf__free(c.to);
		c.to = NULL;
	}
	hash_index_free(&c.names);
	free(c.list);
	free(c.ids);
	return c.to;
}
