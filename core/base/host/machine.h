/* SPDX-License-Identifier: BSD-2-Clause */
/* The processor that gotrace runs on. A folder beside this file has the function of one
 * processor. */
#ifndef GOTRACE_HOST_MACHINE_H
#define GOTRACE_HOST_MACHINE_H

#include <stdint.h>

/* Returns the e_machine of the programs that this processor executes. */
uint16_t host_elf_machine(void);

#endif
