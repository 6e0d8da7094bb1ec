/* SPDX-License-Identifier: BSD-2-Clause */
/* Profiles as they are in files, for OpenTelemetry. */
#ifndef GOTRACE_OTLP_GZ_H
#define GOTRACE_OTLP_GZ_H

#include "export/otlp/otlp_out.h"

/* Adds like otlp_out_add a pprof profile of n bytes in gzip. -EINVAL: it is none; -E2BIG: unpacked
 * it has more than `most` bytes. */
int otlp_out_add_gz(struct otlp_out *o, const uint8_t *gz, size_t n, size_t most,
		    const struct otlp_source *of);

#endif
