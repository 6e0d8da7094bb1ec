/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GOTRACE_FAULT_H
#define GOTRACE_FAULT_H

/*
 * From now on a fault of this process (SIGSEGV and the like) ends it with `status` and one line
 * that names the library it was in; output that is not complete is removed. Likewise where libdw
 * gets no memory. Libraries do not check every allocation, and whoever reads the line is told what
 * to report. A signal that another process sends still ends this one by that signal. With
 * GOTRACE_DEBUG in the environment, or where somebody handles or ignores such signals already, they
 * stay as they are: a core is what one wants then.
 */
void fault_tells(int status);

#endif
