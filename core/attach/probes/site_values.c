// SPDX-License-Identifier: BSD-2-Clause
#include "attach/probes/site_values.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>

#include "attach/probes/embedded_bpf.h"
#include "bpf/event.h"

int site_values_size(struct bpf_object *object, const struct plan *p)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, BPF_NAME(probes, site_values));
	const struct plan_value *first;
	uint32_t n = 0;

	for (size_t i = 0; i < p->n_sites; i++)
		n += site_values_of(p, &p->sites[i], &first) > 0;
	return map ? bpf_map__set_max_entries(map, n ? n : 1) : -ENOENT;
}

int site_values_fill(struct bpf_object *object, const struct plan *p)
{
	int fd = bpf_object__find_map_fd_by_name(object, BPF_NAME(probes, site_values)),
	    err = fd < 0 ? fd : 0;

	for (uint32_t i = 0; i < p->n_sites && !err; i++) {
		const struct plan_value *first;
		size_t n = site_values_of(p, &p->sites[i], &first);
		struct site_values recipes;

		if (!n)
			continue;
		site_values_recipes(first, n, &recipes);
		if (bpf_map_update_elem(fd, &i, &recipes, BPF_ANY))
			err = -errno;
	}
	return err;
}
