/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GOTRACE_DEMANGLE_H
#define GOTRACE_DEMANGLE_H

/* A C++ name as people read it, by __cxa_demangle of the C++ library that is on this machine; to be
 * freed. NULL: it is no mangled name, or there is no such library. */
char *demangle(const char *name);

#endif
