/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GOTRACE_DEMANGLE_H
#define GOTRACE_DEMANGLE_H

/* Returns a name of C++ or Rust (either mangling) in its readable form, by libiberty. The caller
 * frees it. Returns NULL when it is no mangled name, stands for more than 16 KiB, or there is no
 * memory. */
char *demangle(const char *mangled);

#endif
