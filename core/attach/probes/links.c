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
#include "plan/site_cookie.h"

/* Descriptors gotrace uses for everything else: rings, maps, files. */
#define OTHER_DESCRIPTORS 256

/* For each program: in the text, in the stubs, for the sites left out at the exec, and under jumps.
 */
#define MULTI_MAX (SITE_PROGRAMS * 4)

size_t links_descriptors(const struct plan *plan, enum attach_kind kind)
{
	size_t n = 0;

	if (kind != ATTACH_PERF)
		return MULTI_MAX;
	/* A perf event and a BPF link each; most have one. */
	for (size_t i = 0; i < plan->n_sites; i++)
		n += 1 +
		     (plan->sites[i].stub.n_branches > 0 || site_jumps_on_probed(&plan->sites[i]));
	return 2 * n;
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

/* One round of attaching: the sites of one program in one file. */
struct round {
	const struct links_options *opt;
	enum site_program program;
	bool in_stubs;        /* in the stubs' file, else in the binary's text */
	const bool *left_out; /* not NULL: only these sites, of which no stub is used after all */
	bool under;           /* only what lies under jumps to stubs */
};

static bool is_in(const struct round *r, const struct plan_site *s)
{
	bool in_stub = r->opt->probing->in_stub[s->number];

	if (s->program != r->program || r->opt->probing->left_alone[s->number])
		return false;
	if (r->under)
		return in_stub && site_jumps_on_probed(s);
	return r->left_out ? r->left_out[s->number] && !in_stub : in_stub == r->in_stubs;
}

static const struct plan *plan_of(const struct round *r)
{
	return r->opt->probing->plan;
}

/* Offsets in the file of the round that are probed for s: how many. */
static unsigned offsets_of(const struct round *r, const struct plan_site *s,
			   uint64_t out[SITE_PROBES_MAX])
{
	uint32_t in_stubs[SITE_PROBES_MAX];

	if (!is_in(r, s))
		return 0;
	out[0] = s->file_off;
	if (!r->in_stubs)
		return 1;
	unsigned n = site_stub_probes(s, in_stubs);
	for (unsigned i = 0; i < n; i++)
		out[i] = in_stubs[i];
	return n;
}

static size_t count_round(const struct round *r)
{
	const struct plan *plan = plan_of(r);
	uint64_t offsets[SITE_PROBES_MAX];
	size_t n = 0;

	for (size_t i = 0; i < plan->n_sites; i++)
		n += offsets_of(r, &plan->sites[i], offsets);
	return n;
}

static void log_attach_failure(const struct plan_site *s, const struct plan *plan, int err)
{
	const char *name = s ? s->func == PLAN_NO_FUNC ? s->runtime_func : plan->funcs[s->func].name
			     : NULL;

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
static void path_of(const struct round *r, char path[32])
{
	snprintf(path, 32, "/proc/self/fd/%d",
		 r->in_stubs ? r->opt->probing->stub_fd : r->opt->exe_fd);
}

static int keep_link(struct links *l, enum site_program which, struct bpf_link *link)
{
	int err = vec_reserve(&l->link[which], &l->cap[which], l->n[which] + 1);

	if (err)
		bpf_link__destroy(link);
	else
		l->link[which][l->n[which]++] = link;
	return err;
}

static int attach_multi(struct links *l, const struct round *r, const struct probes *p,
			size_t count)
{
	const struct plan *plan = plan_of(r);
	unsigned long *offsets = calloc(count, sizeof(*offsets));
	__u64 *cookies = calloc(count, sizeof(*cookies));
	struct bpf_link *link = NULL;
	char path[32];
	size_t n = 0;
	int err = offsets && cookies ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < plan->n_sites; i++) {
		const struct plan_site *s = &plan->sites[i];
		uint64_t at[SITE_PROBES_MAX];

		for (unsigned k = offsets_of(r, s, at); k-- > 0;) {
			offsets[n] = at[k];
			cookies[n++] = site_cookie(s, r->in_stubs);
		}
	}
	if (!err) {
		LIBBPF_OPTS(bpf_uprobe_multi_opts, multi, .offsets = offsets, .cookies = cookies,
			    .cnt = n);
		path_of(r, path);
		link = bpf_program__attach_uprobe_multi(p->program[r->program], r->opt->pid, path,
							NULL, &multi);
		err = link ? keep_link(l, r->program, link) : -errno;
	}
	if (err)
		log_attach_failure(NULL, plan, err);
	free(offsets);
	free(cookies);
	return err;
}

static int attach_one(struct links *l, const struct round *r, const struct probes *p,
		      const struct plan_site *s, uint64_t offset)
{
	char path[32];

	path_of(r, path);
	LIBBPF_OPTS(bpf_uprobe_opts, one, .bpf_cookie = site_cookie(s, r->in_stubs),
		    .attach_mode = PROBE_ATTACH_MODE_LINK);
	struct bpf_link *link = bpf_program__attach_uprobe_opts(p->program[r->program], r->opt->pid,
								path, offset, &one);
	int err = link ? keep_link(l, r->program, link) : -errno;

	if (err)
		log_attach_failure(s, plan_of(r), err);
	return err;
}

static int attach_perf(struct links *l, const struct round *r, const struct probes *p)
{
	const struct plan *plan = plan_of(r);
	int err = 0;

	for (size_t i = 0; !err && i < plan->n_sites; i++) {
		uint64_t at[SITE_PROBES_MAX];

		for (unsigned k = offsets_of(r, &plan->sites[i], at); k-- > 0 && !err;)
			err = attach_one(l, r, p, &plan->sites[i], at[k]);
	}
	return err;
}

static int attach_round(struct links *l, const struct round *r, const struct probes *p)
{
	size_t count = count_round(r);

	if (!count)
		return 0;
	return r->opt->kind == ATTACH_PERF ? attach_perf(l, r, p) : attach_multi(l, r, p, count);
}

static const enum site_program attach_order[SITE_PROGRAMS] = { PROGRAM_EXIT, PROGRAM_RUNTIME,
							       PROGRAM_ENTRY };

int links_attach(struct links *l, const struct probes *p, const struct links_options *opt)
{
	const size_t n_sites = opt->probing->plan->n_sites;
	int err = 0;

	*l = (struct links){ .in_stub = calloc(n_sites + 1, sizeof(*l->in_stub)) };
	if (!l->in_stub)
		return -ENOMEM;
	memcpy(l->in_stub, opt->probing->in_stub, n_sites * sizeof(*l->in_stub));
	for (int i = 0; i < SITE_PROGRAMS * 2 && !err; i++) {
		const struct round r = {
			.opt = opt,
			.program = attach_order[i / 2],
			.in_stubs = i % 2,
		};

		err = attach_round(l, &r, p);
	}
	if (err)
		links_detach(l, opt->kind, false);
	return err;
}

static int attach_more(struct links *l, const struct probes *p, struct round r)
{
	int err = 0;

	for (int i = 0; i < SITE_PROGRAMS && !err; i++) {
		r.program = attach_order[i];
		err = attach_round(l, &r, p);
	}
	return err;
}

int links_attach_left_out(struct links *l, const struct probes *p, const struct links_options *opt)
{
	return attach_more(l, p, (struct round){ .opt = opt, .left_out = l->in_stub });
}

int links_attach_under(struct links *l, const struct probes *p, const struct links_options *opt)
{
	return attach_more(l, p, (struct round){ .opt = opt, .under = true });
}

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
	pthread_t threads[MULTI_MAX];
	size_t n = 0;

	for (int i = 0; i < SITE_PROGRAMS; i++)
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
	static const enum site_program order[SITE_PROGRAMS] = { PROGRAM_ENTRY, PROGRAM_RUNTIME,
								PROGRAM_EXIT };

	for (int i = 0; i < SITE_PROGRAMS; i++)
		for (size_t k = 0; k < l->n[order[i]]; k++)
			bpf_link__destroy(l->link[order[i]][k]);
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
		free(l->link[i]);
	free(l->in_stub);
	*l = (struct links){ 0 };
	if (done >= 0)
		close(done);
}
