/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GOTRACE_OBJECT_H
#define GOTRACE_OBJECT_H

/* The compiled bpf/probes.bpf.c, part of this library. */
extern const unsigned char bpf_object_start[], bpf_object_end[];

#endif
