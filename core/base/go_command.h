/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands to type instead of `go run` and `go test`, which start the program as their own
 * child. */
#ifndef GOTRACE_GO_COMMAND_H
#define GOTRACE_GO_COMMAND_H

/*
 * Returns the command for argv, a command line that ends with NULL; to be freed. For `go test
 * -bench X ./tok` it is "go test -c -o prog.test ./tok && gotrace record -- ./prog.test -test.bench
 * X". NULL: the line neither runs nor tests a program, or there is no memory.
 */
char *go_command_instead(char *const *argv);

#endif
