// SPDX-License-Identifier: BSD-2-Clause
/* Links go: all at the end, or those of released functions. */
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "attach/helper_process.h"
#include "attach/probes/links.h"

static size_t count_links(const struct links *l)
{
	size_t n = 0;

	for (int i = 0; i < SITE_PROGRAMS; i++)
		n += l->n[i];
	return n;
}

static void *destroy_link(void *link)
{
	bpf_link__destroy(link);
	return NULL;
}

/* Each destruction waits for a grace period, 50 ms and more: side by side they take
 * one. The programs are paused, so the order does not matter. */
static void destroy_side_by_side(struct links *l)
{
	pthread_t threads[LINKS_MULTI_MAX];
	size_t n = 0;

	for (int i = 0; i < SITE_PROGRAMS; i++)
		for (size_t k = 0; k < l->n[i]; k++)
			if (n == LINKS_MULTI_MAX ||
			    pthread_create(&threads[n], NULL, destroy_link, l->at[i][k].link))
				destroy_link(l->at[i][k].link);
			else
				n++;
	while (n)
		pthread_join(threads[--n], NULL);
}

static void destroy_one_by_one(struct links *l)
{
	static const enum site_program order[SITE_PROGRAMS] = { PROGRAM_ENTRY, PROGRAM_RUNTIME,
								PROGRAM_EXIT };

	for (int i = 0; i < SITE_PROGRAMS; i++)
		for (size_t k = 0; k < l->n[order[i]]; k++)
			bpf_link__destroy(l->at[order[i]][k].link);
}

/* Forks a child that shares the descriptors: their last close, which is the slow part, happens
 * when it exits, after the caller has closed its own. Returns the descriptor that the caller
 * closes last, which ends the child; -1: there is no child, the caller's close is the slow one. */
static int leave_to_child(const struct links *l)
{
	size_t n = 0;
	int *keep = calloc(count_links(l) + 1, sizeof(int));
	int go[2];

	if (!keep || pipe2(go, O_CLOEXEC)) {
		free(keep);
		return -1;
	}
	for (int i = 0; i < SITE_PROGRAMS; i++)
		for (size_t k = 0; k < l->n[i]; k++)
			keep[n++] = bpf_link__fd(
				l->at[i][k].link); /* holds its perf event as well */
	keep[n++] = go[0];
	pid_t child = helper_process_fork(keep, n);
	free(keep);
	if (child == 0) {
		char byte;

		while (read(go[0], &byte, 1) > 0)
			;
		_exit(0);
	}
	close(go[0]);
	if (child < 0) {
		close(go[1]);
		return -1;
	}
	return go[1];
}

/* With fewer perf events than this the caller can wait. */
#define FEW_PERF_EVENTS 4

void links_drop(struct links *gone)
{
	destroy_side_by_side(gone);
	for (int i = 0; i < SITE_PROGRAMS; i++)
		free(gone->at[i]);
	*gone = (struct links){ 0 };
}

void links_detach(struct links *l, enum attach_kind kind, bool target_gone)
{
	size_t n = count_links(l);
	int done = -1;

	if (n && (target_gone || (kind == ATTACH_PERF && n > FEW_PERF_EVENTS)))
		done = leave_to_child(l);
	if (kind == ATTACH_MULTI)
		destroy_side_by_side(l);
	else
		destroy_one_by_one(l);
	for (int i = 0; i < SITE_PROGRAMS; i++)
		free(l->at[i]);
	free(l->in_stub);
	*l = (struct links){ 0 };
	if (done >= 0)
		close(done);
}
