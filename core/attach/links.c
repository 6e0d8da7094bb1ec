// SPDX-License-Identifier: BSD-2-Clause
#include "attach/links.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "attach/aside.h"
#include "base/log.h"
#include "bpf/event.h"

/* Descriptors gotrace uses for everything else: rings, maps, files. */
#define OTHER_DESCRIPTORS 256

size_t links_descriptors(const struct plan *plan, enum attach_kind kind)
{
	/* A perf event and a BPF link each. */
	return kind == ATTACH_PERF ? 2 * plan->n_sites : LINKS;
}

int links_raise_limit(size_t n, size_t n_sites)
{
	struct rlimit lim;
	size_t need = n + OTHER_DESCRIPTORS;

	if (getrlimit(RLIMIT_NOFILE, &lim))
		return -errno;
	if (lim.rlim_cur >= need)
		return 0;
	if (lim.rlim_max < need) {
		log_error("%zu probe sites need %zu file descriptors on this kernel and the hard limit is %llu: "
			  "trace fewer functions with -p or -f, or raise the limit (ulimit -Hn)",
			  n_sites, need, (unsigned long long)lim.rlim_max);
		return -EMFILE;
	}
	lim.rlim_cur = need;
	return setrlimit(RLIMIT_NOFILE, &lim) ? -errno : 0;
}

static uint64_t cookie_of(const struct plan *plan, size_t i)
{
	const struct plan_site *s = &plan->sites[i];

	return COOKIE(i, s->sp_adj, s->kind,
		      (s->check_jcc ? COOKIE_CHECK_JCC : 0) | (s->plain_ret && !s->window_len ? COOKIE_RET : 0) |
		      COOKIE_STOP_FLAGS(s->stop));
}

static void log_attach_failure(const struct plan_site *s, const struct plan *plan, int err)
{
	const char *name = s ? s->func == PLAN_NO_FUNC ? s->name : plan->funcs[s->func].name : NULL;

	if (err == -EPERM || err == -EACCES)
		log_error("the kernel does not let this user attach probes%s%s: on kernels without uprobe_multi "
			  "CAP_SYS_ADMIN is needed; run with sudo, or see 'gotrace doctor'",
			  name ? ", first to " : "", name ? name : "");
	else
		log_error("probes cannot be attached%s%s: %s", name ? ", first to " : "", name ? name : "",
			  strerror(-err));
}

/* All sites of one program in one link. */
static int attach_multi(struct links *l, enum plan_link which, const struct probes *p,
			const struct plan *plan, const struct links_options *opt)
{
	unsigned long *offsets = calloc(plan->n_link[which], sizeof(*offsets));
	__u64 *cookies = calloc(plan->n_link[which], sizeof(*cookies));
	size_t n = 0;
	char path[64];
	int err = 0;

	l->link[which] = calloc(1, sizeof(struct bpf_link *));
	if (!offsets || !cookies || !l->link[which]) {
		err = -ENOMEM;
		goto out;
	}
	for (size_t i = 0; i < plan->n_sites; i++) {
		if (plan->sites[i].link != which)
			continue;
		offsets[n] = plan->sites[i].file_off;
		cookies[n++] = cookie_of(plan, i);
	}
	/* By descriptor: the file may have been replaced, or be in another mount namespace. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", opt->exe_fd);
	LIBBPF_OPTS(bpf_uprobe_multi_opts, multi, .offsets = offsets, .cookies = cookies, .cnt = n);
	l->link[which][0] = bpf_program__attach_uprobe_multi(p->program[which], opt->pid, path, NULL, &multi);
	if (!l->link[which][0]) {
		err = -errno;
		log_attach_failure(NULL, plan, err);
	} else {
		l->n[which] = 1;
	}
out:
	free(offsets);
	free(cookies);
	return err;
}

static int attach_perf(struct links *l, enum plan_link which, const struct probes *p,
		       const struct plan *plan, const struct links_options *opt)
{
	char path[64];

	l->link[which] = calloc(plan->n_link[which] + 1, sizeof(struct bpf_link *));
	if (!l->link[which])
		return -ENOMEM;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", opt->exe_fd);
	for (size_t i = 0; i < plan->n_sites; i++) {
		const struct plan_site *s = &plan->sites[i];

		if (s->link != which)
			continue;
		LIBBPF_OPTS(bpf_uprobe_opts, one, .bpf_cookie = cookie_of(plan, i),
			    .attach_mode = PROBE_ATTACH_MODE_LINK);
		struct bpf_link *link = bpf_program__attach_uprobe_opts(p->program[which], opt->pid, path,
									s->file_off, &one);
		if (!link) {
			int err = -errno;

			log_attach_failure(s, plan, err);
			return err;
		}
		l->link[which][l->n[which]++] = link;
	}
	return 0;
}

int links_attach(struct links *l, const struct probes *p, const struct plan *plan,
		 const struct links_options *opt)
{
	static const enum plan_link order[LINKS] = { LINK_EXIT, LINK_RUNTIME, LINK_ENTRY };
	int err = 0;

	*l = (struct links){ 0 };
	for (int i = 0; i < LINKS && !err; i++) {
		enum plan_link which = order[i];

		if (!plan->n_link[which])
			continue;
		err = opt->kind == ATTACH_PERF ? attach_perf(l, which, p, plan, opt) :
						 attach_multi(l, which, p, plan, opt);
	}
	if (err)
		links_detach(l, opt->kind, false);
	return err;
}

static void *destroy_link(void *link)
{
	bpf_link__destroy(link);
	return NULL;
}

/* Each destruction waits for a grace period of its own, 50 ms and more: side by
 * side they take one. The caller has told the programs to stop, so the order
 * does not matter any more. */
static void destroy_side_by_side(struct links *l)
{
	pthread_t threads[LINKS];
	bool started[LINKS] = { false };

	for (int i = 0; i < LINKS; i++) {
		if (!l->n[i])
			continue;
		started[i] = !pthread_create(&threads[i], NULL, destroy_link, l->link[i][0]);
		if (!started[i])
			destroy_link(l->link[i][0]);
	}
	for (int i = 0; i < LINKS; i++)
		if (started[i])
			pthread_join(threads[i], NULL);
}

static void destroy_one_by_one(struct links *l)
{
	static const enum plan_link order[LINKS] = { LINK_ENTRY, LINK_RUNTIME, LINK_EXIT };

	for (int i = 0; i < LINKS; i++)
		for (size_t k = 0; k < l->n[order[i]]; k++)
			bpf_link__destroy(l->link[order[i]][k]);
}

/* A child that shares the descriptors: their last close, which is the slow part, happens
 * at its exit, after the caller has closed its own. Returns what the caller
 * closes to say so, -1 when there is no child: all is then done here, slowly, and still right. */
static int leave_to_child(const struct links *l)
{
	size_t n = 0;
	int *keep = calloc(l->n[LINK_ENTRY] + l->n[LINK_EXIT] + l->n[LINK_RUNTIME] + 2, sizeof(int));
	int go[2];

	if (!keep || pipe2(go, O_CLOEXEC)) {
		free(keep);
		return -1;
	}
	for (int i = 0; i < LINKS; i++)
		for (size_t k = 0; k < l->n[i]; k++)
			keep[n++] = bpf_link__fd(l->link[i][k]); /* holds its perf event as well */
	keep[n++] = go[0];
	pid_t child = aside_fork(keep, n);
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

void links_detach(struct links *l, enum attach_kind kind, bool nobody_waits)
{
	size_t n = l->n[LINK_ENTRY] + l->n[LINK_EXIT] + l->n[LINK_RUNTIME];
	int done = -1;

	if (n && (nobody_waits || (kind == ATTACH_PERF && n > FEW_PERF_EVENTS)))
		done = leave_to_child(l);
	if (kind == ATTACH_MULTI)
		destroy_side_by_side(l);
	else
		destroy_one_by_one(l);
	for (int i = 0; i < LINKS; i++)
		free(l->link[i]);
	*l = (struct links){ 0 };
	if (done >= 0)
		close(done);
}
