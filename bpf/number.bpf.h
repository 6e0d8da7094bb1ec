/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The number of any thread as gotrace sees it, for programs that visit all tasks. */
#ifndef GOTRACE_NUMBER_BPF_H
#define GOTRACE_NUMBER_BPF_H

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "bpf/sample.h"

struct upid___local {
	int nr;
} __attribute__((preserve_access_index));
struct pid___local {
	unsigned int level;
	struct upid___local numbers[1];
} __attribute__((preserve_access_index));

/* Returns the number in the pid namespace of this level, 0 when pid is not there. It reads pid by
 * BPF_CORE_READ, because Linux 6.1 lets nothing be added to a pointer whose type the verifier
 * knows. */
static __always_inline uint32_t number_of(struct pid___local *pid, uint32_t level)
{
	uint32_t nr = 0;

	if (pid && level <= BPF_CORE_READ(pid, level))
		bpf_probe_read_kernel(&nr, sizeof(nr),
				      (char *)pid + bpf_core_field_offset(pid->numbers) +
					      level * bpf_core_type_size(struct upid___local) +
					      bpf_core_field_offset(struct upid___local, nr));
	return nr;
}

#endif
