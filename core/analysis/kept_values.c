// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/kept_values.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/vec.h"

/* ---- on disk: when the goroutine did not run; for each of the two sets its head, then its bytes
 */

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

int kept_values_put(struct kept_values *k, const struct call *from, struct call *c)
{
	const struct call_values *v = from->end_ns ? from->values : NULL;
	const struct call_states none = { 0 }, *states = from->end_ns ? from->states : NULL;
	bool any = v || states;
	int err = any && !k->file ? open_file(k) : 0;

	*c = *from;
	c->kept = 0;
	c->states = NULL;
	if (!any || err)
		return err;
	c->kept = k->end + 1;
	k->end += sizeof(none);
	if (fwrite(states ? states : &none, sizeof(none), 1, k->file) != 1)
		return fail("cannot be put into");
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

int kept_states_get(struct kept_values *k, const struct call *c, struct call_states *s)
{
	int err = c->kept ? begin_reading(k) : 0;

	*s = (struct call_states){ 0 };
	return err || !c->kept ? err : read_at(k, c->kept - 1, s, sizeof(*s));
}

int kept_values_get(struct kept_values *k, const struct call *c, struct call_values *v)
{
	uint64_t off = c->kept - 1 + sizeof(struct call_states);
	size_t used = 0;
	int err = c->kept ? begin_reading(k) : 0;

	*v = (struct call_values){ 0 };
	if (!c->kept || err)
		return err;
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
	*k = (struct kept_values){ 0 };
}
