/* SPDX-License-Identifier: BSD-2-Clause */
/* What tests read of OpenTelemetry's profiles. */
#ifndef GOTRACE_OTLP_FIXTURE_H
#define GOTRACE_OTLP_FIXTURE_H

#include "otlp.pb-c.h"

/* The message; fails where it is none, where its tables do not begin with nothing or have something
 * twice, where an index is of no entry, and where a sample has not one value. To be freed by
 * otlp__profiles_data__free_unpacked. */
Otlp__ProfilesData *fixture_read_otlp(const void *data, size_t n);
/* The value of the attribute, of an entry of `attributes`; NULL: none has it. */
const Otlp__Value *fixture_otlp_attribute(const Otlp__ProfilesData *d, const int32_t *attributes,
					  size_t n, const char *key);
const Otlp__Value *fixture_otlp_resource(const Otlp__ResourceProfiles *r, const char *key);
/* The values of all samples of profiles of that type, added up. */
uint64_t fixture_otlp_sum(const Otlp__ProfilesData *d, const char *type);

#endif
