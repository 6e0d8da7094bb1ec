// SPDX-License-Identifier: BSD-2-Clause
#include "attach/sample/sample_bpf.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/probes/embedded_bpf.h"
#include "base/log.h"

static int map_fd(const struct sample_bpf *s, const char *name)
{
	return bpf_object__find_map_fd_by_name(s->object, name);
}

static int on_record(void *ctx, void *data, size_t size)
{
	const struct sample_bpf_reader *r = ctx;
	const struct sample_head *h = data;

	if (h->kind == SAMPLE_RECORD_STACK && size >= offsetof(struct sample_record, pcs))
		r->sample(r->ctx, data);
	else if (h->kind == SAMPLE_RECORD_LABELS &&
		 size >= offsetof(struct sample_label_record, label))
		r->labels(r->ctx, data);
	return 0;
}

static int configure(struct sample_bpf *s, const struct sample_config *config, size_t ring_bytes)
{
	struct bpf_map *rodata = bpf_object__find_map_by_name(s->object, ".rodata");
	struct bpf_map *ring = bpf_object__find_map_by_name(s->object, "ring");
	size_t size = 0;
	void *to = rodata ? bpf_map__initial_value(rodata, &size) : NULL;

	if (!to || size < sizeof(*config) || !ring)
		return -EINVAL;
	memcpy(to, config, sizeof(*config));
	return bpf_map__set_max_entries(ring, ring_bytes);
}

static int refuse(int err)
{
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		log_error(
			"sampling needs the kernel's type information, which this kernel does not "
			"have (/sys/kernel/btf/vmlinux): use one built with CONFIG_DEBUG_INFO_BTF, or "
			"trace with gotrace record");
	else if (err == -EPERM || err == -EACCES)
		log_error("sampling is not permitted: run gotrace as root");
	else
		log_error(
			"the kernel does not take the sampling program: %s; it needs Linux 5.17 or "
			"newer (GOTRACE_DEBUG=1 shows why)",
			strerror(-err));
	return err;
}

int sample_bpf_load(struct sample_bpf *s, const struct sample_config *config, size_t ring_bytes,
		    const struct sample_bpf_reader *reader)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "sample");

	embedded_bpf_log();
	*s = (struct sample_bpf){ .program_fd = -1, .n_cpus = libbpf_num_possible_cpus() };
	s->object = bpf_object__open_mem(bpf_sample_start, bpf_sample_end - bpf_sample_start,
					 &opts);
	int err = s->object ? configure(s, config, ring_bytes) : -errno;

	if (!err)
		err = bpf_object__load(s->object);
	if (!err) {
		s->program_fd = bpf_program__fd(
			bpf_object__find_program_by_name(s->object, "on_event"));
		s->ring = ring_buffer__new(map_fd(s, "ring"), on_record, (void *)reader, NULL);
		err = s->ring ? 0 : -errno;
	}
	if (!err)
		return 0;
	sample_bpf_unload(s);
	return refuse(err);
}

static int put_rows(const struct sample_bpf *s, uint32_t slot, const struct sample_row *rows,
		    size_t n)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_INNER_MAP);
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "rows", sizeof(uint32_t), sizeof(*rows), n,
				&opts);
	LIBBPF_OPTS(bpf_map_batch_opts, batch);
	uint32_t *keys = malloc(n * sizeof(*keys)), count = n;
	int err = fd < 0 ? -errno : keys ? 0 : -ENOMEM;

	for (uint32_t i = 0; !err && i < n; i++)
		keys[i] = i;
	if (!err)
		err = bpf_map_update_batch(fd, keys, rows, &count, &batch);
	if (!err)
		err = bpf_map_update_elem(map_fd(s, "rows"), &slot, &fd, BPF_ANY);
	free(keys);
	if (fd >= 0)
		close(fd); /* the outer map keeps it */
	return err;
}

int sample_bpf_add(struct sample_bpf *s, const struct sample_key *key, struct sample_binary *b,
		   const struct sample_row *rows, size_t n)
{
	int err = 0;

	b->n_rows = 0;
	if (n) {
		if (s->n_slots == SAMPLE_BINARIES || n > UINT32_MAX / sizeof(*rows))
			return -ENOSPC;
		b->slot = s->n_slots;
		b->n_rows = n;
		err = put_rows(s, b->slot, rows, n);
		s->n_slots += !err;
	}
	return err ? err : bpf_map_update_elem(map_fd(s, "binaries"), key, b, BPF_ANY);
}

int sample_bpf_read(struct sample_bpf *s)
{
	int n = ring_buffer__consume(s->ring);

	return n < 0 ? n : 0;
}

struct sample_counters sample_bpf_counters(const struct sample_bpf *s)
{
	struct sample_counters sum = { 0 }, *each = calloc(s->n_cpus, sizeof(*each));
	uint32_t zero = 0;

	if (each && s->object && !bpf_map_lookup_elem(map_fd(s, "counters"), &zero, each))
		for (unsigned i = 0; i < s->n_cpus; i++) {
			sum.samples += each[i].samples;
			sum.lost += each[i].lost;
			sum.lost_period += each[i].lost_period;
			sum.labels_lost += each[i].labels_lost;
		}
	free(each);
	return sum;
}

void sample_bpf_unload(struct sample_bpf *s)
{
	ring_buffer__free(s->ring);
	bpf_object__close(s->object);
	*s = (struct sample_bpf){ .program_fd = -1 };
}
