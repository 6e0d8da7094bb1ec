/* SPDX-License-Identifier: BSD-2-Clause */
/* What tests of exports share: exports taken as bytes, binary ones made text. */
#ifndef GOTRACE_EXPORT_FIXTURE_H
#define GOTRACE_EXPORT_FIXTURE_H

#include "export/exports.h"

const struct export_format *fixture_format(const char *name);
/* What a format makes of the trace at path, n bytes and a NUL; to be freed. */
char *fixture_export(const char *path, const char *format, const struct export_options *opt, size_t *n);
/* The gzip stream unpacked, *n bytes and a NUL; to be freed. */
char *fixture_gunzip(const char *data, size_t size, size_t *n);
/* Prints the profile that pprof wrote. */
void fixture_print_pprof(const char *data, size_t n, FILE *out);

#endif
