/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The number of any thread as gotrace sees it. */
#ifndef GOTRACE_NUMBER_BPF_H
#define GOTRACE_NUMBER_BPF_H

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "bpf/sample.h"

struct ns_common___local {
	unsigned int inum;
} __attribute__((preserve_access_index));
struct pid_namespace___local {
	struct ns_common___local ns;
} __attribute__((preserve_access_index));
struct upid___local {
	int nr;
	struct pid_namespace___local *ns;
} __attribute__((preserve_access_index));
struct pid___local {
	unsigned int level;
	struct upid___local numbers[1];
} __attribute__((preserve_access_index));

/* Inode of the first PID namespace (PROC_PID_INIT_INO, include/linux/proc_ns.h), and the deepest
 * level (MAX_PID_NS_LEVEL, include/linux/pid_namespace.h). */
#define PIDNS_FIRST     0xEFFFFFFCu
#define PIDNS_LEVEL_MAX 32

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

/* Returns the number in the pid namespace with this inode, 0 when pid is not there. Namespaces of
 * one level differ in their inodes. */
static __always_inline uint32_t number_in(struct pid___local *pid, uint64_t ino)
{
	uint32_t levels = pid ? BPF_CORE_READ(pid, level) + 1 : 0;

	for (uint32_t i = 0; i <= PIDNS_LEVEL_MAX && i < levels; i++) {
		struct upid___local *at = (void *)((char *)pid +
						   bpf_core_field_offset(pid->numbers) +
						   i * bpf_core_type_size(struct upid___local));

		if (BPF_CORE_READ(at, ns, ns.inum) == ino)
			return number_of(pid, i);
	}
	return 0;
}

#endif
