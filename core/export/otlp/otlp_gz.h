/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds profiles in the form of files to OpenTelemetry's. */
#ifndef GOTRACE_OTLP_GZ_H
#define GOTRACE_OTLP_GZ_H

#include "export/otlp/otlp_out.h"

/* Adds a pprof profile of n bytes in gzip, as otlp_out_add does. -EINVAL: it is no such profile;
 * -E2BIG: it unpacks to more than `most` bytes. */
int otlp_out_add_gz(struct otlp_out *o, const uint8_t *gz, size_t n, size_t most,
		    const struct otlp_source *of);

#endif
