// SPDX-License-Identifier: BSD-2-Clause
#include "sample/sample_bpf.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attach/probes/embedded_bpf.h"
#include "attach/probes/kernel_types.h"
#include "base/clock.h"
#include "base/log.h"

static int map_fd(const struct sample_bpf *s, const char *name)
{
	return bpf_object__find_map_fd_by_name(s->object, name);
}

/* A record has its time before its place in the ring, so an older one may follow a newer one. It
 * does so within less. */
#define LATE_NS (100ull * 1000 * 1000)

static int on_record(void *ctx, void *data, size_t size)
{
	const struct sample_bpf *s = ctx;
	const struct sample_bpf_reader *r = s->reader;
	const struct sample_head *h = data;

	if (h->kind == SAMPLE_RECORD_STACK && size >= offsetof(struct sample_record, pcs))
		r->sample(r->ctx, data);
	else if (h->kind == SAMPLE_RECORD_DEATH && size >= offsetof(struct sample_record, pcs))
		r->death(r->ctx, data);
	else if (h->kind == SAMPLE_RECORD_LABELS &&
		 size >= offsetof(struct sample_label_record, label))
		r->labels(r->ctx, data);
	else if (h->kind == SAMPLE_RECORD_PYTHON &&
		 size >= offsetof(struct sample_python_record, frames))
		r->frames(r->ctx, data);
	else if (h->kind == SAMPLE_RECORD_CODE && size >= sizeof(struct sample_code_record))
		r->code(r->ctx, data);
	/* libbpf goes on behind this record the next time. */
	return h->ts_ns >= s->until_ns ? -ECANCELED : 0;
}

static int configure(struct bpf_object *o, const struct sample_config *config,
		     const struct sample_bpf_room *room)
{
	struct bpf_map *ring = bpf_object__find_map_by_name(o, BPF_NAME(sample, ring));
	struct bpf_map *images = bpf_object__find_map_by_name(o, BPF_NAME(sample, images));
	struct bpf_map *pythons = bpf_object__find_map_by_name(o, BPF_NAME(sample, pythons));
	struct bpf_map *members = bpf_object__find_map_by_name(o, BPF_NAME(sample, members));
	void *to = embedded_bpf_config(o, sizeof(*config));

	if (!to || !ring || !images)
		return -EINVAL;
	memcpy(to, config, sizeof(*config));
	int err = bpf_map__set_max_entries(images, room->processes);

	if (!err && pythons) /* samples have it, deaths and waits do not */
		err = bpf_map__set_max_entries(pythons, room->processes);
	if (!err && members && !config->some)
		err = bpf_map__set_max_entries(members, 1);
	return err ? err : bpf_map__set_max_entries(ring, (uint32_t)room->ring_bytes);
}

static const char *const member_programs[] = { BPF_NAME(sample, on_fork), BPF_NAME(sample, on_exec),
					       BPF_NAME(sample, on_free) };
#define MEMBER_PROGRAMS (sizeof(member_programs) / sizeof(*member_programs))

/* Where all processes are sampled, no program follows some. */
static int leave_out_members(struct bpf_object *o, const struct sample_config *config)
{
	int err = 0;

	for (size_t i = 0; i < MEMBER_PROGRAMS && !err && !config->some; i++) {
		struct bpf_program *p = bpf_object__find_program_by_name(o, member_programs[i]);

		err = p ? bpf_program__set_autoload(p, false) : 0;
	}
	return err;
}

static int attach_members(struct sample_bpf *s)
{
	_Static_assert(MEMBER_PROGRAMS == sizeof(s->members) / sizeof(*s->members), "a link each");
	int err = 0;

	for (size_t i = 0; i < MEMBER_PROGRAMS && !err; i++) {
		s->members[i] = kernel_types_attach(s->object, member_programs[i]);
		err = s->members[i] ? 0 : -errno;
	}
	return err;
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

int sample_bpf_identify(struct sample_config *c)
{
	struct stat st;

	if (stat("/proc/self/ns/pid", &st))
		return -errno;
	c->pidns_ino = st.st_ino;
	return 0;
}

/* Maps that both objects have are the same ones: `to` uses those of `from`. */
static int share_maps(struct bpf_object *to, const struct bpf_object *from)
{
	static const char *const names[] = {
		BPF_NAME(sample, ring),     BPF_NAME(sample, rows),   BPF_NAME(sample, binaries),
		BPF_NAME(sample, counters), BPF_NAME(sample, images), BPF_NAME(sample, callers)
	};
	int err = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names) && !err; i++)
		err = bpf_map__reuse_fd(bpf_object__find_map_by_name(to, names[i]),
					bpf_object__find_map_fd_by_name(from, names[i]));
	return err;
}

/* Opens and loads one; *to is closed by sample_bpf_unload. 0 or -errno. */
static int load(struct bpf_object **to, const struct embedded_bpf *e,
		const struct sample_bpf_room *room, const struct bpf_object *shares)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = e->name);

	*to = bpf_object__open_mem(e->start, e->end - e->start, &opts);
	int err = *to ? configure(*to, e->config, room) : -errno;

	if (!err)
		err = leave_out_members(*to, e->config);
	if (!err && shares)
		err = share_maps(*to, shares);
	return err ? err : bpf_object__load(*to);
}

static int load_deaths(struct sample_bpf *s, const struct sample_config *config,
		       const struct sample_bpf_room *room)
{
	const struct embedded_bpf e = { BPF_OBJECT(deaths), config, sizeof(*config), 0 };
	int err = load(&s->deaths, &e, room, s->object);

	if (!err) {
		s->deliver = kernel_types_attach(s->deaths, BPF_NAME(deaths, on_deliver));
		err = s->deliver ? 0 : -errno;
	}
	if (!s->object)
		s->object = s->deaths;
	return err;
}

/* Not there: what else is wanted goes on. */
static void load_waits(struct sample_bpf *s, const struct sample_config *config,
		       const struct sample_bpf_room *room)
{
	const struct embedded_bpf e = { BPF_OBJECT(waits), config, sizeof(*config), 0 };
	int err = load(&s->waits, &e, room, s->object);

	if (!err) {
		s->waits_state = embedded_bpf_map(s->waits, ".bss", sizeof(*s->waits_state));
		err = s->waits_state ? 0 : -errno;
	}
	if (!err)
		return;
	bpf_object__close(s->waits);
	s->waits = NULL;
	log_warn(
		"waits of threads that are not Go's are not recorded: %s; they need Linux 5.18 or newer "
		"(GOTRACE_DEBUG=1 shows why)",
		strerror(-err));
}

int sample_bpf_load(struct sample_bpf *s, unsigned what, const struct sample_config *config,
		    const struct sample_bpf_room *room, const struct sample_bpf_reader *reader)
{
	const struct embedded_bpf e = { BPF_OBJECT(sample), config, sizeof(*config), 0 };
	int err = 0;

	embedded_bpf_log();
	*s = (struct sample_bpf){ .program_fd = -1,
				  .n_cpus = libbpf_num_possible_cpus(),
				  .reader = reader };
	if (what & BPF_SAMPLES)
		err = load(&s->object, &e, room, NULL);
	if (!err && what & BPF_SAMPLES)
		s->program_fd = bpf_program__fd(
			bpf_object__find_program_by_name(s->object, BPF_NAME(sample, on_event)));
	if (!err && what & BPF_SAMPLES && config->some)
		err = attach_members(s);
	if (!err && what & BPF_DEATHS)
		err = load_deaths(s, config, room);
	if (!err) {
		s->ring = ring_buffer__new(map_fd(s, BPF_NAME(sample, ring)), on_record, s, NULL);
		err = s->ring ? 0 : -errno;
	}
	if (!err && what & BPF_WAITS)
		load_waits(s, config, room);
	if (!err)
		return 0;
	sample_bpf_unload(s);
	return refuse(err);
}

static int watch(struct sample_bpf *s, const char *program, const char *path, uint64_t file_off,
		 struct bpf_link **to)
{
	LIBBPF_OPTS(bpf_uprobe_opts, opts);

	*to = s->deaths ? bpf_program__attach_uprobe_opts(
				  bpf_object__find_program_by_name(s->deaths, program), -1, path,
				  file_off, &opts)
			: NULL;
	return *to || !s->deaths ? 0 : -errno;
}

int sample_bpf_watch_panics(struct sample_bpf *s, const char *path, uint64_t file_off,
			    struct bpf_link **to)
{
	return watch(s, BPF_NAME(deaths, on_panic), path, file_off, to);
}

int sample_bpf_watch_unwinding(struct sample_bpf *s, const char *path, uint64_t file_off,
			       struct bpf_link **to)
{
	return watch(s, BPF_NAME(deaths, on_unwind), path, file_off, to);
}

void sample_bpf_unwatch(struct bpf_link *link)
{
	if (link)
		bpf_link__destroy(link);
}

/* A free one from `from` on. -ENOSPC: there is none. */
static int free_slot(const struct sample_bpf *s, uint32_t from, uint32_t n, uint32_t *slot)
{
	for (*slot = from; *slot < from + n; ++*slot)
		if (!s->taken[*slot])
			return 0;
	return -ENOSPC;
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
		err = bpf_map_update_elem(map_fd(s, BPF_NAME(sample, rows)), &slot, &fd, BPF_ANY);
	free(keys);
	if (fd >= 0)
		close(fd); /* the outer map keeps it */
	return err;
}

static int take_slot(struct sample_bpf *s, uint32_t from, uint32_t n_slots,
		     const struct sample_row *rows, size_t n, uint32_t *slot)
{
	int err = n > UINT32_MAX / sizeof(*rows) ? -ENOSPC : free_slot(s, from, n_slots, slot);

	if (!err)
		err = put_rows(s, *slot, rows, n);
	if (!err)
		s->taken[*slot] = true;
	return err;
}

/* The kernel waits for walks that have found the rows (kernel/bpf/syscall.c,
 * maybe_wait_bpf_programs): none goes on in those of the next one. */
static void leave_slot(struct sample_bpf *s, uint32_t slot)
{
	if (!bpf_map_delete_elem(map_fd(s, BPF_NAME(sample, rows)), &slot))
		s->taken[slot] = false;
}

int sample_bpf_add(struct sample_bpf *s, const struct file_id *key, struct sample_binary *b,
		   const struct sample_row *rows, size_t n)
{
	int err = 0;

	b->n_rows = 0;
	if (n)
		err = take_slot(s, 0, SAMPLE_BINARIES, rows, n, &b->slot);
	if (err)
		return err;
	b->n_rows = (uint32_t)n;
	err = bpf_map_update_elem(map_fd(s, BPF_NAME(sample, binaries)), key, b, BPF_ANY);
	if (err && n)
		leave_slot(s, b->slot);
	return err;
}

int sample_bpf_share(struct sample_bpf *s, const struct file_id *key, const struct sample_binary *b)
{
	return bpf_map_update_elem(map_fd(s, BPF_NAME(sample, binaries)), key, b, BPF_ANY);
}

int sample_bpf_binary(const struct sample_bpf *s, const struct file_id *key,
		      struct sample_binary *b)
{
	return bpf_map_lookup_elem(map_fd(s, BPF_NAME(sample, binaries)), key, b);
}

void sample_bpf_remove(struct sample_bpf *s, const struct file_id *key, const uint32_t *slot)
{
	bpf_map_delete_elem(map_fd(s, BPF_NAME(sample, binaries)), key);
	if (slot)
		leave_slot(s, *slot);
}

int sample_bpf_add_native(struct sample_bpf *s, const struct sample_row *rows, size_t n,
			  uint32_t *slot)
{
	return n ? take_slot(s, SAMPLE_BINARIES, SAMPLE_NATIVES, rows, n, slot) : -ENOSPC;
}

void sample_bpf_remove_native(struct sample_bpf *s, uint32_t slot)
{
	leave_slot(s, slot);
}

int sample_bpf_images(struct sample_bpf *s, uint32_t pid, const struct sample_images *i)
{
	const int fd = map_fd(s, BPF_NAME(sample, images));

	if (i->n)
		return bpf_map_update_elem(fd, &pid, i, BPF_ANY);
	int err = bpf_map_delete_elem(fd, &pid);

	return err == -ENOENT ? 0 : err;
}

int sample_bpf_python(struct sample_bpf *s, uint32_t pid, const struct sample_python *p)
{
	const int fd = map_fd(s, BPF_NAME(sample, pythons));

	if (fd < 0)
		return -ENOENT;
	return p ? bpf_map_update_elem(fd, &pid, p, BPF_ANY) : bpf_map_delete_elem(fd, &pid);
}

int sample_bpf_follow(struct sample_bpf *s, const struct thread_has *thread)
{
	if (!s->members[0])
		return 0;
	int err = bpf_map_update_elem(map_fd(s, BPF_NAME(sample, members)), &thread->tgid,
				      &thread->process_started_ns, BPF_ANY);

	if (err)
		log_error("the kernel does not follow the process: %s", strerror(-err));
	return err;
}

void sample_bpf_used(struct sample_bpf *s, bool (*lives)(void *ctx, uint32_t pid), void *ctx,
		     bool used[SAMPLE_BINARIES + SAMPLE_NATIVES])
{
	const int fd = map_fd(s, BPF_NAME(sample, images));
	struct sample_images i;
	uint32_t pid, next;
	bool more = !bpf_map_get_next_key(fd, NULL, &next);

	while (more) {
		pid = next;
		more = !bpf_map_get_next_key(fd, &pid, &next);
		if (!lives(ctx, pid)) {
			bpf_map_delete_elem(fd, &pid);
			continue;
		}
		if (bpf_map_lookup_elem(fd, &pid, &i))
			continue;
		for (uint32_t k = 0; k < i.n && k < SAMPLE_IMAGES; k++)
			if (i.at[k].slot < SAMPLE_BINARIES + SAMPLE_NATIVES)
				used[i.at[k].slot] = true;
	}
}

int sample_bpf_fd(const struct sample_bpf *s)
{
	return ring_buffer__epoll_fd(s->ring);
}

int sample_bpf_read(struct sample_bpf *s)
{
	s->until_ns = clock_monotonic_ns() + LATE_NS;
	int n = ring_buffer__consume(s->ring);

	return n < 0 && n != -ECANCELED ? n : 0;
}

struct sample_counters sample_bpf_counters(const struct sample_bpf *s)
{
	struct sample_counters sum = { 0 }, *each = calloc(s->n_cpus, sizeof(*each));
	uint32_t zero = 0;

	if (each && s->object &&
	    !bpf_map_lookup_elem(map_fd(s, BPF_NAME(sample, counters)), &zero, each))
		for (unsigned i = 0; i < s->n_cpus; i++) {
			sum.samples += each[i].samples;
			sum.lost += each[i].lost;
			sum.lost_period += each[i].lost_period;
			sum.labels_lost += each[i].labels_lost;
			sum.deaths_lost += each[i].deaths_lost;
			sum.python_lost += each[i].python_lost;
			sum.python_nameless += each[i].python_nameless;
			sum.members_refused += each[i].members_refused;
		}
	free(each);
	return sum;
}

void sample_bpf_unload(struct sample_bpf *s)
{
	for (size_t i = 0; i < MEMBER_PROGRAMS; i++)
		sample_bpf_unwatch(s->members[i]);
	sample_bpf_unwatch(s->deliver);
	ring_buffer__free(s->ring);
	embedded_bpf_unmap(s->waits_state, sizeof(*s->waits_state));
	bpf_object__close(s->waits);
	if (s->deaths != s->object)
		bpf_object__close(s->deaths);
	bpf_object__close(s->object);
	*s = (struct sample_bpf){ .program_fd = -1 };
}
