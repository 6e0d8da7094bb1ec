/* SPDX-License-Identifier: BSD-2-Clause */
/* For tests of tables for walking stacks. It stores the rows and mappings that BPF programs would
 * get, and makes processes begin and end. */
#ifndef GOTRACE_TABLES_FIXTURE_H
#define GOTRACE_TABLES_FIXTURE_H

#include "binary/binaries_fixture.h"

#include "sample/natives.h"
#include "sample/processes.h"
#include "base/clock.h"
#include "trace/keys.h"

#define MAPPED 64         /* processes whose mappings the kernel has room for */
#define FIRST  (5u << 22) /* no process has such a number (PID_MAX_LIMIT) */

/* ---- the kernel's side */

struct told {
	struct file_id key;
	struct sample_binary b;
};
static struct told told[SAMPLE_EXECUTABLES];
static size_t n_told, n_rows_held;
static struct {
	uint32_t pid;
	struct sample_images i;
} mapped[MAPPED];
static size_t n_mapped;
static size_t rows_of[SAMPLE_BINARIES + SAMPLE_NATIVES];

static int take_slot(uint32_t from, uint32_t n, size_t rows, uint32_t *slot)
{
	for (*slot = from; *slot < from + n; ++*slot)
		if (!rows_of[*slot]) {
			rows_of[*slot] = rows;
			n_rows_held += rows;
			return 0;
		}
	return -ENOSPC;
}

void sample_bpf_remove_native(struct sample_bpf *s, uint32_t slot)
{
	(void)s;
	assert_true(rows_of[slot] > 0);
	n_rows_held -= rows_of[slot];
	rows_of[slot] = 0;
}

static struct told *find_told(const struct file_id *key)
{
	for (size_t i = 0; i < n_told; i++)
		if (!memcmp(&told[i].key, key, sizeof(*key)))
			return &told[i];
	return NULL;
}

int sample_bpf_add(struct sample_bpf *s, const struct file_id *key, struct sample_binary *b,
		   const struct sample_row *rows, size_t n)
{
	(void)s;
	(void)rows;
	struct told *t = find_told(key);
	int err = n ? take_slot(0, SAMPLE_BINARIES, n, &b->slot) : 0;

	if (err || (!t && n_told == SAMPLE_EXECUTABLES))
		return err ? err : -E2BIG;
	b->n_rows = (uint32_t)n;
	t = t ? t : &told[n_told++];
	*t = (struct told){ *key, *b };
	return 0;
}

int sample_bpf_share(struct sample_bpf *s, const struct file_id *key, const struct sample_binary *b)
{
	(void)s;
	assert_int_equal(rows_of[b->slot], b->n_rows);
	assert_null(find_told(key));
	told[n_told++] = (struct told){ *key, *b };
	return 0;
}

int sample_bpf_binary(const struct sample_bpf *s, const struct file_id *key,
		      struct sample_binary *b)
{
	(void)s;
	const struct told *t = find_told(key);

	if (t)
		*b = t->b;
	return t ? 0 : -ENOENT;
}

void sample_bpf_remove(struct sample_bpf *s, const struct file_id *key, const uint32_t *slot)
{
	struct told *t = find_told(key);

	assert_non_null(t);
	*t = told[--n_told];
	if (slot)
		sample_bpf_remove_native(s, *slot);
}

int sample_bpf_add_native(struct sample_bpf *s, const struct sample_row *rows, size_t n,
			  uint32_t *slot)
{
	(void)s;
	(void)rows;
	return take_slot(SAMPLE_BINARIES, SAMPLE_NATIVES, n, slot);
}

int sample_bpf_images(struct sample_bpf *s, uint32_t pid, const struct sample_images *i)
{
	size_t at = 0;

	(void)s;
	while (at < n_mapped && mapped[at].pid != pid)
		at++;
	if (!i->n) {
		if (at < n_mapped)
			mapped[at] = mapped[--n_mapped];
		return 0;
	}
	if (at == MAPPED)
		return -E2BIG;
	n_mapped += at == n_mapped;
	mapped[at].pid = pid;
	mapped[at].i = *i;
	return 0;
}

/* Processes whose frames of an interpreter are read. */
static struct {
	uint32_t pid, serial;
} pythons[MAPPED];
static size_t n_pythons, python_calls;

int sample_bpf_python(struct sample_bpf *s, uint32_t pid, const struct sample_python *p)
{
	size_t at = 0;

	(void)s;
	python_calls++;
	while (at < n_pythons && pythons[at].pid != pid)
		at++;
	if (!p) {
		if (at < n_pythons)
			pythons[at] = pythons[--n_pythons];
		return 0;
	}
	if (at == MAPPED)
		return -E2BIG;
	n_pythons += at == n_pythons;
	pythons[at].pid = pid;
	pythons[at].serial = p->serial;
	return 0;
}

void sample_bpf_used(struct sample_bpf *s, bool (*lives)(void *ctx, uint32_t pid), void *ctx,
		     bool used[SAMPLE_BINARIES + SAMPLE_NATIVES])
{
	(void)s;
	for (size_t i = 0; i < n_mapped; i++)
		for (uint32_t k = 0; lives(ctx, mapped[i].pid) && k < mapped[i].i.n; k++)
			used[mapped[i].i.at[k].slot] = true;
}

static size_t watches;

int sample_bpf_watch_panics(struct sample_bpf *s, const char *path, uint64_t file_off,
			    struct bpf_link **watch)
{
	(void)s;
	(void)path;
	(void)file_off;
	*watch = (void *)&watches;
	watches++;
	return 0;
}

int sample_bpf_watch_unwinding(struct sample_bpf *s, const char *path, uint64_t file_off,
			       struct bpf_link **watch)
{
	return sample_bpf_watch_panics(s, path, file_off, watch);
}

void sample_bpf_unwatch(struct bpf_link *watch)
{
	watches -= watch != NULL;
}

/* ---- processes */

static char folder[] = "/tmp/gotrace-binaries.XXXXXX";

struct world {
	struct sample_bpf bpf;
	struct binaries b;
	struct natives n;
	struct processes p;
	uint64_t ts_ns;
};

static int set_up(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	struct trace_info info = { 0 };

	assert_non_null(w);
	strcpy(folder, "/tmp/gotrace-binaries.XXXXXX");
	assert_non_null(mkdtemp(folder));
	assert_int_equal(trace_info_set(&info, KEY_MODE, MODE_SAMPLES), 0);
	w->p.writer = trace_writer_new(memfd_create("x", MFD_CLOEXEC), &info);
	assert_non_null(w->p.writer);
	trace_info_free(&info);
	w->b.bpf = w->n.bpf = &w->bpf;
	w->bpf.deaths = (void *)w; /* panics are watched, too */
	processes_tell(&w->p, &w->b, &w->n);
	w->ts_ns = 1;
	forget_log();
	*state = w;
	return 0;
}

static int tear_down(void **state)
{
	struct world *w = *state;
	char command[64];

	trace_writer_abort(w->p.writer);
	processes_free(&w->p);
	binaries_free(&w->b);
	natives_free(&w->n);
	assert_int_equal(watches, 0);
	n_told = n_rows_held = n_mapped = n_pythons = python_calls = 0;
	memset(rows_of, 0, sizeof(rows_of));
	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
	free(w);
	return 0;
}

/* A copy of a program, with another build id and other contents at its end. */
static const char *write_copy(const char *name, unsigned i, bool is_other)
{
	static char path[64];
	uint8_t *bytes;
	size_t n;

	snprintf(path, sizeof(path), "%s/%s-%u", folder, name, i);
	if (access(path, F_OK)) {
		FILE *f = fopen(path, "we");

		bytes = load_binary(name, &n);
		assert_non_null(f);
		/* A note of the linker has its type, its owner and the ID. Go's own ID is text, and
		 * the only one before Go 1.24. */
		uint8_t *gnu = memmem(bytes, n, "\3\0\0\0GNU", 8),
			*go = memmem(bytes, n, "\4\0\0\0Go\0", 8);

		if (gnu && is_other)
			memcpy(gnu + 8, &i, sizeof(i));
		else if (go && is_other)
			for (unsigned k = 0; k < 8; k++)
				go[8 + k] = (uint8_t)('a' + (i >> 4 * k & 15));
		assert_int_equal(fwrite(bytes, 1, n, f), n);
		assert_true(fprintf(f, "%u", i) > 0);
		assert_int_equal(fclose(f), 0);
		free(bytes);
	}
	return path;
}

static inline const char *copy_of(const char *name, unsigned i)
{
	return write_copy(name, i, true);
}

static void end(struct world *w, uint32_t pid)
{
	const struct side_band_reader r = processes_reader(&w->p);

	r.end(r.ctx, pid, ++w->ts_ns);
}

#endif
