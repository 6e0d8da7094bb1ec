/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GOTRACE_FAULT_H
#define GOTRACE_FAULT_H

/*
 * From now on a fault of this process (SIGSEGV and the like) ends it with `status` and one line.
 * Libraries do not check every allocation. So the line names the library with the fault, and shows
 * the user what to report. Incomplete output is removed. A lack of memory in libdw has the same
 * result.
 *
 * A signal from another process still ends this process by that signal. If GOTRACE_DEBUG is in the
 * environment, or if such signals are handled or ignored already, they stay unchanged, because then
 * the user wants a core.
 */
void fault_tells(int status);

#endif
