/* SPDX-License-Identifier: BSD-2-Clause */
/* The process that --pid names, by its number or its name. */
#ifndef GOTRACE_PROCESS_ARG_H
#define GOTRACE_PROCESS_ARG_H

#include <argp.h>
#include <sys/types.h>

/* Parses an argument of --pid. If it names no process or several, exits with a usage error. For
 * several it prints the process IDs and command lines. */
pid_t process_arg(struct argp_state *state, const char *arg);

#endif
