// SPDX-License-Identifier: BSD-2-Clause
#include "attach/probes/kernel_types.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash_index.h"
#include "base/log.h"
#include "base/vec.h"

/* ---- all of them: what a kernel has does not change while it runs */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct btf *kernel;

#define SECTION "tp_btf"

/* A program of a tracepoint is loaded with the tracepoint's type, and is of a type for which libbpf
 * would read them all. Until here it has another one. */
static int set_tracepoint(struct bpf_program *p, struct bpf_prog_load_opts *opts, long cookie)
{
	const char *section = bpf_program__section_name(p);
	char type[128];

	(void)cookie;
	snprintf(type, sizeof(type), "btf_trace_%s", section + strlen(SECTION "/"));
	int id = btf__find_by_name_kind(kernel, type, BTF_KIND_TYPEDEF);

	if (id < 0)
		return id;
	opts->attach_btf_id = (__u32)id;
	opts->expected_attach_type = BPF_TRACE_RAW_TP;
	return bpf_program__set_type(p, BPF_PROG_TYPE_TRACING);
}

/* Read, the file comes a page at a time, some thousand of them. Since Linux 6.16 it can be
 * mapped. */
static struct btf *load_mapped(void)
{
	int fd = open("/sys/kernel/btf/vmlinux", O_RDONLY | O_CLOEXEC);
	struct btf *b = NULL;
	struct stat st;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && st.st_size > 0 && st.st_size < UINT32_MAX) {
		const size_t bytes = (size_t)st.st_size;
		void *at = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);

		if (at != MAP_FAILED) {
			b = btf__new(at, (__u32)bytes);
			munmap(at, bytes);
		}
	}
	close(fd);
	return b;
}

static void read_kernel(void)
{
	LIBBPF_OPTS(libbpf_prog_handler_opts, opts, .prog_prepare_load_fn = set_tracepoint);

	kernel = load_mapped();
	if (!kernel)
		kernel = btf__load_vmlinux_btf();
	if (kernel && libbpf_register_prog_handler(SECTION "+", BPF_PROG_TYPE_RAW_TRACEPOINT,
						   BPF_TRACE_RAW_TP, &opts) >= 0)
		return;
	log_debug("libbpf reads the kernel's types for each object: %s", strerror(errno));
	btf__free(kernel);
	kernel = NULL;
}

/* ---- those that an object names */

struct copy {
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
	const char *name = btf__name_by_offset(kernel, t->name_off);
	const struct btf_member *m = btf_members(t);
	int err = copy_members(c, t);

	if (err)
		return err;
	int id = btf_is_union(t) ? btf__add_union(c->to, name, t->size)
				 : btf__add_struct(c->to, name, t->size);
	for (int i = 0; id > 0 && i < btf_vlen(t); i++) {
		err = btf__add_field(c->to, btf__name_by_offset(kernel, m[i].name_off),
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

/* What is behind a pointer is another type; names of the same type are nothing of their own. */
static int copy_new(struct copy *c, __u32 id)
{
	const struct btf_type *t = btf__type_by_id(kernel, id);

	if (!t)
		return -EINVAL;
	if (btf_is_mod(t) || btf_is_typedef(t) || btf_is_type_tag(t))
		return t->type ? copy_type(c, t->type) : 0;
	if (btf_is_composite(t))
		return copy_struct(c, t);
	if (btf_is_array(t))
		return copy_array(c, t);
	if (!btf_is_ptr(t))
		return btf__add_type(c->to, kernel, t);
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

/* As libbpf sees it: "task_struct___waits" is a view of task_struct. */
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

/* Whether a type has a name that may be looked for. Structs mostly; what else has one is small. */
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
	const __u32 n = btf__type_cnt(kernel);
	int err = list_names(c);

	for (__u32 id = 1; !err && id < n; id++) {
		const struct btf_type *t = btf__type_by_id(kernel, id);
		const char *name = btf_is_typedef(t) ? NULL : name_of(kernel, t);

		if (name && has_name(c, name, strlen(name)))
			err = copy_type(c, id) < 0 ? -EINVAL : 0;
	}
	return err;
}

/* A file in memory. Its descriptor, or -errno. */
static int write_types(const struct btf *b)
{
	__u32 bytes;
	const void *data = btf__raw_data(b, &bytes);
	int fd = data ? memfd_create("gotrace-types", MFD_CLOEXEC) : -1;

	if (fd >= 0 && write(fd, data, bytes) == (ssize_t)bytes)
		return fd;
	int err = errno ? -errno : -EIO;
	if (fd >= 0)
		close(fd);
	return err;
}

static int types_of(const struct btf *object)
{
	struct copy c = { .object = object };
	int err = -ENOMEM;

	c.to = btf__new_empty();
	c.ids = calloc(btf__type_cnt(kernel), sizeof(*c.ids));
	if (c.to && c.ids)
		err = copy_named(&c);
	if (!err)
		err = write_types(c.to);
	btf__free(c.to);
	hash_index_free(&c.names);
	free(c.list);
	free(c.ids);
	return err;
}

struct bpf_object *kernel_types_open(const char *name, const void *object, size_t bytes, int *types)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = name);
	struct bpf_object *o = bpf_object__open_mem(object, bytes, &opts);
	char path[32];

	*types = -1;
	pthread_once(&once, read_kernel);
	if (!o || !kernel || !bpf_object__btf(o))
		return o;
	*types = types_of(bpf_object__btf(o));
	if (*types < 0) {
		log_debug("types of %s cannot be picked out: %s", name, strerror(-*types));
		*types = -1;
		return o;
	}
	bpf_object__close(o);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", *types);
	opts.btf_custom_path = path;
	return bpf_object__open_mem(object, bytes, &opts);
}

struct bpf_link *kernel_types_attach(struct bpf_object *o, const char *program)
{
	struct bpf_program *p = bpf_object__find_program_by_name(o, program);

	if (!p) {
		errno = ENOENT;
		return NULL;
	}
	return bpf_program__attach_trace(p);
}
