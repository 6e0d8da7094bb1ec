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

#include "attach/kernel/measurement_cache.h"
#include "attach/probes/btf_part.h"
#include "base/log.h"

/* ---- tracepoints */

#define SECTION "tp_btf"

/* Of objects that were opened: the number of a tracepoint's type, with which a program of it is
 * loaded. */
#define TRACEPOINTS_MAX 16
struct tracepoint {
	char name[60];
	uint32_t id;
};
static struct {
	pthread_mutex_t lock;
	struct tracepoint at[TRACEPOINTS_MAX];
	size_t n;
} tracepoints = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* 0: it is not known. */
static uint32_t id_of(const char *name)
{
	uint32_t id = 0;

	pthread_mutex_lock(&tracepoints.lock);
	for (size_t i = 0; i < tracepoints.n && !id; i++)
		if (!strncmp(tracepoints.at[i].name, name, sizeof(tracepoints.at[i].name)))
			id = tracepoints.at[i].id;
	pthread_mutex_unlock(&tracepoints.lock);
	return id;
}

static void learn(const struct tracepoint *t)
{
	if (id_of(t->name))
		return;
	pthread_mutex_lock(&tracepoints.lock);
	if (tracepoints.n < TRACEPOINTS_MAX)
		tracepoints.at[tracepoints.n++] = *t;
	pthread_mutex_unlock(&tracepoints.lock);
}

/* NULL: it is of another section. */
static const char *tracepoint_of(const struct bpf_program *p)
{
	const char *section = bpf_program__section_name(p);

	return strncmp(section, SECTION "/", strlen(SECTION "/")) ? NULL
								  : section + strlen(SECTION "/");
}

static uint32_t id_of_kernel(const char *name);

/* A program of a tracepoint is loaded with the tracepoint's type, and is of a type for which libbpf
 * would read them all. Until here it has another one. */
static int set_tracepoint(struct bpf_program *p, struct bpf_prog_load_opts *opts, long cookie)
{
	const char *name = tracepoint_of(p);
	uint32_t id = name ? id_of(name) : 0;

	(void)cookie;
	if (name && !id) /* its object was opened by others, without kernel_types_open */
		id = id_of_kernel(name);
	if (!id)
		return -ENOENT;
	opts->attach_btf_id = id;
	opts->expected_attach_type = BPF_TRACE_RAW_TP;
	return bpf_program__set_type(p, BPF_PROG_TYPE_TRACING);
}

static pthread_once_t handler_once = PTHREAD_ONCE_INIT;
static bool handles_tracepoints;

static void set_handler(void)
{
	LIBBPF_OPTS(libbpf_prog_handler_opts, opts, .prog_prepare_load_fn = set_tracepoint);

	handles_tracepoints = libbpf_register_prog_handler(SECTION "+",
							   BPF_PROG_TYPE_RAW_TRACEPOINT,
							   BPF_TRACE_RAW_TP, &opts) >= 0;
	if (!handles_tracepoints)
		log_debug("libbpf reads the kernel's types for each object: %s", strerror(errno));
}

/* ---- all types: what a kernel has does not change while it runs */

#define TYPES "/sys/kernel/btf/vmlinux"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct btf *kernel;

/* Read, the file comes a page at a time, some thousand of them. Since Linux 6.16 it can be
 * mapped. */
static struct btf *load_mapped(void)
{
	int fd = open(TYPES, O_RDONLY | O_CLOEXEC);
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
	kernel = load_mapped();
	if (!kernel)
		kernel = btf__load_vmlinux_btf();
	if (!kernel)
		log_debug("the kernel's types cannot be read: %s", strerror(errno));
}

/* 0: the kernel has none of that name, or its types cannot be read. */
static uint32_t id_of_kernel(const char *name)
{
	char type[80];
	int id;

	pthread_once(&once, read_kernel);
	snprintf(type, sizeof(type), "btf_trace_%s", name);
	id = kernel ? btf__find_by_name_kind(kernel, type, BTF_KIND_TYPEDEF) : 0;
	return id > 0 ? (uint32_t)id : 0;
}

/* ---- what an object needs, as it is kept for the next recording */

struct needed {
	uint32_t n_tracepoints;
	struct tracepoint tracepoints[4];
	/* behind it: the types, as in a file */
};

/* Those of the object's programs. false: there are more, or the kernel has none of that name. */
static bool find_tracepoints(const struct bpf_object *o, struct needed *needed)
{
	struct bpf_program *p;

	bpf_object__for_each_program(p, o)
	{
		struct tracepoint *t = &needed->tracepoints[needed->n_tracepoints];
		const char *name = tracepoint_of(p);

		if (!name)
			continue;
		if (needed->n_tracepoints == 4 || strlen(name) >= sizeof(t->name))
			return false;
		strcpy(t->name, name);
		t->id = id_of_kernel(name);
		if (!t->id)
			return false;
		learn(t);
		needed->n_tracepoints++;
	}
	return true;
}

/* One block of memory, to be freed; NULL: it cannot be had. */
static struct needed *find_needed(const struct bpf_object *o, size_t *bytes)
{
	struct needed head = { 0 }, *needed;
	__u32 n = 0;

	if (!bpf_object__btf(o) || !find_tracepoints(o, &head))
		return NULL;
	struct btf *types = btf_part_of(kernel, bpf_object__btf(o));
	const void *raw = types ? btf__raw_data(types, &n) : NULL;

	needed = raw ? malloc(sizeof(head) + n) : NULL;
	*bytes = sizeof(head) + n;
	if (needed) {
		memcpy(needed, &head, sizeof(head));
		memcpy(needed + 1, raw, n);
	}
	btf__free(types);
	return needed;
}

static void name_kept(const char *object, char name[48])
{
	snprintf(name, 48, "types-%s", object);
}

static struct needed *kept(const char *object, size_t *bytes)
{
	char name[48];
	void *data;

	name_kept(object, name);
	/* Where a sandbox hides them it is as if the kernel had none. */
	if (access(TYPES, R_OK) ||
	    !measurement_cache_get_any(MEASUREMENT_CACHE_DIR, name, &data, bytes))
		return NULL;
	if (*bytes > sizeof(struct needed) && ((struct needed *)data)->n_tracepoints <= 4)
		return data;
	free(data);
	return NULL;
}

static struct needed *find_and_keep(const char *object, const struct bpf_object *o, size_t *bytes)
{
	char name[48];

	pthread_once(&once, read_kernel);
	struct needed *needed = kernel ? find_needed(o, bytes) : NULL;

	name_kept(object, name);
	if (needed)
		measurement_cache_put(MEASUREMENT_CACHE_DIR, name, needed, *bytes);
	return needed;
}

/* A file in memory, of the types. Its descriptor, or -errno. */
static int write_types(const struct needed *needed, size_t bytes)
{
	const size_t n = bytes - sizeof(*needed);
	int fd = memfd_create("gotrace-types", MFD_CLOEXEC);

	if (fd < 0 || write(fd, needed + 1, n) == (ssize_t)n)
		return fd < 0 ? -errno : fd;
	int err = errno ? -errno : -EIO;
	close(fd);
	return err;
}

/* ---- objects */

static struct bpf_object *open_with(const char *name, const void *object, size_t bytes, int types)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = name);
	char path[32];

	if (types >= 0) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", types);
		opts.btf_custom_path = path;
	}
	return bpf_object__open_mem(object, bytes, &opts);
}

/* Opens it with what it needs, or as it is where there is nothing. */
static struct bpf_object *open_needed(const char *name, const void *object, size_t bytes,
				      const struct needed *needed, size_t needed_bytes, int *types)
{
	if (needed) {
		*types = write_types(needed, needed_bytes);
		for (uint32_t i = 0; i < needed->n_tracepoints; i++)
			learn(&needed->tracepoints[i]);
		pthread_once(&handler_once, set_handler);
	}
	return open_with(name, object, bytes, *types);
}

struct bpf_object *kernel_types_open(const char *name, const void *object, size_t bytes, int *types)
{
	size_t needed_bytes;
	struct needed *needed = kept(name, &needed_bytes);

	*types = -1;
	if (!needed) {
		struct bpf_object *o = open_with(name, object, bytes, -1);

		needed = o ? find_and_keep(name, o, &needed_bytes) : NULL;
		if (!needed)
			return o;
		bpf_object__close(o);
	}
	struct bpf_object *o = open_needed(name, object, bytes, needed, needed_bytes, types);
	const int err = errno;

	free(needed);
	errno = err;
	return o;
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
