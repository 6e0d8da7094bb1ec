/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GOTRACE_DEMANGLE_H
#define GOTRACE_DEMANGLE_H

/* A name of C++ or Rust (either mangling) as people read it, by libiberty; to be freed. NULL: it is
 * no mangled name, or stands for more than 16 KiB, or there is no memory. */
char *demangle(const char *mangled);

#endif
