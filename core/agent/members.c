// SPDX-License-Identifier: BSD-2-Clause
/* Which service a process belongs to. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/facts.h"
#include "agent/label_rules.h"
#include "agent/split.h"
#include "base/compare.h"
#include "base/vec.h"

#define FORGET_AFTER 40 /* stretches in which a process has no sample */

static void forget_member(struct member *m)
{
	free(m->service);
	free(m->labels);
}

static void tell_slow(const struct splitter *s, const struct facts *f, const char *service)
{
	for (size_t i = 0; s->on_slow && i < s->config->n_rules; i++) {
		const struct rule *r = &s->config->rules[i];

		for (size_t k = 0; k < r->n_slow && rule_holds(r, f); k++)
			s->on_slow(s->slow_ctx, f->pid, service, r->slow[k]);
	}
}

/* The kubelet makes a container's link after the container's first process runs. Stretches in
 * which the names are looked up again. */
#define NAME_TRIES 4

/* A user may make groups of any name below his own, also with the ID of another's container. */
static bool may_be_kubelets(const struct facts *f)
{
	static const char users[] = "/user.slice/";

	return f->container && f->cgroup && strncmp(f->cgroup, users, sizeof(users) - 1) != 0;
}

/* Fills in a member with pid, start_ns and tries. The caller frees service and labels. */
static int describe(struct splitter *s, const struct sample_process *p, struct member *m)
{
	const bool first = !m->tries;
	struct pairs labels = { 0 };
	struct facts f;
	int err = facts_read(&f, s->proc, p->pid, p->exe, p->comm,
			     (const char *const *)s->config->environment, s->config->n_environment);

	s->pods.directory = s->config->kubernetes_logs;
	const bool kubelets = may_be_kubelets(&f);

	if (kubelets)
		f.names = pods_find(&s->pods, f.container);
	m->named = f.names;
	m->container = f.container ? hash_bytes(f.container, strlen(f.container)) : 0;
	m->tries = s->pods.directory && kubelets && !f.names ? m->tries + 1 : NAME_TRIES;
	if (!err && rules_apply(s->config, &f, &m->service, &labels, &err)) {
		m->labels = pairs_json(&labels);
		m->waiting = rules_waiting(s->config, &f);
		err = m->labels ? 0 : -ENOMEM;
		if (first)
			tell_slow(s, &f, m->service);
	}
	pairs_free(&labels);
	facts_free(&f);
	return err;
}

/* NULL: no memory. */
static struct member *learn(struct splitter *s, const struct sample_process *p)
{
	if (vec_reserve(&s->members, &s->cap, s->n + 1))
		return NULL;
	struct member *m = &s->members[s->n];

	*m = (struct member){ .pid = p->pid, .start_ns = p->start_ns, .used = s->stretch };
	if (!describe(s, p, m)) {
		s->n++;
		return m;
	}
	forget_member(m);
	return NULL;
}

static uint64_t bytes_of(const struct member *m)
{
	/* the array doubles; an index of two words; what malloc takes besides */
	return 2 * sizeof(*m) + 16 + (m->service ? strlen(m->service) + 16 : 0) +
	       (m->labels ? strlen(m->labels) + 16 : 0);
}

static uint32_t hash_of(uint32_t pid, uint64_t start_ns)
{
	return hash_u64_pair(start_ns, pid);
}

/* Those that were asked for before, or not in as many stretches. */
static void forget_before(struct splitter *s, uint64_t asked, uint64_t stretches)
{
	size_t n = 0;

	hash_index_free(&s->by_process);
	s->bytes = 0;
	for (size_t i = 0; i < s->n; i++) {
		struct member *m = &s->members[i];

		if (m->asked < asked || s->stretch - m->used >= stretches ||
		    hash_index_put(&s->by_process, hash_of(m->pid, m->start_ns), (uint32_t)n)) {
			forget_member(m);
			continue;
		}
		s->bytes += bytes_of(m);
		s->members[n++] = *m;
	}
	s->n = n;
}

void splitter_forget_old(struct splitter *s)
{
	forget_before(s, 0, FORGET_AFTER);
}

static int compare_asked(const void *x, const void *y)
{
	return compare_u64(*(const uint64_t *)x, *(const uint64_t *)y);
}

/* A quarter of those that were asked for least recently is forgotten: what is known of one that
 * still runs is found out again. */
static void make_room(struct splitter *s)
{
	if (!s->most_bytes || s->bytes < s->most_bytes)
		return;
	uint64_t *asked = calloc(s->n + 1, sizeof(*asked));
	const size_t had = s->n;

	for (size_t i = 0; i < s->n && asked; i++)
		asked[i] = s->members[i].asked;
	if (asked && s->n)
		qsort(asked, s->n, sizeof(*asked), compare_asked);
	forget_before(s, asked ? asked[s->n / 4] + 1 : UINT64_MAX, UINT64_MAX);
	s->forgotten += had - s->n;
	free(asked);
}

/* In a later stretch the names may be known. A process that has ended keeps what is known, also if
 * a process in another container has its pid now. */
static void look_again(struct splitter *s, const struct sample_process *p, struct member *m)
{
	struct member now = *m;

	now.service = now.labels = NULL;
	if (describe(s, p, &now) || !now.named || now.container != m->container) {
		forget_member(&now);
		m->tries++;
		return;
	}
	s->bytes -= bytes_of(m);
	forget_member(m);
	*m = now;
	s->bytes += bytes_of(m);
}

struct member *splitter_member(struct splitter *s, const struct sample_process *p)
{
	const uint32_t hash = hash_of(p->pid, p->start_ns);
	size_t at;

	for (uint32_t i = hash_index_first(&s->by_process, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&s->by_process, hash, &at))
		if (s->members[i].pid == p->pid && s->members[i].start_ns == p->start_ns) {
			struct member *m = &s->members[i];

			if (m->tries < NAME_TRIES && m->used != s->stretch)
				look_again(s, p, m);
			m->used = s->stretch;
			m->asked = ++s->asked;
			return m;
		}
	make_room(s);

	struct member *m = learn(s, p);

	if (!m || hash_index_put(&s->by_process, hash, (uint32_t)s->n - 1))
		return NULL;
	m->asked = ++s->asked;
	s->bytes += bytes_of(m);
	return m;
}

int splitter_meet(struct splitter *s, const struct sample_process *p)
{
	return splitter_member(s, p) ? 0 : -ENOMEM;
}

bool splitter_waiting(struct splitter *s, const struct sample_process *p)
{
	const struct member *m = splitter_member(s, p);

	return m && m->waiting;
}

void splitter_forget(struct splitter *s)
{
	for (size_t i = 0; i < s->n; i++)
		forget_member(&s->members[i]);
	free(s->members);
	s->members = NULL;
	s->n = s->cap = s->bytes = 0;
	hash_index_free(&s->by_process);
	pods_free(&s->pods);
}
