/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rings as text, which tests replay. Each line is one of:
 *
 *     site NUMBER KIND RSP_TO_RA          what the stub of a site writes, if it writes one
 *     ring SIZE HEAD RESERVED             positions, bytes
 *     dropped COUNT FIRST LAST GOID       of the ring before
 *     slot CLOCK DEPTH SITE               in the order of the ring's memory, the first ones
 *     context GOID PROCID                 likewise
 *
 * Empty lines and those that begin with # are comments.
 */
#ifndef GOTRACE_RING_IMAGE_H
#define GOTRACE_RING_IMAGE_H

#include <stdio.h>

#include "rings/rings.h"

/* Writes the present rings of `opt`, with slots up to head, or all slots when head is past them.
 * The rings' memory may change meanwhile. Returns 0 or -EIO. */
int ring_image_write(FILE *out, const struct rings_options *opt);

#endif
