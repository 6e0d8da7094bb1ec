// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/calls/kept_values.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compare.h"
#include "base/log.h"
#include "base/vec.h"

/* ---- on disk: when the goroutine did not run, and why it waited; for each of the two sets its
 * head, then its bytes */

struct head {
	uint32_t first, n, bytes;
};

static int fail(const char *what)
{
	int err = errno ? -errno : -EIO;

	log_error("arguments %s a temporary file: %s; set TMPDIR to a folder with room", what,
		  strerror(-err));
	return err;
}

static int open_file(struct kept_values *k)
{
	const char *dir = getenv("TMPDIR");
	char path[4096];

	snprintf(path, sizeof(path), "%s/gotrace-values-XXXXXX", dir && *dir ? dir : "/tmp");
	int fd = mkostemp(path, O_CLOEXEC);

	if (fd < 0)
		return fail("cannot be put into");
	unlink(path);
	k->file = fdopen(fd, "w+");
	if (k->file)
		return 0;
	close(fd);
	return fail("cannot be put into");
}

static int write_set(struct kept_values *k, const struct trace_values *v)
{
	const struct head h = v ? (struct head){ v->first, v->n, v->bytes } : (struct head){ 0 };

	k->end += sizeof(h) + h.bytes;
	return fwrite(&h, sizeof(h), 1, k->file) != 1 ||
			       (h.bytes && fwrite(v->data, h.bytes, 1, k->file) != 1)
		       ? fail("cannot be put into")
		       : 0;
}

static int write_states(struct kept_values *k, const struct call_states *states)
{
	struct call_states copy = states ? *states : (struct call_states){ 0 };
	const struct call_wait *waits = copy.waits;
	const size_t n = copy.n_waits;

	copy.waits = NULL;
	k->end += sizeof(copy) + n * sizeof(*waits);
	return fwrite(&copy, sizeof(copy), 1, k->file) != 1 ||
			       (n && fwrite(waits, sizeof(*waits), n, k->file) != n)
		       ? fail("cannot be put into")
		       : 0;
}

int kept_values_put(struct kept_values *k, const struct call *from, struct call *c)
{
	const struct call_values *v = from->end_ns ? from->values : NULL;
	const struct call_states *states = from->end_ns ? from->states : NULL;
	bool any = v || states;
	int err = any && !k->file ? open_file(k) : 0;

	*c = *from;
	c->kept = 0;
	c->states = NULL;
	if (!any || err)
		return err;
	c->kept = k->end + 1;
	err = write_states(k, states);
	if (!err)
		err = write_set(k, v ? v->args : NULL);
	return err ? err : write_set(k, v ? v->results : NULL);
}

static int read_at(const struct kept_values *k, uint64_t off, void *p, size_t n)
{
	errno = 0;
	return pread(fileno(k->file), p, n, (off_t)off) == (ssize_t)n ? 0
								      : fail("cannot be read from");
}

/* Reads one set, whose bytes go to k->data from *used on. */
static int read_set(struct kept_values *k, uint64_t *off, size_t *used, struct trace_values *v)
{
	struct head h;
	int err = read_at(k, *off, &h, sizeof(h));

	if (!err)
		err = vec_reserve(&k->data, &k->cap, *used + h.bytes + 1);
	if (!err)
		err = read_at(k, *off + sizeof(h), k->data + *used, h.bytes);
	if (err)
		return err;
	*v = (struct trace_values){ .first = h.first, .n = h.n, .bytes = h.bytes };
	*off += sizeof(h) + h.bytes;
	*used += h.bytes;
	return 0;
}

static int begin_reading(struct kept_values *k)
{
	if (!k->reading && fflush(k->file))
		return fail("cannot be put into");
	k->reading = true;
	return 0;
}

/* The longest total first. */
static int by_total(const void *x, const void *y)
{
	const struct call_wait *a = x, *b = y;

	return a->total_ns != b->total_ns ? compare_u64(b->total_ns, a->total_ns)
					  : compare_u64(a->reason, b->reason);
}

int kept_states_get(struct kept_values *k, const struct call *c, struct call_states *s)
{
	int err = c->kept ? begin_reading(k) : 0;

	*s = (struct call_states){ 0 };
	if (err || !c->kept)
		return err;
	err = read_at(k, c->kept - 1, s, sizeof(*s));
	if (!err)
		err = vec_reserve(&k->waits, &k->cap_waits, s->n_waits + 1);
	if (!err && s->n_waits)
		err = read_at(k, c->kept - 1 + sizeof(*s), k->waits,
			      s->n_waits * sizeof(*k->waits));
	if (err)
		return err;
	if (s->n_waits > 1)
		qsort(k->waits, s->n_waits, sizeof(*k->waits), by_total);
	s->waits = k->waits;
	return 0;
}

int kept_values_get(struct kept_values *k, const struct call *c, struct call_values *v)
{
	uint64_t off = c->kept - 1;
	struct call_states states;
	size_t used = 0;
	int err = c->kept ? begin_reading(k) : 0;

	*v = (struct call_values){ 0 };
	if (c->kept && !err)
		err = read_at(k, off, &states, sizeof(states));
	if (!c->kept || err)
		return err;
	off += sizeof(states) + states.n_waits * sizeof(*states.waits);
	for (int i = 0; i < 2 && !err; i++)
		err = read_set(k, &off, &used, &k->sets[i]);
	if (err)
		return err;
	k->sets[0].data = k->data;
	k->sets[1].data = k->data + k->sets[0].bytes;
	v->args = k->sets[0].n ? &k->sets[0] : NULL;
	v->results = k->sets[1].n ? &k->sets[1] : NULL;
	return 0;
}

void kept_values_free(struct kept_values *k)
{
	if (k->file)
		fclose(k->file);
	free(k->data);
	free(k->waits);
	*k = (struct kept_values){ 0 };
}
