/* SPDX-License-Identifier: BSD-2-Clause */
/* Picks the types (BTF) that a BPF object names out of many. */
#ifndef GOTRACE_BTF_PART_H
#define GOTRACE_BTF_PART_H

struct btf;

/* A copy of those types of `all` that have the name of one of the object's, with the types of their
 * members, but not what is behind pointers. To be freed by btf__free. NULL (a debug line is
 * logged): no memory, or types that make no sense. */
struct btf *btf_part_of(const struct btf *all, const struct btf *object);

#endif
