/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes OpenTelemetry's profiles (otlp.proto) from pprof's. All profiles of a message share its
 * tables, which have no entry twice.
 */
#ifndef GOTRACE_OTLP_OUT_H
#define GOTRACE_OTLP_OUT_H

#include <stddef.h>
#include <stdint.h>

#include "pprof.pb-c.h"

/* An attribute. Its value is the number if text is NULL. */
struct otlp_attribute {
	const char *name, *text;
	int64_t number;
};

/* The source of a profile. */
struct otlp_source {
	const struct otlp_attribute *attributes; /* the resource's */
	size_t n;
	const char *version; /* gotrace's, or NULL */
	uint8_t id[16];      /* the profile's; zeros are none */
};

struct otlp_out;

/* Returns NULL without memory. */
struct otlp_out *otlp_out_new(void);
/*
 * Adds a profile as a resource, with a profile for each type of value. Samples without a value of
 * the type are left out, and so is a profile without samples. Labels become attributes by the names
 * of OpenTelemetry's conventions (otlp_name). U+FFFD stands for each byte that is not UTF-8. p may
 * be any unpacked message. 0, -EINVAL (it refers to an entry that it does not have), -E2BIG or
 * -ENOMEM. After an error nothing else can be added.
 */
int otlp_out_add(struct otlp_out *o, const Pprof__Profile *p, const struct otlp_source *of);
/* Returns at least the bytes of the message so far. */
size_t otlp_out_size(const struct otlp_out *o);
/* Returns the message of n bytes, to be freed, or NULL after an error. */
uint8_t *otlp_out_message(struct otlp_out *o, size_t *n);
void otlp_out_free(struct otlp_out *o);

/* Returns the name that OpenTelemetry's conventions have for a label, such as "process.pid" for
 * "pid". Returns other names unchanged. */
const char *otlp_name(const char *name);

#endif
