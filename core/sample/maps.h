/* SPDX-License-Identifier: BSD-2-Clause */
/* The code that a process has mapped, as /proc shows it. */
#ifndef GOTRACE_SAMPLE_MAPS_H
#define GOTRACE_SAMPLE_MAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "trace/samples.h"

#define MAPS_PERF_BYTES 64

/* Sets the kind and the path of the image that is mapped as `path`. The path may be in perf_map. */
void maps_classify(struct sample_image *i, uint32_t pid, const char *path,
		   char perf_map[MAPS_PERF_BYTES]);
/* Here a build ID is an identity as in file_id.h. */

/* Returns true if the file on fd has the image's build ID. Fills in the image's build ID if it has
 * none. */
bool maps_has_build_id(int fd, struct sample_image *i);
/* Returns a descriptor of the file of an image, or -errno if the process has ended or the file is
 * another. Fills in the image's build ID if it has none. It tries the mapping first, which requires
 * rights. Then it tries the executable of the process (exe), then the path as the process sees it.
 * The build ID must be equal. */
int maps_open(uint32_t pid, bool exe, struct sample_image *i);
/* Looks at the file in these places without opening it. Returns false if there is none. */
bool maps_stat(uint32_t pid, bool exe, const struct sample_image *i, struct stat *st);
/* Opens the path as gotrace sees it, of the same build ID. Fills in the build ID of the image. */
int maps_open_here(struct sample_image *i);
/* Does what maps_open does. If it fails, tries the path as gotrace sees it. */
int maps_open_seen(uint32_t pid, const struct sample_image *i);
/* Fills in the build ID of the file at that path, as the process sees it, if the file has one. */
void maps_read_build_id(struct sample_image *i, uint32_t pid, const char *path);
/* Calls fn with each image of the process. fn copies the path. */
void maps_read(uint32_t pid, void (*fn)(void *ctx, struct sample_image *i), void *ctx);

#endif
