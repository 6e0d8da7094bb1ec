/* SPDX-License-Identifier: BSD-2-Clause */
/* What code a process has mapped, as /proc says. */
#ifndef GOTRACE_SAMPLE_MAPS_H
#define GOTRACE_SAMPLE_MAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/samples.h"

#define MAPS_PERF_BYTES 64

/* Kind and path of what is mapped as `path`; perf_map is what the path may be in. */
void maps_classify(struct sample_image *i, uint32_t pid, const char *path,
		   char perf_map[MAPS_PERF_BYTES]);
/* Is the build id of the file on fd the image's, which gets it if it has none? */
bool maps_has_build_id(int fd, struct sample_image *i);
/* A descriptor of the file of an image, whose build id is filled in if it has none: by its mapping;
 * with fewer rights what the process executes (exe), or what has the path as the process sees it,
 * if the build id is the same. -errno: the process has ended, or the file is another. */
int maps_open(uint32_t pid, bool exe, struct sample_image *i);
/* The same, or what has the path as we see it. */
int maps_open_seen(uint32_t pid, const struct sample_image *i);
/* The GNU build id of the file at that path, as the process sees it, if it has one. */
void maps_read_build_id(struct sample_image *i, uint32_t pid, const char *path);
/* Calls fn with each; the path is to be copied. */
void maps_read(uint32_t pid, void (*fn)(void *ctx, struct sample_image *i), void *ctx);

#endif
