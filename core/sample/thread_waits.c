// SPDX-License-Identifier: BSD-2-Clause
#include "sample/thread_waits.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "attach/probes/embedded_bpf.h"
#include "base/vec.h"

_Static_assert(sizeof(struct waits_thread) % sizeof(uint64_t) == 0, "addresses follow it");

struct bpf_link *thread_waits_open(const struct thread_waits *w, uint32_t pid)
{
	union bpf_iter_link_info info = { .task.pid = pid };
	LIBBPF_OPTS(bpf_iter_attach_opts, opts, .link_info = &info, .link_info_len = sizeof(info));
	struct bpf_program *p = bpf_object__find_program_by_name(w->bpf->waits,
								 BPF_NAME(waits, on_thread));
	struct bpf_link *of = bpf_program__attach_iter(p, &opts);

	/* Before Linux 6.1 no process can be named: all are visited, and left out. */
	return of ? of : bpf_program__attach_iter(p, NULL);
}

void thread_waits_close(struct bpf_link *of)
{
	bpf_link__destroy(of);
}

/* Reads on until there is no more. The kernel hands out as many bytes as it has at hand. */
static int read_all(struct thread_waits *w, int fd)
{
	ssize_t got;

	w->n_bytes = 0;
	do {
		if (vec_reserve(&w->bytes, &w->cap, w->n_bytes + (64 << 10)))
			return -ENOMEM;
		got = read(fd, w->bytes + w->n_bytes, w->cap - w->n_bytes);
		if (got > 0)
			w->n_bytes += (size_t)got;
	} while (got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN)));
	return got < 0 ? -errno : 0;
}

int thread_waits_ask(struct thread_waits *w, struct bpf_link *of,
		     const struct waits_state *question)
{
	struct waits_state *s = w->bpf->waits_state;

	*s = *question;
	int fd = bpf_iter_create(bpf_link__fd(of));

	if (fd < 0)
		return -errno;
	int err = read_all(w, fd);

	close(fd);
	w->listed = s->listed;
	w->drawn = s->drawn;
	w->go = s->go;
	return err;
}

const struct waits_thread *thread_waits_next(const struct thread_waits *w, size_t *at)
{
	const struct waits_thread *t = (const void *)(w->bytes + *at);

	if (w->n_bytes - *at < sizeof(*t))
		return NULL;
	*at += sizeof(*t) + t->n * sizeof(uint64_t);
	return *at <= w->n_bytes ? t : NULL;
}

void thread_waits_free(struct thread_waits *w)
{
	free(w->bytes);
	*w = (struct thread_waits){ 0 };
}
