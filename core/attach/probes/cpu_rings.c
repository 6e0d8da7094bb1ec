// SPDX-License-Identifier: BSD-2-Clause
#include "attach/probes/cpu_rings.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static size_t ring_size(size_t bytes, size_t bytes_sum, unsigned n_cpus)
{
	size_t page = sysconf(_SC_PAGESIZE), size = page;
	size_t share = bytes_sum / (n_cpus ? n_cpus : 1);
	size_t wanted = bytes < share || !bytes_sum ? bytes : share;

	while (size < wanted && size < (size_t)1 << 31)
		size *= 2;
	return size > wanted && size > page && bytes_sum && size * n_cpus > bytes_sum ? size / 2
										      : size;
}

/* All at once: each update of such a map waits for a grace period of RCU, 10 ms and more, a batch
 * for one (since Linux 6.7; kernels before take no batch or wait for each). 0 or -errno. */
static int put_rings(int map, const uint32_t *cpus, const int *fds, uint32_t n)
{
	LIBBPF_OPTS(bpf_map_batch_opts, opts);
	uint32_t count = n;

	if (!bpf_map_update_batch(map, cpus, fds, &count, &opts))
		return 0;
	for (uint32_t i = 0; i < n; i++)
		if (bpf_map_update_elem(map, &cpus[i], &fds[i], BPF_ANY))
			return -errno;
	return 0;
}

/* The map's own type of rings is that of the first. */
static int make_map(struct cpu_rings *r, const uint32_t *cpus, const int *fds, uint32_t n)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .inner_map_fd = (uint32_t)fds[0]);

	r->map = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "rings", sizeof(uint32_t),
				sizeof(uint32_t), r->n_cpus, &opts);
	return r->map < 0 ? -errno : put_rings(r->map, cpus, fds, n);
}

/* CPUs that are not there but could be plugged in have no ring: events on them would be counted as
 * lost. CPUs that are offline have one. */
static int fill(struct cpu_rings *r, uint32_t *cpus, int *fds)
{
	long present = sysconf(_SC_NPROCESSORS_CONF);
	uint32_t n = 0;

	for (uint32_t cpu = 0; cpu < r->n_cpus; cpu++) {
		char path[64];
		struct stat st;

		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u", cpu);
		if (cpu >= (unsigned)present && stat(path, &st))
			continue;
		r->fds[cpu] = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "ring", 0, 0, r->ring_bytes,
					     NULL);
		r->failed = cpu;
		if (r->fds[cpu] < 0)
			return -errno;
		cpus[n] = cpu;
		fds[n++] = r->fds[cpu];
	}
	return n ? make_map(r, cpus, fds, n) : -ENODEV;
}

int cpu_rings_make(struct cpu_rings *r, size_t bytes, size_t bytes_sum)
{
	const int n = libbpf_num_possible_cpus();

	*r = (struct cpu_rings){ .map = -1, .n_cpus = n > 0 ? (unsigned)n : 1 };
	r->ring_bytes = ring_size(bytes, bytes_sum, (unsigned)sysconf(_SC_NPROCESSORS_CONF));
	r->fds = calloc(r->n_cpus, sizeof(*r->fds));
	uint32_t *cpus = calloc(r->n_cpus, sizeof(*cpus));
	int *fds = calloc(r->n_cpus, sizeof(*fds));
	int err = r->fds && cpus && fds ? 0 : -ENOMEM;

	if (r->fds)
		memset(r->fds, -1, r->n_cpus * sizeof(*r->fds));
	if (!err)
		err = fill(r, cpus, fds);
	free(cpus);
	free(fds);
	if (err) {
		const struct cpu_rings failed = *r;

		cpu_rings_close(r);
		r->ring_bytes = failed.ring_bytes;
		r->failed = failed.failed;
	}
	return err;
}

void cpu_rings_close(struct cpu_rings *r)
{
	for (unsigned i = 0; r->fds && i < r->n_cpus; i++)
		if (r->fds[i] >= 0)
			close(r->fds[i]);
	free(r->fds);
	if (r->map >= 0)
		close(r->map);
	*r = (struct cpu_rings){ .map = -1 };
}
