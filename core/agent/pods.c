// SPDX-License-Identifier: BSD-2-Clause
#include "agent/pods.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/vec.h"

#define PODS_MAX 65536
#define SUFFIX   ".log"

static void free_all(struct pods *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->all[i].pod);
		free(p->all[i].namespace);
		free(p->all[i].container);
	}
	p->n = 0;
	hash_index_free(&p->by_id);
}

/* The name of a DNS label or subdomain, which has no '_' (kubernetes,
 * apimachinery/pkg/util/validation). */
static char *copy_name(const char *from, size_t n)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789.-";

	return n && strspn(from, allowed) >= n ? strndup(from, n) : NULL;
}

static const struct pod_names *known(const struct pods *p, const char *id)
{
	const uint32_t hash = hash_bytes(id, POD_ID_DIGITS);
	size_t at;

	for (uint32_t i = hash_index_first(&p->by_id, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&p->by_id, hash, &at))
		if (!memcmp(p->all[i].id, id, POD_ID_DIGITS))
			return &p->all[i];
	return NULL;
}

/* POD_NAMESPACE_CONTAINER-ID.log. The kubelet cuts a longer name than a file may have: then there
 * is no ID at its end. */
static void take(struct pods *p, const char *name)
{
	const size_t n = strlen(name), tail = 1 + POD_ID_DIGITS + sizeof(SUFFIX) - 1;
	const char *namespace = strchr(name, '_'),
		   *container = namespace ? strchr(namespace + 1, '_') : NULL, *end, *id;
	struct pod_names x = { 0 };

	if (n <= tail || !container || p->n == PODS_MAX)
		return;
	end = name + n - tail;
	id = end + 1;
	if (container >= end || *end != '-' || strcmp(id + POD_ID_DIGITS, SUFFIX) != 0 ||
	    strspn(id, "0123456789abcdef") != POD_ID_DIGITS ||
	    vec_reserve(&p->all, &p->cap, p->n + 1))
		return;
	memcpy(x.id, id, POD_ID_DIGITS);
	x.pod = copy_name(name, (size_t)(namespace - name));
	x.namespace = copy_name(namespace + 1, (size_t)(container - namespace - 1));
	x.container = copy_name(container + 1, (size_t)(end - container - 1));
	if (x.pod && x.namespace && x.container && !known(p, x.id) &&
	    !hash_index_put(&p->by_id, hash_bytes(x.id, POD_ID_DIGITS), (uint32_t)p->n)) {
		p->all[p->n++] = x;
		return;
	}
	free(x.pod);
	free(x.namespace);
	free(x.container);
}

/* A folder that changed so lately may change again and keep its time. */
#define SETTLED_S 5

static void read_folder(struct pods *p)
{
	const int64_t now_s = (int64_t)(clock_realtime_ns() / 1000000000u);
	struct stat st;
	DIR *d;

	if (stat(p->directory, &st) ||
	    (st.st_mtim.tv_sec == p->changed_s && st.st_mtim.tv_nsec == p->changed_ns))
		return;
	d = opendir(p->directory);
	if (!d)
		return;
	const bool settled = st.st_mtim.tv_sec + SETTLED_S < now_s;

	p->changed_s = settled ? st.st_mtim.tv_sec : 0;
	p->changed_ns = settled ? st.st_mtim.tv_nsec : 0;
	free_all(p);
	for (struct dirent *e; (e = readdir(d));)
		take(p, e->d_name);
	closedir(d);
}

const struct pod_names *pods_find(struct pods *p, const char *id)
{
	const struct pod_names *found;

	if (!p->directory || strlen(id) != POD_ID_DIGITS)
		return NULL;
	found = known(p, id);
	if (found)
		return found;
	read_folder(p);
	return known(p, id);
}

void pods_free(struct pods *p)
{
	free_all(p);
	free(p->all);
	*p = (struct pods){ 0 };
}
