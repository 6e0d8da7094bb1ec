/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands to type instead of `go run` and `go test`, which start the program as a child of their
 * own.
 */
#ifndef GOTRACE_GO_COMMAND_H
#define GOTRACE_GO_COMMAND_H

/*
 * argv: a command line, its end NULL. "go test -c -o prog.test ./tok && gotrace record --
 * ./prog.test -test.bench X" for `go test -bench X ./tok`, to be freed. NULL: the line neither runs
 * nor tests a program, or there is no memory.
 */
char *go_command_instead(char *const *argv);

#endif
