/* SPDX-License-Identifier: BSD-2-Clause */
/* x86-64 in the table of processors. Private to core/binary. */
#ifndef GOTRACE_X86_ARCH_H
#define GOTRACE_X86_ARCH_H

#include "binary/arch.h"

extern const struct arch x86_arch;

#endif
