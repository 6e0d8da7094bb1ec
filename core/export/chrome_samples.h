/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of the chrome format for traces of samples. */
#ifndef GOTRACE_CHROME_SAMPLES_H
#define GOTRACE_CHROME_SAMPLES_H

#include "export/export.h"

/* Reads r to its end and writes its samples as CPU profiles. 0 or -errno (logged). */
int chrome_samples(struct trace_reader *r, const struct export_options *opt, FILE *out);

#endif
