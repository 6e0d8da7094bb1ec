/* SPDX-License-Identifier: BSD-2-Clause */
/* The process that --pid names: by its number, or by what it is called. */
#ifndef GOTRACE_PROCESS_ARG_H
#define GOTRACE_PROCESS_ARG_H

#include <argp.h>
#include <sys/types.h>

/* An argument of --pid. One that names no process, or several, exits with a usage error; of several
 * it prints the process ids and command lines. */
pid_t process_arg(struct argp_state *state, const char *arg);

#endif
