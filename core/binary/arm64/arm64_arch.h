/* SPDX-License-Identifier: BSD-2-Clause */
/* arm64 in the table of processors. Private to core/binary. */
#ifndef GOTRACE_ARM64_ARCH_H
#define GOTRACE_ARM64_ARCH_H

#include "binary/arch.h"

extern const struct arch arm64_arch;

#endif
