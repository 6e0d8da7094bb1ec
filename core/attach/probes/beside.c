// SPDX-License-Identifier: BSD-2-Clause
#include "attach/probes/beside.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <unistd.h>

#include "attach/probes/embedded_bpf.h"
#include "attach/probes/kernel_types.h"
#include "attach/target/target.h"

/* What it has in common with the probes. */
static int share_maps(struct bpf_object *o, const struct probes *probes)
{
	static const char *const names[] = { BPF_NAME(probes, rings), BPF_NAME(probes, counters),
					     BPF_NAME(probes, lost_goids), ".bss" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct bpf_map *map = bpf_object__find_map_by_name(o, names[i]);
		int fd = bpf_object__find_map_fd_by_name(probes->object, names[i]);
		int err = fd < 0 ? -ENOENT : 0;

		/* An object without a loss to count has no map for it. */
		if (!err && map)
			err = bpf_map__reuse_fd(map, fd);
		if (err)
			return err;
	}
	return 0;
}

static int configure(struct bpf_object *o, const struct probes *probes, int64_t tls_g)
{
	struct probe_config *config = embedded_bpf_config(o, sizeof(*config));

	if (!config)
		return -EINVAL;
	*config = probes->config;
	config->tls_g = tls_g;
	return target_identify(getpid(), &config->tracer);
}

int beside_load(struct bpf_object **object, void **state, size_t state_bytes,
		const struct probes *probes, int64_t tls_g, const char *name,
		const unsigned char *start, const unsigned char *end)
{
	int types;
	struct bpf_object *o = kernel_types_open(name, start, (size_t)(end - start), &types);
	int err = o ? configure(o, probes, tls_g) : -errno;

	*object = NULL;
	*state = NULL;
	if (!err)
		err = share_maps(o, probes);
	if (!err)
		err = bpf_object__load(o);
	if (types >= 0)
		close(types);
	if (!err) {
		*state = embedded_bpf_map(o, ".bss.own", state_bytes);
		err = *state ? 0 : -errno;
	}
	if (err)
		bpf_object__close(o);
	else
		*object = o;
	return err;
}
