/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The identity of an executable file has at most FILE_ID_BYTES bytes. It is the GNU build ID, else
 * the letters "Go" and Go's content ID. No linker makes a GNU build ID of that length and
 * beginning.
 */
#ifndef GOTRACE_FILE_ID_H
#define GOTRACE_FILE_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FILE_ID_BYTES    20
#define FILE_ID_GO_BYTES 17
/* Hex digits of the longest one, and the terminating 0. */
#define FILE_ID_TEXT_BYTES (2 * FILE_ID_BYTES + 1)

/* Makes an identity from the n characters of a Go build ID. Its last part is a hash of the file,
 * 120 bits in base64 (Go, cmd/go, buildid.go). `go run` and `go test` leave a hash of all
 * that went into the file there. Returns false where the linker was given another text. */
bool file_id_of_go(const char *build_id, size_t n, uint8_t id[FILE_ID_GO_BYTES]);
/* Returns true when the identity was made from a Go build ID. */
bool file_id_is_go(const uint8_t *id, size_t n);
/* Prints an identity of at most FILE_ID_BYTES bytes: a GNU build ID in hex, the other one as "go:"
 * and the last part of the Go build ID. Prints "" when n is 0. */
void file_id_text(const uint8_t *id, size_t n, char text[FILE_ID_TEXT_BYTES]);

#endif
