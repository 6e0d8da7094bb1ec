// SPDX-License-Identifier: BSD-2-Clause
#include "agent/push_body.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/push.h"
#include "base/vec.h"
#include "export/otlp/otlp_gz.h"
#include "otlp.pb-c.h"

#define UNPACKED_MAX (16u << 20) /* of a profile; a Collector takes 20 MB by default */

struct push_body {
	struct otlp_out *otlp; /* NULL: for Pyroscope */
	uint8_t *data;
	size_t n, cap;
};

struct push_body *push_body_new(bool otlp)
{
	struct push_body *b = calloc(1, sizeof(*b));

	if (b && otlp && !(b->otlp = otlp_out_new())) {
		free(b);
		b = NULL;
	}
	return b;
}

static void put_u64(uint8_t *to, uint64_t v)
{
	for (int i = 0; i < 8; i++)
		to[i] = (uint8_t)(v >> (56 - 8 * i));
}

/* The labels of its row are attributes of the resource. */
static int add_otlp(struct push_body *b, const struct profile *p, const uint8_t *pprof,
		    size_t bytes)
{
	struct pairs labels = { 0 };
	int err = pairs_from_json(&labels, p->labels);
	struct otlp_attribute *a = err ? NULL : calloc(labels.n + 1, sizeof(*a));
	struct otlp_source of = { .attributes = a, .n = labels.n + 1 };

	if (!err && !a)
		err = -ENOMEM;
	if (!err) {
		a[0] = (struct otlp_attribute){ .name = "service.name", .text = p->service };
		for (size_t i = 0; i < labels.n; i++)
			a[i + 1] = (struct otlp_attribute){ .name = otlp_name(labels.at[i].name),
							    .text = labels.at[i].value };
		/* The same each time that it is tried. */
		put_u64(of.id, p->from_ns);
		put_u64(of.id + 8, (uint64_t)p->id << 8);
		err = otlp_out_add_gz(b->otlp, pprof, bytes, UNPACKED_MAX, &of);
	}
	free(a);
	pairs_free(&labels);
	return err;
}

/* The encodings of requests, one after the other, are that of a request with all of their series
 * (protoout.h). */
static int add_pyroscope(struct push_body *b, const struct profile *p, const uint8_t *pprof,
			 size_t bytes)
{
	char id[64];
	size_t size = 0;

	/* The same each time that it is tried. */
	snprintf(id, sizeof(id), "%016" PRIx64 "-%016" PRIx64, p->from_ns, (uint64_t)p->id);
	uint8_t *one = push_request(p->service, p->labels, id, pprof, bytes, &size);
	int err = one && !vec_reserve(&b->data, &b->cap, b->n + size) ? 0 : -ENOMEM;

	if (!err) {
		memcpy(b->data + b->n, one, size);
		b->n += size;
	}
	free(one);
	return err;
}

int push_body_add(struct push_body *b, const struct profile *p, const uint8_t *pprof, size_t bytes)
{
	return b->otlp ? add_otlp(b, p, pprof, bytes) : add_pyroscope(b, p, pprof, bytes);
}

size_t push_body_size(const struct push_body *b)
{
	return b->otlp ? otlp_out_size(b->otlp) : b->n;
}

const uint8_t *push_body_bytes(struct push_body *b, size_t *n)
{
	if (b->otlp) {
		free(b->data);
		b->data = otlp_out_message(b->otlp, &b->n);
	}
	*n = b->n;
	return b->data;
}

void push_body_free(struct push_body *b)
{
	if (!b)
		return;
	otlp_out_free(b->otlp);
	free(b->data);
	free(b);
}

const char *push_body_path(bool otlp)
{
	return otlp ? "/v1development/profiles" : "/push.v1.PusherService/Push";
}

const char *push_body_type(bool otlp)
{
	return otlp ? "application/x-protobuf" : "application/proto";
}

bool push_body_refused(bool otlp, const char *answer, size_t n, char *why, size_t size)
{
	Otlp__Answer *a = otlp ? otlp__answer__unpack(NULL, n, (const uint8_t *)answer) : NULL;
	bool refused = a && a->partial_success && a->partial_success->rejected_profiles > 0;

	if (refused)
		snprintf(why, size, "%s", a->partial_success->error_message);
	if (a)
		otlp__answer__free_unpacked(a, NULL);
	return refused;
}
