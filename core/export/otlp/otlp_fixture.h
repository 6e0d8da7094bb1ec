/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads OpenTelemetry's profiles for tests. */
#ifndef GOTRACE_OTLP_FIXTURE_H
#define GOTRACE_OTLP_FIXTURE_H

#include "otlp.pb-c.h"

/* Returns the message. Fails where the bytes are no message, or a sample does not have one value.
 * Fails where a table does not begin with the empty entry or has an entry twice, or where an index
 * has no entry. To be freed by otlp__profiles_data__free_unpacked. */
Otlp__ProfilesData *fixture_read_otlp(const void *data, size_t n);
/* Returns the value of the attribute with that key in `attributes`; NULL where there is none. */
const Otlp__Value *fixture_otlp_attribute(const Otlp__ProfilesData *d, const int32_t *attributes,
					  size_t n, const char *key);
const Otlp__Value *fixture_otlp_resource(const Otlp__ResourceProfiles *r, const char *key);
/* Returns the sum of the values of all samples in profiles of that type. */
uint64_t fixture_otlp_sum(const Otlp__ProfilesData *d, const char *type);

#endif
