// SPDX-License-Identifier: BSD-2-Clause
#include "sample/thread_events.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/probes/embedded_bpf.h"
#include "base/log.h"
#include "base/vec.h"

int thread_events_load(struct thread_events *t, const struct threads_config *config)
{
	const struct embedded_bpf e = { BPF_OBJECT(threads), config, sizeof(*config),
					sizeof(*t->state) };
	void *state = NULL;

	*t = (struct thread_events){ 0 };
	int err = embedded_bpf_load(&e, &t->object, &state);

	t->state = state;
	if (!err) {
		t->link = bpf_program__attach(
			bpf_object__find_program_by_name(t->object, BPF_NAME(threads, on_task)));
		err = t->link ? 0 : -errno;
	}
	if (err)
		log_error("the kernel does not tell which threads are sampled: %s "
			  "(GOTRACE_DEBUG=1 shows why)",
			  strerror(-err));
	return err;
}

/* Reads on until there is no more. The kernel hands out as many bytes as it has at hand. */
static int read_all(struct thread_events *t, int fd)
{
	size_t bytes = 0;
	ssize_t got;

	do {
		if (vec_reserve(&t->at, &t->cap, bytes / sizeof(*t->at) + 64))
			return -ENOMEM;
		got = read(fd, (char *)t->at + bytes, t->cap * sizeof(*t->at) - bytes);
		if (got > 0)
			bytes += (size_t)got;
	} while (got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN)));
	t->n = bytes / sizeof(*t->at);
	return got < 0 ? -errno : 0;
}

int thread_events_read(struct thread_events *t, pid_t pid)
{
	t->n = 0;
	t->state->pid = (uint32_t)pid;
	int fd = bpf_iter_create(bpf_link__fd(t->link));

	if (fd < 0)
		return -errno;
	int err = read_all(t, fd);

	close(fd);
	return err;
}

void thread_events_unload(struct thread_events *t)
{
	bpf_link__destroy(t->link);
	embedded_bpf_unmap(t->state, sizeof(*t->state));
	bpf_object__close(t->object);
	free(t->at);
	*t = (struct thread_events){ 0 };
}
