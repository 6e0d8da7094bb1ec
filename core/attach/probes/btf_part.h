/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies the types (BTF) that a BPF object names. */
#ifndef GOTRACE_BTF_PART_H
#define GOTRACE_BTF_PART_H

struct btf;

/* Returns a copy of the types of `all` whose names the object has, with the types of their members,
 * but without types behind pointers. The caller calls btf__free. Returns NULL (a debug line is
 * logged) without memory, or if the types are invalid. */
struct btf *btf_part_of(const struct btf *all, const struct btf *object);

#endif
