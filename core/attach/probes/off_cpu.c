// SPDX-License-Identifier: BSD-2-Clause
#include "attach/probes/off_cpu.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "attach/probes/embedded_bpf.h"
#include "attach/target/target.h"
#include "base/log.h"

/* What it has in common with the probes. */
static int share_maps(struct bpf_object *o, const struct probes *probes)
{
	static const char *const names[] = { "rings", "counters", "lost_goids", ".bss" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct bpf_map *map = bpf_object__find_map_by_name(o, names[i]);
		int fd = bpf_object__find_map_fd_by_name(probes->object, names[i]);
		int err = !map || fd < 0 ? -ENOENT : bpf_map__reuse_fd(map, fd);

		if (err)
			return err;
	}
	return 0;
}

static int configure(struct bpf_object *o, const struct probes *probes, int64_t tls_g)
{
	struct bpf_map *rodata = bpf_object__find_map_by_name(o, ".rodata");
	size_t size = 0;
	struct probe_config *config = rodata ? bpf_map__initial_value(rodata, &size) : NULL;

	if (!config || size < sizeof(*config))
		return -EINVAL;
	*config = probes->config;
	config->tls_g = tls_g;
	return target_identify(getpid(), &config->tracer);
}

static int load(struct off_cpu *o, const struct probes *probes, int64_t tls_g)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "off_cpu");

	o->object = bpf_object__open_mem(bpf_off_cpu_start, bpf_off_cpu_end - bpf_off_cpu_start,
					 &opts);
	if (!o->object)
		return -errno;
	int err = configure(o->object, probes, tls_g);

	if (!err)
		err = share_maps(o->object, probes);
	if (!err)
		err = bpf_object__load(o->object);
	if (err)
		return err;
	o->state = embedded_bpf_map(o->object, ".bss.own", sizeof(*o->state));
	if (!o->state)
		return -errno;
	o->link = bpf_program__attach(bpf_object__find_program_by_name(o->object, "on_switch"));
	return o->link ? 0 : -errno;
}

const char *off_cpu_watch(struct off_cpu *o, const struct probes *probes, const struct gobin *b)
{
	int64_t tls_g;
	int err;

	*o = (struct off_cpu){ 0 };
	if (gobin_tls_g(b, &tls_g) || probes->config.g_status < 0)
		return "where a thread of this program keeps its goroutine is not known";
	err = load(o, probes, tls_g);
	if (!err)
		return NULL;
	log_debug("switches of threads cannot be watched: %s", strerror(-err));
	off_cpu_close(o);
	return "this kernel does not allow it (it needs Linux 5.18 or newer, with BTF)";
}

struct off_cpu_state off_cpu_close(struct off_cpu *o)
{
	const struct off_cpu_state seen = o->state ? *o->state : (struct off_cpu_state){ 0 };

	bpf_link__destroy(o->link);
	embedded_bpf_unmap(o->state, sizeof(*o->state));
	bpf_object__close(o->object);
	*o = (struct off_cpu){ 0 };
	return seen;
}
