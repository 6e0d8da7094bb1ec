/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * User shadow stacks. Such a stack is a second stack of return addresses that the processor keeps
 * and compares at each RET (Linux 6.6, CONFIG_X86_USER_SHADOW_STACK). A BPF program that performs a
 * RET pops no address from it, so the next RET of the processor would fault.
 */
#ifndef GOTRACE_SHADOW_STACK_H
#define GOTRACE_SHADOW_STACK_H

#include <stdbool.h>
#include <sys/types.h>

/* Returns true if process `pid` has one (/proc/PID/status, x86_Thread_features), or if the file
 * cannot be read. */
bool shadow_stack_of_process(pid_t pid);

/*
 * Returns true if an executable asks for one by its GNU property (GNU_PROPERTY_X86_FEATURE_1_SHSTK,
 * x86-64 psABI), or if the file cannot be read. libc enables it only for such an executable. Go's
 * linker never asks.
 */
bool shadow_stack_of_file(int fd);

#endif
