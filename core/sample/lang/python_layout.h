/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a CPython interpreter keeps its frames. From 3.13 on the file itself has the offsets
 * (_Py_DebugOffsets, Include/internal/pycore_runtime.h). For 3.11 and 3.12 there is a table.
 */
#ifndef GOTRACE_PYTHON_LAYOUT_H
#define GOTRACE_PYTHON_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "sample/lang/lang.h"

/* The bytes at the beginning of _PyRuntime that python_layout_of needs. */
#define PYTHON_RUNTIME_BYTES 568

/* Makes the layout of an interpreter of that version (Py_Version, such as 0x030b07f0), whose
 * _PyRuntime is linked at `runtime` and begins with these n bytes. `code_type` is the address of
 * PyCode_Type. Returns 0, -ENOTSUP for a version or a build without known layout, or -EINVAL if the
 * offsets cannot be right. */
int python_layout_of(struct sample_python *to, uint64_t version, uint64_t runtime,
		     uint64_t code_type, const void *bytes, size_t n);
/* lang.recognize */
int python_recognize(int fd, struct lang_layout *to);

#endif
