// SPDX-License-Identifier: BSD-2-Clause
#include "attach/probes/children.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "attach/probes/embedded_bpf.h"
#include "base/log.h"

static int load(struct children *c, const struct target_config *target)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "children");
	struct bpf_map *rodata;
	size_t size = 0;
	void *config;
	int err;

	c->object = bpf_object__open_mem(bpf_children_start, bpf_children_end - bpf_children_start,
					 &opts);
	if (!c->object)
		return -errno;
	rodata = bpf_object__find_map_by_name(c->object, ".rodata");
	config = rodata ? bpf_map__initial_value(rodata, &size) : NULL;
	if (!config || size < sizeof(*target))
		return -EINVAL;
	memcpy(config, target, sizeof(*target));
	err = bpf_object__load(c->object);
	if (err)
		return err;
	c->state = embedded_bpf_map(c->object, ".bss", sizeof(*c->state));
	if (!c->state)
		return -errno;
	c->fork = bpf_program__attach(bpf_object__find_program_by_name(c->object, "on_fork"));
	if (c->fork)
		c->exec = bpf_program__attach(
			bpf_object__find_program_by_name(c->object, "on_exec"));
	return c->exec ? 0 : -errno;
}

void children_watch(struct children *c, const struct target_config *target, int exe_fd)
{
	struct target_config t = *target;
	struct stat st;
	int err;

	*c = (struct children){ 0 };
	t.exe_ino = fstat(exe_fd, &st) ? 0 : st.st_ino;
	err = load(c, &t);
	if (err) {
		log_debug("children of the target cannot be counted: %s", strerror(-err));
		children_close(c);
	}
}

bool children_counted(const struct children *c)
{
	return c->exec != NULL;
}

void children_close(struct children *c)
{
	bpf_link__destroy(c->fork);
	bpf_link__destroy(c->exec);
	embedded_bpf_unmap(c->state, sizeof(*c->state));
	bpf_object__close(c->object);
	*c = (struct children){ 0 };
}
