// SPDX-License-Identifier: BSD-2-Clause
#include "attach/probes/links.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "attach/helper_process.h"
#include "base/log.h"
#include "base/vec.h"
#include "bpf/event.h"

/* Descriptors gotrace uses for everything else: rings, maps, files. */
#define OTHER_DESCRIPTORS 256

/* The text's, the stubs' and what was left for the text, of each program. */
#define MULTI_MAX (LINKS * 3)

size_t links_descriptors(const struct plan *plan, enum attach_kind kind)
{
	/* A perf event and a BPF link each. */
	return kind == ATTACH_PERF ? 2 * plan->n_sites : MULTI_MAX;
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
		log_error(
			"%zu probe sites need %zu file descriptors on this kernel and the hard limit is %llu: "
			"trace fewer functions with -p or -f, or raise the limit (ulimit -Hn)",
			n_sites, need, (unsigned long long)lim.rlim_max);
		return -EMFILE;
	}
	lim.rlim_cur = need;
	return setrlimit(RLIMIT_NOFILE, &lim) ? -errno : 0;
}

/* Which sites one round of attaching is about. */
struct round {
	enum plan_link link;
	bool in_stubs;    /* at their places in the stubs, else in the text */
	const bool *left; /* NULL: all that are to be there from the start */
	bool stubs_used;
};

static bool is_in(const struct round *r, const struct plan *plan, size_t i)
{
	const struct plan_site *s = &plan->sites[i];

	if (s->link != r->link)
		return false;
	if (r->left)
		return r->left[i];
	return (r->stubs_used && s->window_len) == r->in_stubs;
}

static size_t count_round(const struct round *r, const struct plan *plan)
{
	size_t n = 0;

	for (size_t i = 0; i < plan->n_sites; i++)
		n += is_in(r, plan, i);
	return n;
}

static uint64_t cookie_of(const struct plan *plan, size_t i, bool in_stubs)
{
	const struct plan_site *s = &plan->sites[i];

	/* In a stub there is no branch of the stack check any more. */
	if (in_stubs)
		return COOKIE(i, s->stub_adj, s->kind, 0);
	if (s->plain_ret)
		return COOKIE(i, COOKIE_RET_BITS(s->vaddr), s->kind,
			      COOKIE_RET | COOKIE_STOP_FLAGS(s->stop));
	return COOKIE(i, s->sp_adj, s->kind,
		      (s->check_jcc ? COOKIE_CHECK_JCC : 0) | COOKIE_STOP_FLAGS(s->stop));
}

static uint64_t offset_of(const struct plan_site *s, bool in_stubs)
{
	return in_stubs ? s->stub_off : s->file_off;
}

static void log_attach_failure(const struct plan_site *s, const struct plan *plan, int err)
{
	const char *name = s ? s->func == PLAN_NO_FUNC ? s->name : plan->funcs[s->func].name : NULL;

	if (err == -EPERM || err == -EACCES)
		log_error(
			"the kernel does not let this user attach probes%s%s: on kernels without uprobe_multi "
			"CAP_SYS_ADMIN is needed; run with sudo, or see 'gotrace doctor'",
			name ? ", first to " : "", name ? name : "");
	else if (err == -ESRCH)
		log_error("the process ended before it was probed");
	else
		log_error("probes cannot be attached%s%s: %s", name ? ", first to " : "",
			  name ? name : "", strerror(-err));
}

/* By descriptor: the file may have been replaced, or be in another mount namespace. */
static void path_of(const struct round *r, const struct links_options *opt, char path[32])
{
	snprintf(path, 32, "/proc/self/fd/%d", r->in_stubs ? opt->stub_fd : opt->exe_fd);
}

static int keep_link(struct links *l, enum plan_link which, struct bpf_link *link)
{
	int err = vec_reserve(&l->link[which], &l->cap[which], l->n[which] + 1);

	if (err)
		bpf_link__destroy(link);
	else
		l->link[which][l->n[which]++] = link;
	return err;
}

/* All sites of one program and one file in one link. */
static int attach_multi(struct links *l, const struct round *r, const struct probes *p,
			const struct plan *plan, const struct links_options *opt, size_t count)
{
	unsigned long *offsets = calloc(count, sizeof(*offsets));
	__u64 *cookies = calloc(count, sizeof(*cookies));
	struct bpf_link *link = NULL;
	char path[32];
	size_t n = 0;
	int err = offsets && cookies ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < plan->n_sites; i++) {
		if (!is_in(r, plan, i))
			continue;
		offsets[n] = offset_of(&plan->sites[i], r->in_stubs);
		cookies[n++] = cookie_of(plan, i, r->in_stubs);
	}
	if (!err) {
		LIBBPF_OPTS(bpf_uprobe_multi_opts, multi, .offsets = offsets, .cookies = cookies,
			    .cnt = n);
		path_of(r, opt, path);
		link = bpf_program__attach_uprobe_multi(p->program[r->link], opt->pid, path, NULL,
							&multi);
		err = link ? keep_link(l, r->link, link) : -errno;
	}
	if (err)
		log_attach_failure(NULL, plan, err);
	free(offsets);
	free(cookies);
	return err;
}

static int attach_perf(struct links *l, const struct round *r, const struct probes *p,
		       const struct plan *plan, const struct links_options *opt)
{
	char path[32];
	int err = 0;

	path_of(r, opt, path);
	for (size_t i = 0; !err && i < plan->n_sites; i++) {
		const struct plan_site *s = &plan->sites[i];

		if (!is_in(r, plan, i))
			continue;
		LIBBPF_OPTS(bpf_uprobe_opts, one, .bpf_cookie = cookie_of(plan, i, r->in_stubs),
			    .attach_mode = PROBE_ATTACH_MODE_LINK);
		struct bpf_link *link = bpf_program__attach_uprobe_opts(
			p->program[r->link], opt->pid, path, offset_of(s, r->in_stubs), &one);
		err = link ? keep_link(l, r->link, link) : -errno;
		if (err)
			log_attach_failure(s, plan, err);
	}
	return err;
}

static int attach_round(struct links *l, const struct round *r, const struct probes *p,
			const struct plan *plan, const struct links_options *opt)
{
	size_t count = count_round(r, plan);

	if (!count)
		return 0;
	return opt->kind == ATTACH_PERF ? attach_perf(l, r, p, plan, opt)
					: attach_multi(l, r, p, plan, opt, count);
}

static const enum plan_link attach_order[LINKS] = { LINK_EXIT, LINK_RUNTIME, LINK_ENTRY };

int links_attach(struct links *l, const struct probes *p, const struct plan *plan,
		 const struct links_options *opt)
{
	int err = 0;

	*l = (struct links){ 0 };
	for (int i = 0; i < LINKS * 2 && !err; i++) {
		const struct round r = {
			.link = attach_order[i / 2],
			.in_stubs = i % 2,
			.stubs_used = opt->stub_fd >= 0,
		};

		err = attach_round(l, &r, p, plan, opt);
	}
	if (err)
		links_detach(l, opt->kind, false);
	return err;
}

int links_attach_left(struct links *l, const struct probes *p, const struct plan *plan,
		      const struct links_options *opt, const bool *left)
{
	int err = 0;

	for (int i = 0; i < LINKS && !err; i++) {
		const struct round r = { .link = attach_order[i], .left = left };

		err = attach_round(l, &r, p, plan, opt);
	}
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
	pthread_t threads[MULTI_MAX];
	size_t n = 0;

	for (int i = 0; i < LINKS; i++)
		for (size_t k = 0; k < l->n[i]; k++)
			if (n == MULTI_MAX ||
			    pthread_create(&threads[n], NULL, destroy_link, l->link[i][k]))
				destroy_link(l->link[i][k]);
			else
				n++;
	while (n)
		pthread_join(threads[--n], NULL);
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
	int *keep = calloc(l->n[LINK_ENTRY] + l->n[LINK_EXIT] + l->n[LINK_RUNTIME] + 2,
			   sizeof(int));
	int go[2];

	if (!keep || pipe2(go, O_CLOEXEC)) {
		free(keep);
		return -1;
	}
	for (int i = 0; i < LINKS; i++)
		for (size_t k = 0; k < l->n[i]; k++)
			keep[n++] = bpf_link__fd(l->link[i][k]); /* holds its perf event as well */
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
