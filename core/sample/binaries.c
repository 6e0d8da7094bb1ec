// SPDX-License-Identifier: BSD-2-Clause
#include "sample/binaries.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attach/probes/executable_id.h"
#include "sample/binaries_room.h"
#include "base/foreign_file.h"
#include "base/hash_index.h"
#include "base/log.h"
#include "base/vec.h"
#include "binary/foreign_elf.h"
#include "binary/gobin.h"
#include "binary/gostack.h"

#define LABELS_LIST_MINOR 24 /* from then on g.labels is a slice, runtime/pprof/label.go */

_Static_assert(sizeof(struct gostack_row) == sizeof(struct sample_row), "handed over as they are");

/* runtime/asm_amd64.s, preempt_amd64.s, signal_unix.go, sys_linux_amd64.s,
 * time_linux_amd64.s, cgo/asm_amd64.s */
static const struct {
	const char *name;
	uint32_t what;
} specials[] = {
	{ "runtime.goexit", SAMPLE_AT_ROOT },
	{ "runtime.mstart", SAMPLE_AT_ROOT },
	{ "runtime.rt0_go", SAMPLE_AT_ROOT },
	{ "_rt0_amd64", SAMPLE_AT_ROOT },
	{ "_rt0_amd64_linux", SAMPLE_AT_ROOT },
	{ "runtime.clone", SAMPLE_AT_ROOT }, /* a thread that begins */
	{ "runtime.mcall", SAMPLE_AT_SCHED },
	{ "runtime.morestack", SAMPLE_AT_MORESTACK },
	{ "runtime.asmcgocall", SAMPLE_AT_MORESTACK }, /* C that it called keeps its rbp */
	{ "runtime.asyncPreempt", SAMPLE_AT_INTERRUPT },
	{ "runtime.sigpanic", SAMPLE_AT_INTERRUPT },
	{ "runtime.sigpanic0", SAMPLE_AT_INTERRUPT },
	{ "runtime.sigtramp", SAMPLE_AT_SIGTRAMP },
	{ "runtime.systemstack_switch", SAMPLE_AT_NOWHERE },
	{ "runtime.cgocallback", SAMPLE_AT_CALLBACK },
	{ "crosscall2", SAMPLE_AT_CROSSCALL },
	{ "runtime.systemstack", SAMPLE_AT_SWITCH },
	{ "runtime.nanotime1", SAMPLE_AT_SWITCH },
	{ "runtime.walltime", SAMPLE_AT_SWITCH },
	{ "time.now", SAMPLE_AT_SWITCH },
};
_Static_assert(sizeof(specials) / sizeof(*specials) <= SAMPLE_SPECIALS, "room in the map");

static void find_specials(struct sample_binary *to, const struct gobin *g)
{
	to->specials_from = UINT32_MAX;
	for (size_t i = 0; i < sizeof(specials) / sizeof(*specials); i++) {
		const struct gofunc *f = gobin_func_named(g, specials[i].name);

		if (!f || f->vaddr < to->text || f->vaddr + f->size > to->etext)
			continue;
		const struct sample_special s = { .from = f->vaddr - to->text,
						  .to = f->vaddr - to->text + f->size,
						  .what = specials[i].what };

		to->special[to->n_specials++] = s;
		if (s.from < to->specials_from)
			to->specials_from = s.from;
		if (s.to > to->specials_to)
			to->specials_to = s.to;
	}
}

/* 0 or -errno. */
static int describe(struct sample_binary *to, const struct gobin *g, const struct gostack *s)
{
	struct golayout l;
	int err = gobin_layout(g, &l);

	if (!err)
		err = gobin_tls_g(g, &to->tls_g);
	if (!err && (l.g_sched_sp < 0 || l.g_sched_bp < 0 || l.m_gsignal < 0))
		err = -ENOTSUP;
	if (err)
		return err;
	to->text = s->text;
	to->etext = s->etext;
	to->start_code = s->start_code;
	to->g_m = l.g_m;
	to->g_goid = l.g_goid;
	to->g_sched_sp = l.g_sched_sp;
	to->g_sched_pc = l.g_sched_pc;
	to->g_sched_bp = l.g_sched_bp;
	to->m_g0 = l.m_g0;
	to->m_gsignal = l.m_gsignal;
	to->m_curg = l.m_curg;
	to->g_labels = l.g_labels;
	to->g_status = l.g_atomicstatus;
	to->g_startpc = l.g_startpc;
	if (l.g_atomicstatus < 0 || gobin_allgs(g, &to->allgs))
		to->allgs = 0; /* goroutines without a thread are not told of */
	to->labels_list = gobin_go_minor(g) < 0 || gobin_go_minor(g) >= LABELS_LIST_MINOR;
	find_specials(to, g);
	return 0;
}

/* Where the runtime ends a process by itself. */
static void watch_panics(struct binaries *b, struct known_binary *x, const struct gobin *g,
			 const char *path, const char *name)
{
	const struct gofunc *f = gobin_func_named(g, "runtime.startpanic_m");
	int err = f ? sample_bpf_watch_panics(b->bpf, path, f->file_off, &x->watches[0]) : -ENOENT;

	if (err)
		log_warn("%s: stacks of its panics are not recorded: %s", name, strerror(-err));
	/* Only C calls crosscall2. */
	f = gobin_func_named(g, "crosscall2") ? gobin_func_named(g, "runtime.gopanic") : NULL;
	err = f ? sample_bpf_watch_unwinding(b->bpf, path, f->file_off, &x->watches[1]) : 0;
	if (err)
		log_warn("%s: C's frames are missing in stacks of panics of Go that C has called: "
			 "%s",
			 name, strerror(-err));
}

static struct known_binary *find(const struct binaries *b, const struct file_id *key)
{
	for (size_t i = 0; i < b->n; i++)
		if (!memcmp(&b->known[i].key, key, sizeof(*key)))
			return &b->known[i];
	return NULL;
}

/* Another file has the same tables: a program that is copied, say into each container. */
static const struct known_binary *find_twin(const struct binaries *b, const struct known_binary *x,
					    size_t n_rows)
{
	for (size_t i = 0; i < b->n && n_rows; i++)
		if (b->known[i].digest == x->digest && b->known[i].n_rows == n_rows)
			return &b->known[i];
	return NULL;
}

static int share_rows(struct binaries *b, struct known_binary *x, struct sample_binary *to,
		      const struct known_binary *twin)
{
	to->slot = twin->slot;
	to->n_rows = (uint32_t)twin->n_rows;
	int err = sample_bpf_share(b->bpf, &x->key, to);

	if (err)
		return err;
	x->wants = 0;
	x->slot = twin->slot;
	x->n_rows = twin->n_rows;
	b->users[x->slot]++;
	return 0;
}

/* It is known already. */
static int add_rows(struct binaries *b, const struct file_id *key, struct sample_binary *to,
		    const struct gostack *s)
{
	const struct known_binary *twin = find_twin(b, find(b, key), s->n);

	if (twin)
		return share_rows(b, find(b, key), to, twin);
	const bool has = binaries_make_room(b, s->n);
	struct known_binary *x = find(b, key);

	x->wants = has ? 0 : s->n;
	if (!has)
		return -ENOSPC;
	int err = sample_bpf_add(b->bpf, key, to, (const struct sample_row *)s->rows, s->n);

	if (err)
		return err;
	x->slot = to->slot;
	x->n_rows = s->n;
	b->n_rows += s->n;
	b->n_slots += s->n != 0;
	b->users[x->slot] = s->n != 0;
	return 0;
}

/* A Go binary as the BPF program gets it. */
struct go_tables {
	struct gobin *g;
	struct sample_binary to;
	struct gostack s;
	bool foreign;    /* it is for another processor */
	uint64_t digest; /* 0 after an error */
};

/* 0 or -errno. The caller frees t in either case. */
static int read_go(struct go_tables *t, const struct binaries *b, int fd, const char *name)
{
	*t = (struct go_tables){ .g = gobin_open_bounded(fd, name, b->most_bytes) };
	t->foreign = t->g && !gobin_runs_here(t->g);
	int err = t->foreign ? -ENOTSUP : t->g ? 0 : -errno;

	if (!err)
		err = gostack_read(t->g, &t->s);
	if (!err)
		err = describe(&t->to, t->g, &t->s);
	if (!err)
		t->digest = hash_wide(foreign_elf_digest(fd, &t->to, sizeof(t->to)), t->s.rows,
				      t->s.n * sizeof(*t->s.rows)) |
			    1;
	return err;
}

static void free_go(struct go_tables *t)
{
	gostack_free(&t->s);
	gobin_close(t->g);
}

/* A Go binary, or -ENOTSUP: it is none that can be understood. */
static int tell_go(struct binaries *b, int fd, const char *path, const char *name,
		   const struct file_id *key)
{
	const bool again = find(b, key)->wants;
	struct go_tables t;
	int err = read_go(&t, b, fd, name);

	find(b, key)->digest = t.digest;
	if (!err)
		err = add_rows(b, key, &t.to, &t.s);
	if (err && !again && !t.foreign)
		log_warn(
			"%s: its stacks are walked by frame pointers alone, and its goroutines are "
			"not known: %s",
			name,
			err == -EFBIG    ? "reading it takes more memory than the limit"
			: err == -ENOSPC ? "the tables of others take all room"
					 : strerror(-err));
	if (t.g && !t.foreign && b->bpf->deaths && !again)
		watch_panics(b, find(b, key), t.g, path, name);
	free_go(&t);
	return err;
}

/* Takes up a file with its present state. Returns NULL if there is no memory or no place. */
static struct known_binary *remember(struct binaries *b, struct known_binary *old,
				     const struct stat *st)
{
	if (!old && (!binaries_make_place(b) || vec_reserve(&b->known, &b->cap, b->n + 1)))
		return NULL;
	struct known_binary *x = old ? old : &b->known[b->n++];

	if (old)
		binaries_take_back(b, old);
	*x = (struct known_binary){ .number = old ? old->number : ++b->last_number,
				    .used = ++b->uses,
				    .key = executable_id_of(st),
				    .dev = st->st_dev,
				    .inode_changed = st->st_ctim };
	return x;
}

/* Returns a number for the device of a file and its last change. */
static uint64_t state_of(const struct stat *st)
{
	return hash_mix(st->st_dev ^ hash_mix((uint64_t)st->st_ctim.tv_sec) ^
			hash_mix(~(uint64_t)st->st_ctim.tv_nsec)) |
	       1;
}

static uint64_t digest_of(const struct binaries *b, int fd, const char *name)
{
	struct go_tables t;

	if (!gostack_is_go(fd, name, b->most_bytes))
		return 0;
	read_go(&t, b, fd, name);
	free_go(&t);
	return t.digest;
}

/* Is it the same file, or one with the same tables? A build ID would not tell: strangers can make a
 * file of any. */
static bool is_same(const struct binaries *b, struct known_binary *x, int fd, const struct stat *st,
		    const char *name)
{
	const uint64_t state = state_of(st);

	if (x->dev == st->st_dev && x->inode_changed.tv_sec == st->st_ctim.tv_sec &&
	    x->inode_changed.tv_nsec == st->st_ctim.tv_nsec)
		return true;
	for (unsigned i = 0; i < BINARY_COPIES; i++)
		if (x->same[i] == state)
			return true;
	if (x->digest != digest_of(b, fd, name))
		return false;
	x->same[x->n_same++ % BINARY_COPIES] = state;
	return true;
}

/* Two file systems may have files with the same number, size and time: neither is walked by the
 * tables of the other. */
static int refuse_both(struct binaries *b, struct known_binary *x, const char *name)
{
	struct sample_binary none = { 0 };

	x->ambiguous = true;
	x->wants = 0;
	binaries_take_back(b, x);
	log_warn(
		"%s: another program's file has the same inode number, size and time. Stacks of both "
		"come from frame pointers alone, without goroutines",
		name);
	return sample_bpf_add(b->bpf, &x->key, &none, NULL, 0);
}

/* Marks those that are known as living. */
static bool is_settled(struct binaries *b, struct known_binary *x, int fd, const struct stat *st,
		       const char *name)
{
	return x->ambiguous ||
	       (is_same(b, x, fd, st, name) && (!x->wants || !binaries_make_room(b, x->wants)));
}

static int learn(struct binaries *b, int fd, const char *path, const char *name, uint64_t *number)
{
	struct sample_binary none = { 0 };
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	const struct file_id key = executable_id_of(&st);
	struct known_binary *x = find(b, &key);

	if (x) {
		x->used = ++b->uses;
		*number = x->number;
	}
	if (x && is_settled(b, x, fd, &st, name))
		return 0;
	x = find(b, &key); /* others may have gone */
	if (x && x->wants && is_same(b, x, fd, &st, name))
		return tell_go(b, fd, path, name, &key);
	if (x && x->dev != st.st_dev)
		return refuse_both(b, x, name);
	/* Of one file system it has been overwritten: what it was runs no more. */
	x = remember(b, x, &st);
	if (!x)
		return -ENOMEM;
	*number = x->number;
	return gostack_is_go(fd, name, b->most_bytes)
		       ? tell_go(b, fd, path, name, &key)
		       : sample_bpf_add(b->bpf, &key, &none, NULL, 0);
}

int binaries_learn(struct binaries *b, const char *path, const char *name, uint64_t *number)
{
	const struct foreign_rule rule = { .most_bytes = FOREIGN_BINARY_BYTES };
	int fd = foreign_file_open(path, &rule);
	uint64_t found = 0;
	int err = fd < 0 ? fd : learn(b, fd, path, name, &found);

	if (fd >= 0)
		close(fd);
	if (number)
		*number = found;
	return err;
}

void binaries_free(struct binaries *b)
{
	for (size_t i = 0; i < b->n; i++)
		for (size_t k = 0; k < SAMPLE_WATCHES; k++)
			sample_bpf_unwatch(b->known[i].watches[k]);
	free(b->known);
	*b = (struct binaries){ 0 };
}
