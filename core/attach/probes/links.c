// SPDX-License-Identifier: BSD-2-Clause
#include "attach/probes/links.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/log.h"
#include "base/vec.h"
#include "plan/site_cookie.h"

/* Descriptors gotrace uses for everything else: rings, maps, files. */
#define OTHER_DESCRIPTORS 256

/* Returns the number of descriptors that `plan` requires with `kind`. */
static size_t descriptors(const struct plan *plan, enum attach_kind kind)
{
	size_t n = 0;

	if (kind != ATTACH_PERF)
		return LINKS_MULTI_MAX;
	/* A perf event and a BPF link each; most have one. */
	for (size_t i = 0; i < plan->n_sites; i++)
		n += 1 +
		     (plan->sites[i].stub.n_branches > 0 || site_jumps_on_probed(&plan->sites[i]));
	return 2 * n;
}

/* Raises gotrace's soft limit on descriptors to hold `n` more, for `n_sites` sites. Returns 0,
 * -EMFILE after logging a remedy, or another -errno. */
static int raise_limit(size_t n, size_t n_sites)
{
	struct rlimit lim;
	size_t need = n + OTHER_DESCRIPTORS;

	if (getrlimit(RLIMIT_NOFILE, &lim))
		return -errno;
	if (lim.rlim_cur >= need)
		return 0;
	if (lim.rlim_max < need) {
		log_error("%zu probe sites need %zu file descriptors and the hard limit is %llu: "
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
	bool under_there;     /* with left_out: that has its probes already */
	const bool *released; /* not NULL: by function, these not */
	bool second;          /* their records are marked */
};

static bool is_in(const struct round *r, const struct plan_site *s)
{
	bool in_stub = r->opt->probing->in_stub[s->number];

	if (s->program != r->program || r->opt->probing->left_alone[s->number])
		return false;
	if (r->released && s->func != PLAN_NO_FUNC && r->released[s->func])
		return false;
	if (r->under)
		return in_stub && site_jumps_on_probed(s);
	if (r->left_out)
		return r->left_out[s->number] && !in_stub &&
		       !(r->under_there && site_jumps_on_probed(s));
	return in_stub == r->in_stubs;
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
		out[i] = plan_of(r)->stubs.file_off + in_stubs[i];
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
		log_error("the process ended while probes were attached, and nothing was recorded");
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

static int keep_link(struct links *l, enum site_program which, const struct one_link *link)
{
	int err = vec_reserve(&l->at[which], &l->cap[which], l->n[which] + 1);

	if (err)
		bpf_link__destroy(link->link);
	else
		l->at[which][l->n[which]++] = *link;
	return err;
}

static uint64_t cookie_of(const struct round *r, const struct plan_site *s)
{
	const struct plan_value *first;
	uint32_t flags = (r->second ? COOKIE_SECOND : 0) |
			 (site_values_of(plan_of(r), s, &first) ? COOKIE_VALUES : 0);

	return site_cookie(s, r->in_stubs) | (uint64_t)flags << 56;
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
			cookies[n++] = cookie_of(r, s);
		}
	}
	if (!err) {
		LIBBPF_OPTS(bpf_uprobe_multi_opts, multi, .offsets = offsets, .cookies = cookies,
			    .cnt = n);
		path_of(r, path);
		link = bpf_program__attach_uprobe_multi(p->program[r->program], r->opt->pid, path,
							NULL, &multi);
		err = link ? keep_link(l, r->program,
				       &(struct one_link){ link, PLAN_NO_SITE, r->under })
			   : -errno;
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
	LIBBPF_OPTS(bpf_uprobe_opts, one, .bpf_cookie = cookie_of(r, s),
		    .attach_mode = PROBE_ATTACH_MODE_LINK);
	struct bpf_link *link = bpf_program__attach_uprobe_opts(p->program[r->program], r->opt->pid,
								path, offset, &one);
	int err = link ? keep_link(l, r->program, &(struct one_link){ link, s->number, r->under })
		       : -errno;

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

		for (unsigned k = offsets_of(r, &plan->sites[i], at); k-- > 0 && !err;) {
			if (r->opt->give_up)
				err = r->opt->give_up(r->opt->ctx);
			if (!err)
				err = attach_one(l, r, p, &plan->sites[i], at[k]);
		}
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
	const struct round r = { .opt = opt,
				 .left_out = l->in_stub,
				 .under_there = l->under,
				 .released = opt->released };
	int err = attach_more(l, p, r);

	/* They are not left out a second time. */
	memcpy(l->in_stub, opt->probing->in_stub,
	       opt->probing->plan->n_sites * sizeof(*l->in_stub));
	return err;
}

int links_attach_under(struct links *l, const struct probes *p, const struct links_options *opt)
{
	int err = attach_more(l, p, (struct round){ .opt = opt, .under = true });

	l->under = !err;
	return err;
}

void links_nothing_under(struct links *l)
{
	for (int i = 0; i < SITE_PROGRAMS; i++)
		for (size_t k = 0; k < l->n[i]; k++)
			l->at[i][k].under = false;
	l->under = false;
}

/* ---- releasing functions */

/* Links of entries and exits, those that are `under` apart; or of the sites of these functions. */
static int take_out(struct links *l, const struct plan *plan, const bool *released,
		    struct links *gone)
{
	int err = 0;

	for (int i = 0; i < SITE_PROGRAMS && !err; i++)
		err = vec_reserve(&gone->at[i], &gone->cap[i], l->n[i]);
	for (int i = 0; i < SITE_PROGRAMS && !err; i++) {
		size_t left = 0;

		for (size_t k = 0; k < l->n[i]; k++) {
			const struct one_link *x = &l->at[i][k];
			uint32_t func = x->site == PLAN_NO_SITE ? PLAN_NO_FUNC
								: plan->sites[x->site].func;
			bool goes = released ? func != PLAN_NO_FUNC && released[func]
					     : i != PROGRAM_RUNTIME && !x->under;

			if (goes)
				gone->at[i][gone->n[i]++] = *x;
			else
				l->at[i][left++] = *x;
		}
		l->n[i] = left;
	}
	return err;
}

static int attach_without(struct links *l, const struct probes *p, const struct links_options *opt,
			  const bool *released)
{
	int err = 0;

	for (int i = 0; i < SITE_PROGRAMS * 2 && !err; i++) {
		const struct round r = {
			.opt = opt,
			.program = attach_order[i / 2],
			.in_stubs = i % 2,
			.released = released,
			.second = l->second,
		};

		if (r.program != PROGRAM_RUNTIME)
			err = attach_round(l, &r, p);
	}
	return err;
}

int links_release(struct links *l, const struct probes *p, const struct links_options *opt,
		  const bool *released, struct links *gone)
{
	struct links new = { .second = !l->second };
	int err;

	if (opt->kind == ATTACH_PERF)
		return take_out(l, opt->probing->plan, released, gone);
	err = attach_without(&new, p, opt, released);
	for (int i = 0; i < SITE_PROGRAMS && !err; i++)
		err = vec_reserve(&l->at[i], &l->cap[i], l->n[i] + new.n[i]);
	if (!err)
		err = take_out(l, opt->probing->plan, NULL, gone);
	if (err) {
		links_drop(&new);
		return err;
	}
	l->second = new.second;
	for (int i = 0; i < SITE_PROGRAMS; i++) {
		for (size_t k = 0; k < new.n[i]; k++)
			l->at[i][l->n[i]++] = new.at[i][k];
		free(new.at[i]);
	}
	return 0;
}

int links_choose_kind(enum attach_kind *kind, const struct plan *plan, const struct caps *caps)
{
	/* First: where few files may be open, what was found out of the kernel says nothing. */
	int err = raise_limit(descriptors(plan, ATTACH_MULTI), plan->n_sites);

	if (err)
		return err;
	if (*kind == ATTACH_AUTO)
		*kind = caps->multi_err && !caps->load_err ? ATTACH_PERF : ATTACH_MULTI;
	if (*kind == ATTACH_PERF && caps->multi_err)
		log_info("this kernel has no uprobe_multi links: attaching %zu sites one by one",
			 plan->n_sites);
	return raise_limit(descriptors(plan, *kind), plan->n_sites);
}
